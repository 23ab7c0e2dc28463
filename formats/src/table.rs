//! Reads the records of a CSV file.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use crate::csv::{self, CsvError};
use crate::error::FormatError;
use crate::lines::{Line, Lines, NOT_UTF8, TOO_LONG, WAS_NOT_UTF8, trimmed};
use crate::location::RowLocation;
use crate::record::{Record, plain_name};
use crate::rejects;
use crate::row::{RawContent, Row};
use crate::source::{NamesKind, Source, mismatch_message};

/// Possible separators of fields. The import detects which one a file has.
const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// Maximum number of lines in a quoted field. If a field is longer, its opening quote is probably a
/// mistake.
const MAX_FIELD_LINES: usize = 100;
/// Maximum length of a quoted field in bytes, for the same reason.
const MAX_FIELD_BYTES: usize = 64 << 10;

/// Parser of a CSV file, created from its header line.
pub(crate) struct Table {
    pub(crate) source: Source,
    delimiter: char,
    /// Number of values that each record must have.
    width: usize,
    /// Names of the columns, as the file spells them.
    pub(crate) columns: Vec<String>,
    names: Arc<[Box<str>]>,
    /// Whether the file is a rejects file.
    is_rejects: bool,
}

impl Table {
    pub(crate) fn new(first: &Line, hint: Option<Source>) -> Result<Self, FormatError> {
        let at = |reason: String| FormatError::File(format!("line {}: {reason}", first.number));
        if first.is_cut {
            return Err(at(TOO_LONG.to_owned()));
        }
        let text = str::from_utf8(trimmed(&first.bytes)).map_err(|_| at(NOT_UTF8.to_owned()))?;
        if text.contains('\r') {
            let reason = "its lines end with CR alone; save it with LF or CRLF line endings";
            return Err(at(reason.to_owned()));
        }
        let table = DELIMITERS.iter().find_map(|delimiter| Self::with(text, *delimiter, hint));
        let table = table.ok_or_else(|| {
            at(match header(text, ',') {
                Ok(columns) => mismatch_message(hint, NamesKind::Columns, &columns),
                Err(error) => error.to_string(),
            })
        })?;
        let Self { names, columns, .. } = &table;
        let mut seen = HashSet::with_capacity(names.len());
        let duplicate = names.iter().position(|name| !name.is_empty() && !seen.insert(&**name));
        if let Some(index) = duplicate {
            let column = columns[index].trim().escape_debug();
            return Err(at(format!("there are two columns '{column}'")));
        }
        Ok(table)
    }

    /// Parses a header line with this delimiter. Returns `None` if no known format has these
    /// columns.
    fn with(first: &str, delimiter: char, hint: Option<Source>) -> Option<Self> {
        let header = header(first, delimiter).ok()?;
        let rejected = rejects::columns(&header);
        let columns = rejected.unwrap_or(&header).to_vec();
        let source = Source::of_names(&columns, hint)?;
        let names = columns.iter().map(|name| plain_name(name)).collect();
        let (width, is_rejects) = (header.len(), rejected.is_some());
        Some(Self { source, delimiter, width, columns, names, is_rejects })
    }

    /// Reads the record that begins in `line`. If the record is broken, the next record begins in
    /// the next line.
    pub(crate) fn record(&self, line: Line, lines: &mut Lines) -> io::Result<Row> {
        let location = RowLocation { line: line.number, object: None };
        let (length, mut bytes) = (line.bytes.len(), line.bytes);
        let mut more: Vec<Line> = Vec::new();
        let reason = loop {
            if line.is_cut {
                break TOO_LONG.to_owned();
            }
            let Ok(text) = str::from_utf8(trimmed(&bytes)) else { break NOT_UTF8.to_owned() };
            match self.values(text, self.delimiter, self.width) {
                Ok(values) => return Ok(self.read(location, values)),
                Err(width @ SplitError::Width { .. }) => break width.to_string(),
                Err(SplitError::Quotes(CsvError::UnclosedQuote))
                    if read_quoted(lines, &mut bytes, &mut more)? => {}
                Err(SplitError::Quotes(error)) if more.is_empty() => break error.to_string(),
                // The quote that closed the field must have been the opening quote of another
                // field.
                Err(SplitError::Quotes(_)) => break CsvError::UnclosedQuote.to_string(),
            }
        };
        lines.put_back(more);
        let text = String::from_utf8_lossy(trimmed(&bytes[..length])).into_owned();
        // A broken row of a rejects file does not show its location in the original file.
        let origin = (!self.is_rejects).then_some(location);
        Ok(Row { location, origin, content: RawContent::Broken { reason, text } })
    }

