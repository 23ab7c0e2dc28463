//! A file's records: CSV with a line of names, or JSON with an object a line.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::Arc;

use serde_json::Value;

use super::ImportError;
use super::format::Format;
use super::lines::{Line, Lines, trimmed};
use super::record::{Record, plain_name};
use crate::domain::csv::{self, Broken};

/// How far a field with an end of line in it may go on: past that, its quote is a mistake.
const FIELD_LINES: usize = 100;
const FIELD_BYTES: usize = 64 << 10;

/// Records one after the other.
pub(super) struct Records {
    lines: Lines,
    syntax: Syntax,
    pub(super) format: Format,
}

enum Syntax {
    Csv {
        delimiter: char,
        header: Vec<String>,
        names: Arc<[Box<str>]>,
    },
    /// What is left of a line with many objects.
    Json {
        rest: VecDeque<Read>,
    },
}

/// What stands at one place of a file.
pub(super) struct Read {
    /// Where it begins.
    pub(super) line: u64,
    /// As it stands there; of CSV only where it is no record.
    pub(super) text: Option<String>,
    pub(super) record: Result<Record, String>,
}

impl Records {
    /// Reads the beginning of a file, and finds out what it is unless that is told.
    pub(super) fn of(
        input: Box<dyn BufRead + Send>,
        told: Option<Format>,
    ) -> Result<Self, ImportError> {
        let mut lines = Lines::of(input);
        let first = loop {
            match lines.next()? {
                Some(line) if line.is_blank() => {}
                Some(line) => break line,
                None => return Err(ImportError::File("it is empty".to_owned())),
            }
        };
        if first.bytes.starts_with(b"\xFF\xFE") || first.bytes.starts_with(b"\xFE\xFF") {
            return Err(ImportError::File("it is UTF-16; UTF-8 is what is read".to_owned()));
        }
        if first.bytes.trim_ascii_start().starts_with(b"{")
            || first.bytes.trim_ascii_start().starts_with(b"[")
        {
            Self::of_json(lines, first, told)
        } else {
            Self::of_csv(lines, &first, told)
        }
    }

    fn of_csv(lines: Lines, first: &Line, told: Option<Format>) -> Result<Self, ImportError> {
        let at = |reason: String| ImportError::File(format!("line {}: {reason}", first.number));
        let text = str::from_utf8(trimmed(&first.bytes)).map_err(|_| at(NO_UTF8.to_owned()))?;
        let fits = |delimiter: &char| {
            let header = csv::split(text, *delimiter).ok()?;
            let header: Vec<String> = header.into_iter().map(Option::unwrap_or_default).collect();
            let format = match told {
                Some(told) => told.fits(&header).then_some(told),
                None => Format::recognise(&header),
            };
            format.map(|format| (*delimiter, header, format))
        };
        let Some((delimiter, header, format)) = [',', ';', '\t'].iter().find_map(fits) else {
            return Err(at(csv::split(text, ',').map_or_else(
                |broken| broken.to_string(),
                |_| told.map_or(Format::UNKNOWN.to_owned(), Format::missing),
            )));
        };
        let names: Arc<[Box<str>]> = header.iter().map(|name| plain_name(name)).collect();
        let twice = names
            .iter()
            .enumerate()
            .find(|(place, name)| !name.is_empty() && names[..*place].contains(name));
        if let Some((place, _)) = twice {
            return Err(at(format!("there are two columns '{}'", header[place].trim())));
        }
        Ok(Self { lines, syntax: Syntax::Csv { delimiter, header, names }, format })
    }

    fn of_json(mut lines: Lines, first: Line, told: Option<Format>) -> Result<Self, ImportError> {
        let number = first.number;
        let names: Vec<String> = match objects(&first).as_slice() {
            [Read { record: Ok(record), .. }, ..] => {
                record.names.iter().map(|name| name.to_string()).collect()
            }
            [Read { record: Err(reason), .. }, ..] if told.is_none() => {
                let hint = "each line is to be one JSON object, as jq -c prints them";
                return Err(ImportError::File(format!("line {number}: {reason}; {hint}")));
            }
            _ => Vec::new(),
        };
        let unknown = || ImportError::File(format!("line {number}: {}", Format::UNKNOWN));
        let format = told.or_else(|| Format::recognise(&names)).ok_or_else(unknown)?;
        lines.put_back(vec![first]);
        Ok(Self { lines, syntax: Syntax::Json { rest: VecDeque::new() }, format })
    }

