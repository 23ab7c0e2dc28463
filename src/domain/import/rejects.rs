//! Rows that were refused as a file that can be mended and imported: each beside its place in the file
//! that it came from, which goes on to say which row it is.
//!
//! Of CSV it is CSV: two columns before the file's own and one behind them. Of JSON it is an object a
//! line, with the row's own inside it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::{FileKind, Place, RawRow, Refusal};
use crate::domain::csv;

const LINE: &str = "line";
const OBJECT: &str = "object";
const REASON: &str = "reason";
const RECORD: &str = "record";

/// Writes them one after the other.
#[derive(Debug)]
pub struct Rejects<W> {
    to: W,
    /// CSV's columns in the file itself.
    columns: Option<usize>,
}

#[derive(Serialize)]
struct Head<'a> {
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<u64>,
    reason: &'a str,
}

impl<W: Write> Rejects<W> {
    /// Begins the list of what is refused of such a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(mut to: W, kind: &FileKind<'_>) -> io::Result<Self> {
        if let Some(columns) = kind.columns {
            let names = columns.iter().map(|name| Some(name.as_str()));
            let names = [LINE, REASON].map(Some).into_iter().chain(names).chain([Some(RECORD)]);
            csv::write(&mut to, names)?;
        }
        Ok(Self { to, columns: kind.columns.map(<[String]>::len) })
    }

    /// Adds one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, refusal: &Refusal<'_>) -> io::Result<()> {
        let Refusal { place: _, origin, reason, source } = *refusal;
        let line = origin.map(|origin| origin.line);
        let Some(columns) = self.columns else {
            let head = Head { line, object: origin.and_then(|origin| origin.object), reason };
            return self.write_object(&head, source);
        };
        let none = vec![None; columns];
        let (fields, text) = match source {
            RawRow::Fields(fields) => (fields, None),
            RawRow::Object(text) | RawRow::Text(text) => (&none, Some(text.as_str())),
        };
        let line = line.map(|line| line.to_string());
        let fields = fields.iter().map(Option::as_deref);
        let head = [line.as_deref(), Some(reason)];
        csv::write(&mut self.to, head.into_iter().chain(fields).chain([text]))
    }

    fn write_object(&mut self, head: &Head<'_>, source: &RawRow) -> io::Result<()> {
        let head = serde_json::to_string(head)?;
        let record = match source {
            // As it stood there: numbers of any size, and names twice.
            RawRow::Object(text) => text.clone(),
            RawRow::Text(text) => serde_json::to_string(text)?,
            RawRow::Fields(fields) => serde_json::to_string(fields)?,
        };
        let open = head.strip_suffix('}').unwrap_or(&head);
        writeln!(self.to, "{open},\"{RECORD}\":{}}}", record.trim())
    }

    /// What they were written to.
    pub fn into_inner(self) -> W {
        self.to
    }
}

/// The columns of the file that this list of CSV was made of, if it is one.
pub(super) fn columns(header: &[String]) -> Option<&[String]> {
    match header {
        [line, reason, columns @ .., record]
            if line.trim() == LINE && reason.trim() == REASON && record.trim() == RECORD =>
        {
            Some(columns)
        }
        _ => None,
    }
}

/// What a row of such a list of CSV says.
pub(super) struct RejectedRow {
    /// Where it was.
    pub(super) origin: Option<Place>,
    /// The values of the file's own columns.
    pub(super) values: Vec<Option<String>>,
    /// What could not be split into them, or not before it was mended.
    pub(super) text: Option<String>,
}

/// Takes a row apart that has as many values as the list has columns.
pub(super) fn row(mut values: Vec<Option<String>>) -> RejectedRow {
    let text = values.pop().flatten();
    let line = values.first().and_then(Option::as_ref);
    let line = line.and_then(|line| line.trim().parse().ok());
    values.drain(..values.len().min(2));
    RejectedRow { origin: line.map(|line| Place { line, object: None }), values, text }
}

/// Where this object was and what it was, if it stands in such a list of JSON.
pub(super) fn object(object: &serde_json::Map<String, Value>) -> Option<(Option<Place>, &Value)> {
    let record = object.get(RECORD)?;
    let reason = object.get(REASON)?;
    let is_one = object.keys().all(|name| [LINE, OBJECT, REASON, RECORD].contains(&&**name));
    if !is_one || !reason.is_string() {
        return None;
    }
    let line = object.get(LINE).and_then(Value::as_u64);
    let number = object.get(OBJECT).and_then(Value::as_u64);
    Some((line.map(|line| Place { line, object: number }), record))
}