    fn values(
        &self,
        text: &str,
        delimiter: char,
        width: usize,
    ) -> Result<Vec<Option<String>>, SplitError> {
        let values =
            csv::split(text, delimiter, self.source.nulls()).map_err(SplitError::Quotes)?;
        if values.len() == width {
            return Ok(values);
        }
        Err(SplitError::Width { found: values.len(), wanted: width })
    }

    fn read(&self, location: RowLocation, values: Vec<Option<String>>) -> Row {
        if !self.is_rejects {
            let content = self.content(values);
            return Row { location, origin: Some(location), content };
        }
        let rejects::RejectedRow { origin, values, text } = rejects::row(values);
        let content = match text.filter(|_| values.iter().all(Option::is_none)) {
            None => self.content(values),
            Some(text) => self.corrected(text),
        };
        Row { location, origin, content }
    }

    fn content(&self, values: Vec<Option<String>>) -> RawContent {
        let record = Record::from_columns(Arc::clone(&self.names), values);
        RawContent::Record { record, text: None }
    }

    /// Splits a corrected record of a rejects file. The record may have the delimiter of the
    /// original file.
    fn corrected(&self, text: String) -> RawContent {
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return RawContent::Broken { reason: WAS_NOT_UTF8.to_owned(), text };
        }
        let split = |delimiter| self.values(&text, delimiter, self.names.len());
        let mut faults = Vec::new();
        for delimiter in DELIMITERS {
            match split(delimiter) {
                Ok(values) => return self.content(values),
                Err(fault) => faults.push(fault),
            }
        }
        // A result with several fields suggests that the delimiter is right. A single field does
        // not.
        let likelihood = |fault: &SplitError| match fault {
            SplitError::Width { found, .. } if *found > 1 => (2, *found),
            SplitError::Quotes(_) => (1, 0),
            SplitError::Width { .. } => (0, 0),
        };
        let likely = faults.iter().max_by_key(|fault| likelihood(fault));
        RawContent::Broken { reason: likely.map_or_else(String::new, ToString::to_string), text }
    }
}

/// Reason why a text is not a record of the table.
#[derive(Debug, thiserror::Error)]
enum SplitError {
    #[error(transparent)]
    Quotes(CsvError),
    #[error("there are {found} fields, but {wanted} columns")]
    Width { found: usize, wanted: usize },
}

/// Splits the header line.
fn header(line: &str, delimiter: char) -> Result<Vec<String>, CsvError> {
    let columns = csv::split(line, delimiter, &[])?;
    Ok(columns.into_iter().map(Option::unwrap_or_default).collect())
}

/// Reads further lines, up to and including the next one that contains a quote. Returns false if
/// the file ends first or the field becomes too long.
fn read_quoted(lines: &mut Lines, bytes: &mut Vec<u8>, more: &mut Vec<Line>) -> io::Result<bool> {
    while more.len() < MAX_FIELD_LINES && bytes.len() < MAX_FIELD_BYTES {
        let Some(line) = lines.next()? else { return Ok(false) };
        let has_quote = line.bytes.contains(&b'"');
        bytes.extend_from_slice(&line.bytes);
        more.push(line);
        if has_quote {
            return Ok(true);
        }
    }
    Ok(false)
}
