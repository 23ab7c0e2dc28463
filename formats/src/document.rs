//! Reads the records of a JSON file: one or several documents, or an object on each line.
//!
//! Records are in lists, or in objects of objects, at any depth: `[…]`, `{"links": […]}`. A record
//! is built when it is read, so that memory does not depend on the size of the file.

use std::borrow::Cow;
use std::io;

use serde_json::Value;

use crate::detect::{NamesKind, mismatch_message};
use crate::pages::{Frame, PageHead, SeenPages};
use crate::record::{
    Entry, NOT_AN_OBJECT, NOT_UTF8, RowLocation, TOO_LONG, WAS_NOT_UTF8, broken, not_json,
};
use crate::scanner::{
    Extent, MAX_DEPTH, MAX_RECORD, Scanner, Shape, Taken, elements, is_usual_list,
};
use crate::services::Source;
use crate::text::DecodedText;
use crate::{json, rejects};

/// Maximum length of an object whose members are built before it is known to be a record.
const MAX_BUILT: usize = 64 << 10;
/// Maximum number of names of lists that are noted.
const MAX_SKIPPED: usize = 100;
const ONE_LINE: &str = "all of a page must be on one line";
const STRAY: &str = "a comma, colon or bracket is between two values";
/// Maximum number of objects in which a link is searched for.
const MAX_SEARCHED: usize = 100;

/// Reader of the records of a JSON file.
pub(crate) struct Document {
    scanner: Scanner,
    expected: Expected,
    /// Whether each line has its own value, so that a broken line does not affect the others.
    is_lines: bool,
    frames: Vec<Frame>,
    /// Document in a row of a rejects file, with the location of that row in the original file.
    nested: Option<(Box<Self>, RowLocation, Option<RowLocation>)>,
    is_over: bool,
    /// Line of the last record, and its number in that line.
    last: (u64, u64),
    pub(crate) pages: SeenPages,
    /// Names of lists of records after the first one of a page.
    pub(crate) skipped: Vec<String>,
}

/// What to do with a value.
enum Verdict {
    Entry(Box<Entry>),
    /// Read the records in it.
    Enter,
    /// Read the records of a row of a rejects file.
    Nested(Box<Document>, Option<RowLocation>),
    Ignore,
}

impl Document {
    /// Begins a file at a line.
    pub(crate) fn new(input: DecodedText, line: u64, expected: Expected) -> io::Result<Self> {
        let mut scanner = Scanner::new(input, line);
        scanner.peek(false)?;
        let (bytes, is_lines) = match scanner.take(true)? {
            // The end of a line in a document follows a bracket, a comma or a colon.
            Taken::Broken(bytes) => {
                let last = bytes.trim_ascii_end().last();
                let is_document =
                    bytes.starts_with(b"[") || matches!(last, Some(b'{' | b'[' | b',' | b':'));
                (bytes, !is_document)
            }
            Taken::Value(bytes) | Taken::Long(bytes, _) | Taken::Cut(bytes) => (bytes, true),
        };
        scanner.put_back(bytes);
        Ok(Self {
            scanner,
            expected,
            is_lines,
            frames: Vec::new(),
            nested: None,
            is_over: false,
            last: (0, 0),
            pages: SeenPages::default(),
            skipped: Vec::new(),
        })
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.scanner.input().bytes_read()
    }

    /// Sets the service, once it is known.
    pub(crate) fn expect(&mut self, source: Source) {
        self.expected.set_source(source);
    }