    /// How many bytes of the file have been read.
    pub(super) fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    /// The names of CSV's columns as they stand in the file.
    pub(super) fn header(&self) -> Option<&[String]> {
        match &self.syntax {
            Syntax::Csv { header, .. } => Some(header),
            Syntax::Json { .. } => None,
        }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Read>> {
        if let Syntax::Json { rest } = &mut self.syntax
            && let Some(read) = rest.pop_front()
        {
            return Ok(Some(read));
        }
        let line = loop {
            match self.lines.next()? {
                Some(line) if line.is_blank() => {}
                Some(line) => break line,
                None => return Ok(None),
            }
        };
        match &mut self.syntax {
            Syntax::Csv { delimiter, names, .. } => {
                let (delimiter, names) = (*delimiter, Arc::clone(names));
                self.record(line, delimiter, names).map(Some)
            }
            Syntax::Json { rest } => {
                rest.extend(objects(&line));
                // Of an empty list nothing is left.
                rest.pop_front().map_or_else(|| self.next(), |read| Ok(Some(read)))
            }
        }
    }

    /// A record begins in that line. If it is none, the one after it begins in the next line.
    fn record(&mut self, line: Line, delimiter: char, names: Arc<[Box<str>]>) -> io::Result<Read> {
        let (number, length) = (line.number, line.bytes.len());
        let mut bytes = line.bytes;
        let mut more: Vec<Line> = Vec::new();
        let reason = loop {
            if line.is_cut {
                break TOO_LONG.to_owned();
            }
            let Ok(text) = str::from_utf8(trimmed(&bytes)) else { break NO_UTF8.to_owned() };
            match csv::split(text, delimiter) {
                Ok(values) if values.len() == names.len() => {
                    let record = Ok(Record { names, values });
                    return Ok(Read { line: number, text: None, record });
                }
                Ok(values) => {
                    let (found, wanted) = (values.len(), names.len());
                    break format!("there are {found} fields, and {wanted} columns");
                }
                Err(Broken::Open) if self.read_quoted(&mut bytes, &mut more)? => {}
                Err(broken) if more.is_empty() => break broken.to_string(),
                // It is the quote of another field that the first one has met.
                Err(_) => break Broken::Open.to_string(),
            }
        };
        self.lines.put_back(more);
        let text = String::from_utf8_lossy(trimmed(&bytes[..length])).into_owned();
        Ok(Read { line: number, text: Some(text), record: Err(reason) })
    }

    /// Reads on to the next line with a quote; false where the record is too long for that.
    fn read_quoted(&mut self, bytes: &mut Vec<u8>, more: &mut Vec<Line>) -> io::Result<bool> {
        while more.len() < FIELD_LINES && bytes.len() < FIELD_BYTES {
            let Some(line) = self.lines.next()? else { return Ok(false) };
            let has_quote = line.bytes.contains(&b'"');
            bytes.extend_from_slice(&line.bytes);
            more.push(line);
            if has_quote {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

const NO_UTF8: &str = "it is not UTF-8";
const TOO_LONG: &str = "it is longer than 16 MiB";

/// The objects of a line: one link, or those of one page of an API's answers.
fn objects(line: &Line) -> Vec<Read> {
    let text = String::from_utf8_lossy(trimmed(&line.bytes));
    let read = |text: &str, record| {
        let text = Some(text.to_owned());
        Read { line: line.number, text, record }
    };
    if line.is_cut {
        return vec![read(&text, Err(TOO_LONG.to_owned()))];
    }
    if str::from_utf8(&line.bytes).is_err() {
        return vec![read(&text, Err(NO_UTF8.to_owned()))];
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => match page(&object) {
            Some(values) => {
                values.into_iter().map(|value| read(&value.to_string(), of(value))).collect()
            }
            None => vec![read(&text, Ok(Record::of_json(&object)))],
        },
        Ok(Value::Array(values)) => {
            values.iter().map(|value| read(&value.to_string(), of(value))).collect()
        }
        Ok(_) => vec![read(&text, Err(NO_OBJECT.to_owned()))],
        Err(error) => vec![read(&text, Err(broken_json(&error)))],
    }
}

const NO_OBJECT: &str = "it is not a JSON object";

fn of(value: &Value) -> Result<Record, String> {
    value.as_object().map(Record::of_json).ok_or_else(|| NO_OBJECT.to_owned())
}

/// The links of one page, if it is one: Shlink's `shortUrls.data`, Kutt's `data`, Bitly's `links`,
/// YOURLS's `links`.
fn page(object: &serde_json::Map<String, Value>) -> Option<Vec<&Value>> {
    let shlink = object.get("shortUrls").and_then(|page| page.get("data"));
    match shlink.or_else(|| object.get("data")).or_else(|| object.get("links"))? {
        Value::Array(links) => Some(links.iter().collect()),
        Value::Object(links) => Some(links.values().collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// serde_json counts lines from the beginning of the text, which is always the first here.
fn broken_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("it is not JSON: {what} at column {}", error.column())
}
