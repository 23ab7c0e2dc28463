//! A file's records: CSV with a line of names, or JSON with an object a line.

use std::io::{self, BufRead};

use super::lines::{Line, Lines};
use super::objects::{ON_ONE_LINE, Objects, objects};
use super::record::Record;
use super::table::Table;
use super::{FileKind, Format, ImportError, Place, Syntax, Told};

/// How far to look for an object of a format that is known: the first ones may be broken.
const AHEAD_LINES: usize = 100;
const AHEAD_BYTES: usize = 1 << 20;

/// Records one after the other.
pub(super) struct Records {
    lines: Lines,
    source: Parser,
}

enum Parser {
    Csv(Table),
    Json {
        format: Format,
        /// What is left of a line with many objects.
        rest: Objects,
    },
}

/// What stands at one place of a file.
pub(super) struct RawRecord {
    pub(super) place: Place,
    /// Where it was in the file that was imported first, where that is known.
    pub(super) origin: Option<Place>,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// A link's fields; of JSON also how it stands there.
    Record { record: Record, text: Option<String> },
    /// What is no record, as it stands there, and why.
    Broken { reason: String, text: String },
}

/// Why a file that begins so cannot be read as lines of UTF-8, and what to do about it.
fn foreign(beginning: &[u8]) -> Option<&'static str> {
    match beginning {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("it is UTF-16, and must be UTF-8"),
        // RFC 1952, section 2.3.1.
        [0x1F, 0x8B, ..] => Some("it is compressed by gzip; import what `gunzip` makes of it"),
        _ => None,
    }
}

impl Records {
    /// Reads the beginning of a file, and finds out what it is unless that is told.
    pub(super) fn of(input: Box<dyn BufRead + Send>, told: Told) -> Result<Self, ImportError> {
        let mut lines = Lines::of(input);
        let first = loop {
            match lines.next()? {
                Some(line) if line.is_blank() => {}
                Some(line) => break line,
                None => return Err(ImportError::File("it is empty".to_owned())),
            }
        };
        if let Some(foreign) = foreign(&first.bytes) {
            return Err(ImportError::File(foreign.to_owned()));
        }
        let is_json = matches!(first.bytes.trim_ascii_start(), [b'{' | b'[', ..]);
        let mismatch = |what| {
            let number = first.number;
            Err(ImportError::File(format!(
                "line {number}: it is {what}, which does not match the given format"
            )))
        };
        match (told.syntax, is_json) {
            (Some(Syntax::Csv), true) => mismatch("JSON"),
            (Some(Syntax::Json), false) => mismatch("not JSON"),
            (_, true) => Self::of_json(lines, first, told.format),
            (_, false) => {
                let source = Parser::Csv(Table::of(&first, told.format)?);
                Ok(Self { lines, source })
            }
        }
    }

    fn of_json(mut lines: Lines, first: Line, told: Option<Format>) -> Result<Self, ImportError> {
        let number = first.number;
        let (mut format, mut ahead, mut bytes) = (None, Vec::new(), 0);
        let (mut is_first, mut first_fault) = (true, None);
        let mut next = Some(first);
        while let Some(line) = next {
            for RawRecord { content, .. } in objects(&line) {
                match content {
                    Content::Record { record, .. } => format = format.or(format_of(&record, told)),
                    Content::Broken { reason, .. } if is_first => first_fault = Some(reason),
                    Content::Broken { .. } => {}
                }
                is_first = false;
                if format.is_some() {
                    break;
                }
            }
            bytes += line.bytes.len();
            ahead.push(line);
            let is_enough = ahead.len() >= AHEAD_LINES || bytes >= AHEAD_BYTES;
            next = if format.is_some() || is_enough { None } else { lines.next()? };
        }
        // A file without a single object is of whatever format was told.
        let format = format.or(told.filter(|_| is_first)).ok_or_else(|| {
            let reason = match (first_fault, told) {
                (Some(reason), _) => {
                    let reason = reason.trim_end_matches(ON_ONE_LINE);
                    format!("{reason}; each line must be one JSON object, as jq -c prints them")
                }
                (None, Some(told)) => told.missing("fields"),
                (None, None) => Format::UNKNOWN_FIELDS.to_owned(),
            };
            ImportError::File(format!("line {number}: {reason}"))
        })?;
        lines.put_back(ahead);
        Ok(Self { lines, source: Parser::Json { format, rest: Box::new(std::iter::empty()) } })
    }

    /// How many bytes of the file have been read.
    pub(super) fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    pub(super) fn kind(&self) -> FileKind<'_> {
        match &self.source {
            Parser::Csv(table) => FileKind { format: table.format, columns: Some(&table.columns) },
            Parser::Json { format, .. } => FileKind { format: *format, columns: None },
        }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<RawRecord>> {
        loop {
            if let Parser::Json { rest, .. } = &mut self.source
                && let Some(read) = rest.next()
            {
                return Ok(Some(read));
            }
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if line.is_blank() {
                continue;
            }
            match &mut self.source {
                Parser::Csv(table) => return table.record(line, &mut self.lines).map(Some),
                // Of an empty list nothing comes.
                Parser::Json { rest, .. } => *rest = objects(&line),
            }
        }
    }
}

/// The told format if the fields fit it; unless one was told, whichever is recognised.
fn format_of(record: &Record, told: Option<Format>) -> Option<Format> {
    let names: Vec<String> = record.names.iter().map(|name| name.to_string()).collect();
    match told {
        Some(told) => told.fits(&names).then_some(told),
        None => Format::recognise(&names),
    }
}