    /// Returns the next record, or `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Entry>> {
        loop {
            if let Some((nested, location, origin)) = &mut self.nested {
                if let Some(entry) = nested.next()? {
                    // The user may have replaced a broken line by a page with several links.
                    let origin = origin.map(|origin| RowLocation {
                        object: origin.object.or(entry.location.object),
                        ..origin
                    });
                    return Ok(Some(Entry { location: *location, origin, ..entry }));
                }
                self.nested = None;
            }
            if self.is_over {
                return Ok(None);
            }
            let stays_on_line = self.is_lines && !self.frames.is_empty();
            match self.scanner.peek(stays_on_line)? {
                None if self.frames.is_empty() => return Ok(None),
                None => return self.break_off("the file ends within a JSON document", Vec::new()),
                Some(b'\n') => return self.break_off(ONE_LINE, Vec::new()),
                Some(byte) => {
                    if let Some(entry) = self.step(byte)? {
                        return Ok(Some(entry));
                    }
                }
            }
        }
    }

    /// Reads a value, a comma or the end of a frame, whose first byte is `byte`.
    fn step(&mut self, byte: u8) -> io::Result<Option<Entry>> {
        let Some(frame) = self.frames.last_mut() else {
            return match byte {
                b',' | b':' | b']' | b'}' => self.break_off(STRAY, Vec::new()),
                _ => self.value(None),
            };
        };
        let is_first = std::mem::replace(&mut frame.is_first, false);
        if byte == if frame.is_list { b']' } else { b'}' } {
            self.scanner.bump()?;
            return Ok(self.frames.pop().and_then(|frame| self.end(frame)));
        }
        let is_list = frame.is_list;
        if !is_first {
            if byte != b',' {
                return self.break_off("a comma is missing", Vec::new());
            }
            self.scanner.bump()?;
            match self.scanner.peek(self.is_lines)? {
                Some(byte) if byte != b'\n' => {}
                _ => return self.break_off("a value is missing after a comma", Vec::new()),
            }
        }
        if is_list { self.value(None) } else { self.member() }
    }

    /// Ends a frame. Returns an entry for a page whose lists have no links.
    fn end(&mut self, frame: Frame) -> Option<Entry> {
        let Frame { line, head, has_records, other_names, .. } = frame;
        if let Some(head) = head {
            self.pages.add(&head);
            if let (Some(_), Some(list)) = (head.table(), self.frames.last_mut()) {
                list.other_names = list.other_names.take().or(other_names);
                return None;
            }
        }
        let names = other_names.filter(|_| !has_records)?;
        let reason = mismatch_message(self.expected.source(), NamesKind::Fields, &names);
        Some(broken(self.locate(line), &reason, b""))
    }

    /// Reads a member of an object around records.
    fn member(&mut self) -> io::Result<Option<Entry>> {
        let name = match self.scanner.take(self.is_lines)? {
            Taken::Value(bytes) => serde_json::from_slice::<String>(&bytes).map_err(|_| bytes),
            Taken::Broken(bytes) | Taken::Cut(bytes) | Taken::Long(bytes, _) => Err(bytes),
        };
        let name = match name {
            Ok(name) => name,
            Err(bytes) => return self.break_off("the name of a member is missing", bytes),
        };
        if self.scanner.peek(self.is_lines)? != Some(b':') {
            return self.break_off("a colon is missing", Vec::new());
        }
        self.scanner.bump()?;
        if self.scanner.peek(self.is_lines)?.is_none_or(|byte| byte == b'\n') {
            return self.break_off("the value of a member is missing", Vec::new());
        }
        self.value(Some(name))
    }

    /// Reads a value. `name` is the name of its member.
    fn value(&mut self, name: Option<String>) -> io::Result<Option<Entry>> {
        let line = self.scanner.line();
        let (bytes, rest) = match self.scanner.take(self.is_lines)? {
            Taken::Value(bytes) => (bytes, None),
            Taken::Long(bytes, extent) => (bytes, Some(extent)),
            Taken::Broken(bytes) => return self.broken_value(line, bytes),
            // The records before the end of the file count.
            Taken::Cut(bytes) if !self.is_lines && self.may_enter(b"", &bytes) => {
                (bytes, Some(Extent::default()))
            }
            Taken::Cut(bytes) => return self.broken_value(line, bytes),
        };
        let is_page = self.frames.last().is_some_and(|frame| frame.head.is_some());
        let verdict = match name {
            Some(name) if is_page => self.member_of_page(&name, &bytes, rest.is_some()),
            _ if rest.is_some() && !self.may_enter(b"", &bytes) => {
                let location = self.locate(line);
                Verdict::Entry(Box::new(broken(location, TOO_LONG, &bytes[..1_000])))
            }
            _ if rest.is_some() => Verdict::Enter,
            _ => self.judge(line, &bytes),
        };
        if !matches!(verdict, Verdict::Enter)
            && let Some(extent) = rest
        {
            self.scanner.skip(extent)?;
        }
        match verdict {
            Verdict::Entry(entry) => {
                self.pages.records += 1;
                return Ok(Some(*entry));
            }
            Verdict::Enter => self.enter(line, bytes)?,
            Verdict::Nested(nested, origin) => {
                let location = self.locate(line);
                self.nested = Some((nested, location, origin));
            }
            Verdict::Ignore => {}
        }
        Ok(None)
    }

    fn may_enter(&self, name: &[u8], bytes: &[u8]) -> bool {
        let is_list =
            bytes.starts_with(b"[") && self.frames.last().is_none_or(|frame| frame.head.is_none());
        let is_shallow = self.frames.len() < MAX_DEPTH;
        is_shallow && (is_list || self.shape(name, bytes) != Shape::Plain)
    }

    fn shape(&self, name: &[u8], bytes: &[u8]) -> Shape {
        Shape::of_value(name, bytes, MAX_DEPTH - self.frames.len())
    }

    /// Begins to read the records in a value.
    fn enter(&mut self, line: u64, bytes: Vec<u8>) -> io::Result<()> {
        let is_list = bytes.starts_with(b"[");
        let is_page = !is_list && self.shape(b"", &bytes) != Shape::Records;
        self.scanner.put_back(bytes);
        self.scanner.bump()?;
        let head = is_page.then(PageHead::default);
        self.frames.push(Frame { is_list, line, is_first: true, head, ..Frame::default() });
        Ok(())
    }

    fn member_of_page(&mut self, name: &str, bytes: &[u8], is_long: bool) -> Verdict {
        let may_enter = self.may_enter(name.as_bytes(), bytes);
        let Some((frame, around)) = self.frames.split_last_mut() else { return Verdict::Ignore };
        if may_enter {
            let table = frame.head.as_ref().and_then(PageHead::table).map(str::to_owned);
            // Of the tables in a file of phpMyAdmin, the first one with links counts.
            let has_records = match around.last_mut() {
                Some(list) if table.is_some() => &mut list.has_records,
                Some(_) | None => &mut frame.has_records,
            };
            if !*has_records {
                let found = self.expected.find_link(bytes);
                if found.is_ok() || table.is_none() && is_usual_list(name) {
                    *has_records = true;
                    return Verdict::Enter;
                }
                frame.other_names = frame.other_names.take().or(found.err().flatten());
            }
            if self.skipped.len() < MAX_SKIPPED {
                self.skipped.push(table.unwrap_or_else(|| name.to_owned()));
            }
        } else if let Some(head) = &mut frame.head
            && !is_long
        {
            head.add(name, bytes);
        }
        Verdict::Ignore
    }

    /// Decides what a value is that is no member of a page.
    fn judge(&mut self, line: u64, bytes: &[u8]) -> Verdict {
        let entry =
            |location, reason: &str| Verdict::Entry(Box::new(broken(location, reason, bytes)));
        if bytes.starts_with(b"[") && self.frames.len() < MAX_DEPTH {
            return Verdict::Enter;
        }
        let text = String::from_utf8_lossy(bytes);
        let is_utf8 = matches!(text, Cow::Borrowed(_));
        let was_utf8 = !self.scanner.input().is_decoded() || !text.contains('\u{fffd}');
        let is_long = text.len() > MAX_BUILT;
        // An unreadable record does not affect others on its page.
        if (is_long || !is_utf8 || !was_utf8)
            && let Ok(names) = json::member_names(&text)
            && !self.expected.is_link(names)
            && self.may_enter(b"", bytes)
        {
            return Verdict::Enter;
        }
        for (is_fine, fault) in [
            (is_utf8, NOT_UTF8),
            (was_utf8, WAS_NOT_UTF8),
            (bytes.starts_with(b"{"), NOT_AN_OBJECT),
        ] {
            if !is_fine {
                return entry(self.locate(line), fault);
            }
        }
        let object = match json::parse(&text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return entry(self.locate(line), NOT_AN_OBJECT),
            Err(error) => {
                let location = self.locate(line);
                return entry(location, &not_json(&error));
            }
        };
        if let Some((origin, record)) = rejects::object(&object) {
            return self.nested(line, origin, record);
        }
        if !is_long && !self.expected.is_link(object.keys().cloned().collect()) {
            // phpMyAdmin describes the file in objects before the tables.
            let kind = object.get("type").and_then(Value::as_str);
            if matches!(kind, Some("header" | "database")) && self.frames.len() == 1 {
                return Verdict::Ignore;
            }
            if self.may_enter(b"", bytes) {
                return Verdict::Enter;
            }
        }
        let location = self.locate(line);
        // A rejects file has a record on each line. Only blanks contain ends of lines.
        let (content, text) = (Ok(object), text.replace(['\r', '\n'], " "));
        Verdict::Entry(Box::new(Entry { location, origin: Some(location), content, text }))
    }

    /// Begins to read a row of a rejects file: an object, or the text of a row that was not one.
    fn nested(&mut self, line: u64, origin: Option<RowLocation>, record: &Value) -> Verdict {
        let text = record.as_str().map_or_else(|| record.to_string(), str::to_owned);
        if record.is_string() && text.contains(char::REPLACEMENT_CHARACTER) {
            let location = self.locate(line);
            let entry = Entry { origin, ..broken(location, WAS_NOT_UTF8, text.as_bytes()) };
            return Verdict::Entry(Box::new(entry));
        }
        let nested = DecodedText::from_utf8(text.into_bytes());
        match Self::new(nested, line, self.expected.clone()) {
            Ok(nested) => Verdict::Nested(Box::new(nested), origin),
            Err(_) => Verdict::Ignore,
        }
    }

    /// Returns a value that ends before its brackets close.
    fn broken_value(&mut self, line: u64, mut bytes: Vec<u8>) -> io::Result<Option<Entry>> {
        let location = self.locate(line);
        if self.is_lines {
            bytes.extend(self.scanner.skip_line()?);
        } else {
            self.is_over = true;
        }
        self.frames.clear();
        while bytes.last().is_some_and(u8::is_ascii_whitespace) {
            bytes.pop();
        }
        let reason = if bytes.len() > MAX_RECORD {
            bytes.truncate(1_000);
            TOO_LONG.to_owned()
        } else {
            match str::from_utf8(&bytes).map(json::parse) {
                Err(_) => NOT_UTF8.to_owned(),
                Ok(Err(error)) => not_json(&error),
                Ok(Ok(_)) => NOT_AN_OBJECT.to_owned(),
            }
        };
        self.pages.records += 1;
        Ok(Some(broken(location, &reason, &bytes)))
    }

    /// Ends the reading of a page that is not JSON: the rest of its line, or of the file, is lost.
    fn break_off(&mut self, reason: &str, mut bytes: Vec<u8>) -> io::Result<Option<Entry>> {
        let location = self.locate(self.scanner.line());
        self.frames.clear();
        if self.is_lines {
            bytes.extend(self.scanner.skip_line()?);
        } else {
            self.is_over = true;
        }
        bytes.truncate(1_000);
        let lost = if self.is_lines { "the line" } else { "the file" };
        let reason = format!("it is not JSON: {reason}; the rest of {lost} is not read");
        Ok(Some(broken(location, &reason, &bytes)))
    }

    /// Returns the location of the record that begins in a line and was just read.
    fn locate(&mut self, line: u64) -> RowLocation {
        let number = if self.last.0 == line { self.last.1 + 1 } else { 1 };
        self.last = (line, number);
        let next = self.scanner.peek(true).ok().flatten();
        let is_alone = number == 1 && next != Some(b',');
        let is_inside = self.frames.last().is_some_and(|frame| frame.line == line);
        RowLocation { line, object: (number > 1 || is_inside && !is_alone).then_some(number) }
    }
}

