//! Rejects files: rejected rows, which a user corrects and imports again. Each row has its location
//! in the original file, by which later imports still identify it.
//!
//! For a CSV file, the rejects file is CSV: two columns precede the original ones, and one follows
//! them. For a JSON file, it has one object per line, which contains the original object.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use crate::csv;
use crate::detect::FileKind;
use crate::record::{NOT_UTF8, RawRow, RowLocation};

const LINE: &str = "line";
const OBJECT: &str = "object";
const REASON: &str = "reason";
const RECORD: &str = "record";

/// A row that was not imported.
#[derive(Debug, Clone, Copy)]
pub struct Rejection<'a> {
    /// Location of the row in the imported file.
    pub location: RowLocation,
    /// Location of the row in the original file, if known. It differs from `location` if the
    /// imported file is itself a rejects file.
    pub origin: Option<RowLocation>,
    /// All errors of the row.
    pub reason: &'a str,
    /// The row itself.
    pub source: &'a RawRow,
}

impl Rejection<'_> {
    /// Returns whether the row was rejected because it is not UTF-8, as all rows of the file may be.
    pub fn is_not_utf8(&self) -> bool {
        self.reason == NOT_UTF8
    }
}

/// Writer of a rejects file.
#[derive(Debug)]
pub struct Rejects<W> {
    to: W,
    /// Number of columns of the original file. `None` for JSON.
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
    /// Begins the rejects file for an imported file of this kind.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(mut to: W, kind: &FileKind<'_>) -> io::Result<Self> {
        if let Some(columns) = kind.columns {
            let names = columns.iter().map(|name| Some(name.as_str()));
            let names = [LINE, REASON].map(Some).into_iter().chain(names).chain([Some(RECORD)]);
            csv::write(&mut to, names)?;
        }
        Ok(Self { to, columns: kind.columns.map(<[String]>::len) })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, rejection: &Rejection<'_>) -> io::Result<()> {
        let Rejection { location: _, origin, reason, source } = *rejection;
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
            // The original text preserves large numbers and duplicate names.
            RawRow::Object(text) => text.clone(),
            RawRow::Text(text) => serde_json::to_string(text)?,
            RawRow::Fields(fields) => serde_json::to_string(fields)?,
        };
        let open = head.strip_suffix('}').unwrap_or(&head);
        writeln!(self.to, "{open},\"{RECORD}\":{}}}", record.trim())
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.to
    }
}

/// Returns the columns of the original file if `header` is the header of a rejects file, or else
/// `None`.
pub(crate) fn columns(header: &[String]) -> Option<&[String]> {
    match header {
        [line, reason, columns @ .., record]
            if line.trim() == LINE && reason.trim() == REASON && record.trim() == RECORD =>
        {
            Some(columns)
        }
        _ => None,
    }
}

/// A row of a rejects file in CSV.
pub(crate) struct RejectedRow {
    /// Location of the row in the original file.
    pub(crate) origin: Option<RowLocation>,
    /// Values of the original file's columns.
    pub(crate) values: Vec<Option<String>>,
    /// Text of a row that could not be split into columns.
    pub(crate) text: Option<String>,
}

/// Splits a row of a CSV rejects file. The row must have as many values as the file has columns.
pub(crate) fn row(mut values: Vec<Option<String>>) -> RejectedRow {
    let text = values.pop().flatten();
    let line = values.first().and_then(Option::as_ref);
    let line = line.and_then(|line| line.trim().parse().ok());
    values.drain(..values.len().min(2));
    RejectedRow { origin: line.map(|line| RowLocation { line, object: None }), values, text }
}

/// Returns the original location and the record of a row of a JSON rejects file, or `None` if
/// `object` is not such a row.
pub(crate) fn object(
    object: &serde_json::Map<String, Value>,
) -> Option<(Option<RowLocation>, &Value)> {
    let record = object.get(RECORD)?;
    let reason = object.get(REASON)?;
    let is_one = object.keys().all(|name| [LINE, OBJECT, REASON, RECORD].contains(&&**name));
    if !is_one || !reason.is_string() {
        return None;
    }
    let line = object.get(LINE).and_then(Value::as_u64);
    let number = object.get(OBJECT).and_then(Value::as_u64);
    Some((line.map(|line| RowLocation { line, object: number }), record))
}
