//! Reads the rows of a file: CSV with a header line, or JSON with objects on each line.

use std::io::{self, BufRead};

use crate::column::Encoding;
use crate::error::FormatError;
use crate::lines::{Line, Lines};
use crate::objects::{ONE_LINE_HINT, Objects, objects};
use crate::record::Record;
use crate::row::{RawContent, Row};
use crate::source::{FileKind, FormatHint, NamesKind, Source, mismatch_message};
use crate::table::Table;

/// Maximum number of lines in which the import looks for an object that shows the service. The
/// first lines may be broken.
const MAX_AHEAD_LINES: usize = 100;
/// Maximum number of bytes in which the import looks for an object that shows the service.
const MAX_AHEAD_BYTES: usize = 1 << 20;

/// LinkReader of the rows of a file.
pub struct LinkReader {
    lines: Lines,
    parser: Parser,
}

enum Parser {
    Csv(Table),
    Json {
        source: Source,
        /// LinkReader of the current line that were not returned yet.
        rest: Objects,
    },
}

/// Returns why a file with this beginning is not UTF-8 text, and what the user can do. Returns
/// `None` if the file may be UTF-8 text.
fn reason_not_utf8(beginning: &[u8]) -> Option<&'static str> {
    match beginning {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("it is UTF-16, and must be UTF-8"),
        // RFC 1952, section 2.3.1.
        [0x1F, 0x8B, ..] => Some("it is compressed by gzip; import what `gunzip` makes of it"),
        _ => None,
    }
}

impl LinkReader {
    /// Reads the beginning of a file, and detects what `hint` does not specify.
    ///
    /// # Errors
    /// [`FormatError`]
    pub fn new(input: Box<dyn BufRead + Send>, hint: FormatHint) -> Result<Self, FormatError> {
        let mut lines = Lines::new(input);
        let first = loop {
            match lines.next()? {
                Some(line) if line.is_blank() => {}
                Some(line) => break line,
                None => return Err(FormatError::File("it is empty".to_owned())),
            }
        };
        if let Some(reason) = reason_not_utf8(&first.bytes) {
            return Err(FormatError::File(reason.to_owned()));
        }
        let is_json = matches!(first.bytes.trim_ascii_start(), [b'{' | b'[', ..]);
        let wrong_encoding = |what| {
            let number = first.number;
            Err(FormatError::File(format!(
                "line {number}: it is {what}, which does not match the given format"
            )))
        };
        match (hint.encoding, is_json) {
            (Some(Encoding::Csv), true) => wrong_encoding("JSON"),
            (Some(Encoding::Json), false) => wrong_encoding("not JSON"),
            (_, true) => Self::from_json(lines, first, hint.source),
            (_, false) => {
                let parser = Parser::Csv(Table::new(&first, hint.source)?);
                Ok(Self { lines, parser })
            }
        }
    }

    fn from_json(mut lines: Lines, first: Line, hint: Option<Source>) -> Result<Self, FormatError> {
        let number = first.number;
        let (mut source, mut ahead, mut bytes) = (None, Vec::new(), 0);
        let (mut is_first, mut first_fault, mut fields) = (true, None, Vec::new());
        let mut next = Some(first);
        while let Some(line) = next {
            for Row { content, .. } in objects(&line) {
                match content {
                    RawContent::Record { record, .. } => {
                        source = source.or_else(|| Source::of_names(&names(&record), hint));
                        if fields.is_empty() {
                            fields = names(&record);
                        }
                    }
                    RawContent::Broken { reason, .. } if is_first => first_fault = Some(reason),
                    RawContent::Broken { .. } => {}
                }
                is_first = false;
                if source.is_some() {
                    break;
                }
            }
            bytes += line.bytes.len();
            ahead.push(line);
            let is_enough = ahead.len() >= MAX_AHEAD_LINES || bytes >= MAX_AHEAD_BYTES;
            next = if source.is_some() || is_enough { None } else { lines.next()? };
        }
        // A file without any object cannot contradict the hint.
        let source = source.or(hint.filter(|_| is_first)).ok_or_else(|| {
            let reason = match first_fault {
                Some(reason) => {
                    let reason = reason.trim_end_matches(ONE_LINE_HINT);
                    format!("{reason}; each line must be one JSON object, as jq -c prints them")
                }
                None => mismatch_message(hint, NamesKind::Fields, &fields),
            };
            FormatError::File(format!("line {number}: {reason}"))
        })?;
        lines.put_back(ahead);
        Ok(Self { lines, parser: Parser::Json { source, rest: Box::new(std::iter::empty()) } })
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }

    /// Returns the kind of the file.
    #[must_use]
    pub fn kind(&self) -> FileKind<'_> {
        match &self.parser {
            Parser::Csv(table) => FileKind { source: table.source, columns: Some(&table.columns) },
            Parser::Json { source, .. } => FileKind { source: *source, columns: None },
        }
    }

    /// Returns the next row, or `None` at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "it may fail")]
    pub fn next(&mut self) -> io::Result<Option<Row>> {
        loop {
            if let Parser::Json { rest, .. } = &mut self.parser
                && let Some(read) = rest.next()
            {
                return Ok(Some(read));
            }
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if line.is_blank() {
                continue;
            }
            match &mut self.parser {
                Parser::Csv(table) => return table.record(line, &mut self.lines).map(Some),
                Parser::Json { rest, .. } => *rest = objects(&line),
            }
        }
    }
}

fn names(record: &Record) -> Vec<String> {
    record.names.iter().map(|name| name.to_string()).collect()
}
