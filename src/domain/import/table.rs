//! Records of CSV.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use super::lines::{Line, Lines, NO_UTF8, TOO_LONG, WAS_NO_UTF8, trimmed};
use super::record::{Record, plain_name};
use super::records::{Content, RawRecord};
use super::{Format, ImportError, Place, rejects};
use crate::domain::csv::{self, Broken};

/// What stands between fields.
const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// How far a field with an end of line in it may go on: past that, its quote is a mistake.
const FIELD_LINES: usize = 100;
const FIELD_BYTES: usize = 64 << 10;

/// What the first line says of all others.
pub(super) struct Table {
    pub(super) format: Format,
    delimiter: char,
    /// How many values each record has.
    width: usize,
    /// The names of the columns as they stand there, and as they are compared.
    pub(super) columns: Vec<String>,
    names: Arc<[Box<str>]>,
    /// It is what was refused of another file.
    is_rejects: bool,
}

impl Table {
    pub(super) fn of(first: &Line, told: Option<Format>) -> Result<Self, ImportError> {
        let at = |reason: String| ImportError::File(format!("line {}: {reason}", first.number));
        if first.is_cut {
            return Err(at(TOO_LONG.to_owned()));
        }
        let text = str::from_utf8(trimmed(&first.bytes)).map_err(|_| at(NO_UTF8.to_owned()))?;
        if text.contains('\r') {
            let reason = "its lines end with CR alone; save it with LF or CRLF line endings";
            return Err(at(reason.to_owned()));
        }
        let Some(table) =
            DELIMITERS.iter().find_map(|delimiter| Self::with(text, *delimiter, told))
        else {
            return Err(at(csv::split(text, ',', &[]).map_or_else(
                |broken| broken.to_string(),
                |_| told.map_or(Format::UNKNOWN.to_owned(), |told| told.missing("columns")),
            )));
        };
        let Self { names, columns, .. } = &table;
        let mut seen = HashSet::with_capacity(names.len());
        let twice = names.iter().position(|name| !name.is_empty() && !seen.insert(&**name));
        if let Some(place) = twice {
            let column = columns[place].trim().escape_debug();
            return Err(at(format!("there are two columns '{column}'")));
        }
        Ok(table)
    }

    /// What the line says if that stands between fields.
    fn with(first: &str, delimiter: char, told: Option<Format>) -> Option<Self> {
        let header = csv::split(first, delimiter, &[]).ok()?;
        let header: Vec<String> = header.into_iter().map(Option::unwrap_or_default).collect();
        let refused = rejects::columns(&header);
        let columns = refused.unwrap_or(&header).to_vec();
        let format = match told {
            Some(told) => told.fits(&columns).then_some(told),
            None => Format::recognise(&columns),
        }?;
        let names = columns.iter().map(|name| plain_name(name)).collect();
        let (width, is_rejects) = (header.len(), refused.is_some());
        Some(Self { format, delimiter, width, columns, names, is_rejects })
    }

    /// A record begins in that line. If it is none, the one after it begins in the next line.
    pub(super) fn record(&self, line: Line, lines: &mut Lines) -> io::Result<RawRecord> {
        let place = Place { line: line.number, object: None };
        let (length, mut bytes) = (line.bytes.len(), line.bytes);
        let mut more: Vec<Line> = Vec::new();
        let reason = loop {
            if line.is_cut {
                break TOO_LONG.to_owned();
            }
            let Ok(text) = str::from_utf8(trimmed(&bytes)) else { break NO_UTF8.to_owned() };
            match self.values(text, self.delimiter, self.width) {
                Ok(values) => return Ok(self.read(place, values)),
                Err(width @ NoRecord::Width { .. }) => break width.to_string(),
                Err(NoRecord::Quotes(Broken::Open))
                    if read_quoted(lines, &mut bytes, &mut more)? => {}
                Err(NoRecord::Quotes(broken)) if more.is_empty() => break broken.to_string(),
                // It is the quote of another field that the first one has met.
                Err(NoRecord::Quotes(_)) => break Broken::Open.to_string(),
            }
        };
        lines.put_back(more);
        let text = String::from_utf8_lossy(trimmed(&bytes[..length])).into_owned();
        // Of what was refused once it is not known where it was.
        let origin = (!self.is_rejects).then_some(place);
        Ok(RawRecord { place, origin, content: Content::Broken { reason, text } })
    }

    fn values(
        &self,
        text: &str,
        delimiter: char,
        width: usize,
    ) -> Result<Vec<Option<String>>, NoRecord> {
        let values = csv::split(text, delimiter, self.format.nulls()).map_err(NoRecord::Quotes)?;
        if values.len() == width {
            return Ok(values);
        }
        Err(NoRecord::Width { found: values.len(), wanted: width })
    }

    fn read(&self, place: Place, values: Vec<Option<String>>) -> RawRecord {
        if !self.is_rejects {
            let content = self.content(values);
            return RawRecord { place, origin: Some(place), content };
        }
        let rejects::RejectedRow { origin, values, text } = rejects::row(values);
        let content = match text.filter(|_| values.iter().all(Option::is_none)) {
            None => self.content(values),
            Some(text) => self.mended(text),
        };
        RawRecord { place, origin, content }
    }

    fn content(&self, values: Vec<Option<String>>) -> Content {
        let record = Record::of_columns(Arc::clone(&self.names), values);
        Content::Record { record, text: None }
    }

    /// What could not be split when it was refused, and had another delimiter then.
    fn mended(&self, text: String) -> Content {
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return Content::Broken { reason: WAS_NO_UTF8.to_owned(), text };
        }
        let split = |delimiter| self.values(&text, delimiter, self.names.len());
        let mut faults = Vec::new();
        for delimiter in DELIMITERS {
            match split(delimiter) {
                Ok(values) => return self.content(values),
                Err(fault) => faults.push(fault),
            }
        }
        // Several fields speak for a delimiter, and a single one against it.
        let likelihood = |fault: &NoRecord| match fault {
            NoRecord::Width { found, .. } if *found > 1 => (2, *found),
            NoRecord::Quotes(_) => (1, 0),
            NoRecord::Width { .. } => (0, 0),
        };
        let likely = faults.iter().max_by_key(|fault| likelihood(fault));
        Content::Broken { reason: likely.map_or_else(String::new, ToString::to_string), text }
    }
}

/// Why a text is no record of the table.
#[derive(Debug, thiserror::Error)]
enum NoRecord {
    #[error(transparent)]
    Quotes(Broken),
    #[error("there are {found} fields, but {wanted} columns")]
    Width { found: usize, wanted: usize },
}

/// Reads on to the next line with a quote; false where the record is too long for that.
fn read_quoted(lines: &mut Lines, bytes: &mut Vec<u8>, more: &mut Vec<Line>) -> io::Result<bool> {
    while more.len() < FIELD_LINES && bytes.len() < FIELD_BYTES {
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
