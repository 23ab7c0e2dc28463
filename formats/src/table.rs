//! Reads the records of a CSV file.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use crate::csv::{CsvError, Dialect, unescape};
use crate::detect::{NamesKind, ReadOptions, mismatch_message};
use crate::record::{
    FieldName, Layout, NOT_UTF8, OTHER_ENCODING, RawContent, Record, Row, RowLocation, TOO_LONG,
    WAS_NOT_UTF8,
};
use crate::rejects;
use crate::role::Role;
use crate::services::Source;
use crate::text::{FormatError, Line, Lines, trimmed};

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
    /// Whether quotes enclose fields. Programs that separate by tabs do not quote.
    has_quotes: bool,
    /// Whether a row before had quotes with backslashes, as MySQL writes them.
    has_backslashes: bool,
    /// Number of values that each record must have.
    width: usize,
    /// Names of the columns, as the file spells them.
    pub(crate) columns: Vec<String>,
    pub(crate) layout: Arc<Layout>,
    /// Whether each value of the file is a text, as codes and destinations are.
    is_text: Vec<bool>,
    /// Whether the file is a rejects file.
    is_rejects: bool,
}

impl Table {
    /// Reads the header line, and the line `sep=;` before it if there is one.
    pub(crate) fn new(
        mut first: Line,
        lines: &mut Lines,
        options: &ReadOptions,
    ) -> Result<Self, FormatError> {
        let separator = |line: &Line| match trimmed(&line.bytes) {
            [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] => {
                Some(char::from(*delimiter))
            }
            _ => None,
        };
        let given = separator(&first);
        if given.is_some() {
            let missing = || FormatError::File("there is no header line".to_owned());
            first = lines.next()?.ok_or_else(missing)?;
        }
        let at = |reason: String| FormatError::File(format!("line {}: {reason}", first.number));
        if first.is_cut {
            return Err(at(TOO_LONG.to_owned()));
        }
        let text = str::from_utf8(trimmed(&first.bytes));
        let text = text.map_err(|_| at(OTHER_ENCODING.to_owned()))?;
        if let Some(reason) = other_language(text) {
            return Err(at(reason.to_owned()));
        }
        if text.contains('\r') {
            let reason = "its lines end with CR alone; save it with LF or CRLF line endings";
            return Err(at(reason.to_owned()));
        }
        let delimiters = given.map_or_else(|| DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
        let table = delimiters.iter().find_map(|delimiter| Self::with(text, *delimiter, options));
        let table = table.ok_or_else(|| {
            let likely =
                delimiters.iter().max_by_key(|delimiter| text.matches(**delimiter).count());
            at(match header(text, likely.copied().unwrap_or(',')) {
                Ok(columns) => mismatch_message(options.hint.source, NamesKind::Columns, &columns),
                Err(error) => error.to_string(),
            })
        })?;
        let mut seen = HashSet::new();
        for name in table.columns.iter().map(|name| FieldName::new(name)) {
            if !name.plain.is_empty() && !seen.insert(name.plain) {
                let column = name.name.escape_debug();
                return Err(at(format!("there are two columns '{column}'")));
            }
        }
        for name in options.code_column.iter().chain(&options.ignored_columns) {
            if !seen.contains(&FieldName::new(name).plain) {
                return Err(at(format!("there is no column '{}'", name.escape_debug())));
            }
        }
        Ok(table)
    }

    /// Parses a header line with this delimiter. Returns `None` if no known format has these
    /// columns.
    fn with(first: &str, delimiter: char, options: &ReadOptions) -> Option<Self> {
        let header = header(first, delimiter).ok()?;
        let rejected = rejects::columns(&header);
        let columns = rejected.unwrap_or(&header).to_vec();
        let has_code = options.code_column.is_some();
        let source = Source::of_names(&columns, options.hint.source, has_code)?;
        let names = columns.iter().map(|name| FieldName::new(name)).collect();
        let mut layout = Layout::new(names, source, options);
        if source == Source::Shlink {
            layout.set_encoded_codes();
        }
        let is_text = layout
            .fields
            .iter()
            .map(|field| matches!(field.role, Role::Code | Role::ShortUrl | Role::Destination));
        let is_rejects = rejected.is_some();
        Some(Self {
            source,
            delimiter,
            // A rejects file is written with commas.
            has_quotes: delimiter != '\t' || first.trim_start().starts_with('"'),
            has_backslashes: false,
            width: header.len(),
            is_text: if is_rejects { Vec::new() } else { is_text.collect() },
            layout: Arc::new(layout),
            columns,
            is_rejects,
        })
    }

    /// Reads the record that begins in `line`, or returns `None` if the line has nothing but
    /// delimiters. If the record is broken, the next record begins in the next line.
    pub(crate) fn record(&mut self, line: Line, lines: &mut Lines) -> io::Result<Option<Row>> {
        let location = RowLocation { line: line.number, object: None };
        let (length, mut bytes) = (line.bytes.len(), line.bytes);
        let mut more: Vec<Line> = Vec::new();
        let reason = loop {
            if line.is_cut {
                break TOO_LONG.to_owned();
            }
            let Ok(text) = str::from_utf8(trimmed(&bytes)) else { break NOT_UTF8.to_owned() };
            if lines.input().is_decoded() && text.contains(char::REPLACEMENT_CHARACTER) {
                break WAS_NOT_UTF8.to_owned();
            }
            match self.values(text, self.delimiter, self.width) {
                Ok(values) if !self.is_rejects && values.iter().all(Option::is_none) => {
                    return Ok(None);
                }
                Ok(values) => return Ok(Some(self.read(location, values))),
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
        Ok(Some(Row { location, origin, content: RawContent::Broken { reason, text } }))
    }

    fn values(
        &mut self,
        text: &str,
        delimiter: char,
        width: usize,
    ) -> Result<Vec<Option<String>>, SplitError> {
        let Self { source, has_quotes, has_backslashes, .. } = *self;
        let nulls = source.nulls();
        let is_text = &self.is_text;
        let dialect = Dialect { delimiter, has_quotes, has_backslashes, nulls, is_text };
        let split = |dialect: Dialect<'_>| {
            let values = dialect.split(text).map_err(SplitError::Quotes)?;
            let found = values.len();
            if found == width {
                Ok(values)
            } else {
                Err(SplitError::Width { found, wanted: width })
            }
        };
        let values = match split(dialect) {
            Err(_) if !has_backslashes && text.contains("\\\"") => {
                let values = split(Dialect { has_backslashes: true, ..dialect });
                self.has_backslashes |= values.is_ok();
                values.or_else(|_| split(dialect))
            }
            values => values,
        }?;
        // MySQL writes NULL, and Kutt's other databases do not.
        let is_mysql = source.may_be_of_mysql()
            && (source != Source::Kutt || text.split('\t').any(|field| field == "NULL"));
        if has_quotes || !is_mysql || !text.contains('\\') {
            return Ok(values);
        }
        Ok(values.into_iter().map(|value| value.map(|value| unescape(&value))).collect())
    }

    fn read(&mut self, location: RowLocation, values: Vec<Option<String>>) -> Row {
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
        let record = Record::from_columns(Arc::clone(&self.layout), values);
        RawContent::Record { record, text: None }
    }

    /// Splits a corrected record of a rejects file. The record may have the delimiter of the
    /// original file.
    fn corrected(&mut self, text: String) -> RawContent {
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return RawContent::Broken { reason: WAS_NOT_UTF8.to_owned(), text };
        }
        let width = self.columns.len();
        let mut faults = Vec::new();
        for delimiter in DELIMITERS {
            match self.values(&text, delimiter, width) {
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
    #[error(
        "there {} {found} {}, but {wanted} {}",
        if *found == 1 { "is" } else { "are" },
        if *found == 1 { "field" } else { "fields" },
        if *wanted == 1 { "column" } else { "columns" }
    )]
    Width { found: usize, wanted: usize },
}

/// Splits the header line.
fn header(line: &str, delimiter: char) -> Result<Vec<String>, CsvError> {
    let columns = Dialect { delimiter, ..Dialect::COMMA }.split(line)?;
    Ok(columns.into_iter().map(Option::unwrap_or_default).collect())
}

/// Returns what a file that begins with this line is, and what to do, if it is no table.
fn other_language(line: &str) -> Option<&'static str> {
    let line = line.trim_start().to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    if begins(&["<!doctype html", "<html", "<head", "<table"]) {
        Some("it is HTML; export CSV or JSON instead")
    } else if begins(&["<"]) {
        Some("it is XML; export CSV or JSON instead")
    } else if begins(&["sqlite format 3"]) {
        Some("it is an SQLite database; export the table of links with `sqlite3 -header -csv`")
    } else if begins(&[
        "-- ",
        "--\t",
        "/*",
        "create ",
        "insert ",
        "pragma ",
        "begin transaction",
        "set ",
        "drop ",
        "use `",
        "copy ",
    ]) || line == "--"
    {
        Some("it is SQL; export the table of links as CSV with a header line instead")
    } else {
        None
    }
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
