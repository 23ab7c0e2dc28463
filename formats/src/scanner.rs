//! Finds the JSON values in a file without building them.

use std::io::{self, BufRead as _};

use crate::steps;
use crate::text::DecodedText;

/// Maximum length of a record in bytes.
pub(crate) const MAX_RECORD: usize = 16 << 20;
/// Maximum depth of lists and objects around records.
pub(crate) const MAX_DEPTH: usize = 16;

/// Reader of the texts of JSON values.
pub(crate) struct Scanner {
    input: DecodedText,
    /// Bytes to read before the rest of the input, from `at`.
    ahead: Vec<u8>,
    at: usize,
    /// Number of the current line, from 1.
    line: u64,
}

/// The text of a value.
pub(crate) enum Taken {
    Value(Vec<u8>),
    /// A line ends within the value, which [`Scanner::take`] does not allow.
    Broken(Vec<u8>),
    /// The value is longer than [`MAX_RECORD`]. It may be a page of records.
    Long(Vec<u8>, Extent),
    /// The file ends within the value.
    Cut(Vec<u8>),
}

/// How far a value is read.
#[derive(Debug, Default)]
pub(crate) struct Extent {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

enum Progress {
    /// The value ends before this index.
    End(usize),
    /// A line ends at this index, within the value.
    Break(usize),
    More,
}

impl Extent {
    fn feed(&mut self, bytes: &[u8], must_be_one_line: bool) -> Progress {
        let progress = self.advance(bytes, must_be_one_line);
        steps::count(match progress {
            Progress::End(length) | Progress::Break(length) => length,
            Progress::More => bytes.len(),
        });
        progress
    }

    fn advance(&mut self, bytes: &[u8], must_be_one_line: bool) -> Progress {
        for (index, byte) in bytes.iter().enumerate() {
            if self.is_in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => {
                        self.is_in_string = false;
                        if self.depth == 0 {
                            return Progress::End(index + 1);
                        }
                    }
                    b'\n' => return Progress::Break(index),
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.is_in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => self.depth -= 1,
                b'}' | b']' if self.depth == 1 => return Progress::End(index + 1),
                b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                    return Progress::End(index);
                }
                b'\n' if must_be_one_line => return Progress::Break(index),
                _ => {}
            }
        }
        Progress::More
    }
}

impl Scanner {
    /// Begins at a line of the input.
    pub(crate) fn new(input: DecodedText, line: u64) -> Self {
        Self { input, ahead: Vec::new(), at: 0, line }
    }

    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    pub(crate) fn input(&self) -> &DecodedText {
        &self.input
    }

    fn fill(&mut self) -> io::Result<&[u8]> {
        if self.at < self.ahead.len() { Ok(&self.ahead[self.at..]) } else { self.input.fill_buf() }
    }

    fn consume(&mut self, amount: usize) -> io::Result<()> {
        let newlines = self.fill()?[..amount].iter().filter(|byte| **byte == b'\n').count();
        self.line += newlines as u64;
        if self.at < self.ahead.len() {
            self.at += amount;
        } else {
            self.ahead = Vec::new();
            self.at = 0;
            self.input.consume(amount);
        }
        Ok(())
    }