/// What is known about the records of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    source: Option<Source>,
    has_code_column: bool,
    /// Names of the members of the last object, and whether they are those of a link.
    last: (Vec<String>, bool),
}

impl Expected {
    /// Expects links of `source`, whose codes are in a column that the user names if
    /// `has_code_column` is true.
    pub(crate) fn new(source: Option<Source>, has_code_column: bool) -> Self {
        Self { source, has_code_column, last: (Vec::new(), false) }
    }

    /// Returns the service, if it is known.
    pub(crate) fn source(&self) -> Option<Source> {
        self.source
    }

    /// Sets the service, once it is known.
    fn set_source(&mut self, source: Source) {
        *self = Self::new(Some(source), self.has_code_column);
    }

    /// Returns whether these are the names of a link.
    fn is_link(&mut self, names: Vec<String>) -> bool {
        if self.last.0 != names {
            let is_link = Source::of_names(&names, self.source, self.has_code_column).is_some();
            self.last = (names, is_link);
        }
        self.last.1
    }

    /// Returns whether one of the first objects in a value is a link, or the names of the members of
    /// the first one, if there is one.
    fn find_link(&mut self, value: &[u8]) -> Result<(), Option<Vec<String>>> {
        let mut seen = Vec::new();
        if self.has_link(value, MAX_DEPTH, &mut seen) {
            return Ok(());
        }
        Err(seen.into_iter().next())
    }

    fn has_link(&mut self, value: &[u8], depth: usize, seen: &mut Vec<Vec<String>>) -> bool {
        if value.starts_with(b"{") {
            if seen.len() == MAX_SEARCHED {
                return false;
            }
            let Ok(names) = json::member_names(&String::from_utf8_lossy(value)) else {
                return false;
            };
            if self.is_link(names.clone()) {
                return true;
            }
            seen.push(names);
        } else if !value.starts_with(b"[") {
            return false;
        }
        depth > 0 && elements(value).any(|element| self.has_link(element, depth - 1, seen))
    }
}