    /// Skips blanks, and returns the next byte without reading it, or `None` at the end of the file.
    /// It does not skip the end of a line if `stays_on_line` is true.
    pub(crate) fn peek(&mut self, stays_on_line: bool) -> io::Result<Option<u8>> {
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let is_blank = |byte: &u8| {
                matches!(byte, b' ' | b'\t' | b'\r') || *byte == b'\n' && !stays_on_line
            };
            let found = bytes.iter().position(|byte| !is_blank(byte));
            let next = found.map(|index| bytes[index]);
            let skipped = found.unwrap_or(bytes.len());
            self.consume(skipped)?;
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Reads the byte that [`Self::peek`] returned.
    pub(crate) fn bump(&mut self) -> io::Result<()> {
        self.consume(1)
    }

    /// Reads a value.
    pub(crate) fn take(&mut self, must_be_one_line: bool) -> io::Result<Taken> {
        let (mut extent, mut value) = (Extent::default(), Vec::new());
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                let is_whole = extent.depth == 0 && !extent.is_in_string;
                return Ok(if is_whole { Taken::Value(value) } else { Taken::Cut(value) });
            }
            let progress = extent.feed(bytes, must_be_one_line);
            let length = match progress {
                Progress::End(length) | Progress::Break(length) => length,
                Progress::More => bytes.len(),
            };
            value.extend_from_slice(&bytes[..length]);
            self.consume(length)?;
            match progress {
                Progress::Break(_) => return Ok(Taken::Broken(value)),
                Progress::End(_) | Progress::More if value.len() > MAX_RECORD => {
                    return Ok(Taken::Long(value, extent));
                }
                Progress::End(_) => return Ok(Taken::Value(value)),
                Progress::More => {}
            }
        }
    }

    /// Skips the rest of a value.
    pub(crate) fn skip(&mut self, mut extent: Extent) -> io::Result<()> {
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(());
            }
            let (length, is_over) = match extent.feed(bytes, false) {
                Progress::End(length) | Progress::Break(length) => (length, true),
                Progress::More => (bytes.len(), false),
            };
            self.consume(length)?;
            if is_over {
                return Ok(());
            }
        }
    }

    /// Skips the rest of the line, and returns its beginning.
    pub(crate) fn skip_line(&mut self) -> io::Result<Vec<u8>> {
        let mut skipped = Vec::new();
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(skipped);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(bytes.len());
            let kept = length.min(MAX_RECORD.saturating_sub(skipped.len()));
            skipped.extend_from_slice(&bytes[..kept]);
            self.consume(length)?;
            if end.is_some() {
                return Ok(skipped);
            }
        }
    }

    /// Puts back the value that was read last, or its beginning.
    pub(crate) fn put_back(&mut self, mut bytes: Vec<u8>) {
        self.line -= bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        if self.ahead[..self.at].ends_with(&bytes) {
            self.at -= bytes.len();
            return;
        }
        bytes.extend_from_slice(&self.ahead[self.at..]);
        steps::count(bytes.len());
        (self.ahead, self.at) = (bytes, 0);
    }
}

/// Form of an object or a list, as far as its beginning shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A list of objects, or an object of objects.
    Records,
    /// An object with such a member.
    Page,
    /// Anything else.
    Plain,
}

/// Names of the lists of records in responses of services, which may be empty.
const LISTS: [&[u8]; 6] = [b"links", b"data", b"items", b"results", b"shortUrls", b"urls"];

/// Returns whether services have records in a list of this name.
pub(crate) fn is_usual_list(name: &str) -> bool {
    LISTS.contains(&name.as_bytes())
}

impl Shape {
    /// Returns the form of the value that begins with these bytes, as far as `depth` levels show it.
    /// `name` is the name of its member.
    pub(crate) fn of_value(name: &[u8], bytes: &[u8], depth: usize) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::Plain };
        let mut rest = bytes.trim_ascii_start();
        match rest.first() {
            Some(b'[') => {
                return match rest[1..].trim_ascii_start().first() {
                    Some(b'{') => Self::Records,
                    Some(b']') if LISTS.contains(&name) => Self::Records,
                    _ => Self::Plain,
                };
            }
            Some(b'{')
                if LISTS.contains(&name) && rest[1..].trim_ascii_start().starts_with(b"}") =>
            {
                return Self::Records;
            }
            Some(b'{') => rest = &rest[1..],
            _ => return Self::Plain,
        }
        let mut are_objects = true;
        let mut members = 0;
        while let Some((name, value, after)) = next_member(rest) {
            match (value.first(), Self::of_value(name, value, depth)) {
                (Some(b'{'), Self::Plain) => {}
                (_, Self::Records | Self::Page) => return Self::Page,
                _ => are_objects = false,
            }
            members += 1;
            // A record beyond the first ones has the same form.
            if members >= 64 && are_objects {
                break;
            }
            rest = after;
        }
        if are_objects && members > 0 { Self::Records } else { Self::Plain }
    }
}

/// Returns the name and the value of the next member of an object, and what follows. The last one
/// may be cut.
fn next_member(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let bytes = bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix(b",").unwrap_or(bytes).trim_ascii_start();
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let Progress::End(end) = Extent::default().feed(bytes, false) else { return None };
    let name = &bytes[1..end - 1];
    let (value, rest) = next_value(bytes[end..].trim_ascii_start().strip_prefix(b":")?)?;
    Some((name, value, rest))
}

/// Returns the value at the beginning, and what follows.
fn next_value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let bytes = bytes.trim_ascii_start();
    let length = match Extent::default().feed(bytes, false) {
        Progress::End(length) => length,
        Progress::Break(_) | Progress::More => bytes.len(),
    };
    (length > 0).then(|| bytes.split_at(length))
}

/// Returns the elements of a list, or the values of the members of an object. The last one may be
/// cut.
pub(crate) fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_list = value.starts_with(b"[");
    let mut rest = value.get(1..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (element, after) = if is_list {
            let bytes = rest.trim_ascii_start();
            next_value(bytes.strip_prefix(b",").unwrap_or(bytes))?
        } else {
            next_member(rest).map(|(_, value, after)| (value, after))?
        };
        rest = after;
        Some(element)
    })
}
