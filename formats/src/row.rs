//! Rows of a file, and records of a JSON file: where they are, and why some are none.

use std::fmt;

use serde_json::{Map, Value};

use crate::record::Record;

/// Location in a file at which a row begins. It is part of the identity of a row without a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLocation {
    /// Line number, from 1.
    pub line: u64,
    /// Number of the JSON object in the line, from 1, if the line has several.
    pub object: Option<u64>,
}

impl fmt::Display for RowLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}", self.line)?;
        self.object.map_or(Ok(()), |object| write!(formatter, ", object {object}"))
    }
}

/// A row of a file: a record, or a text that is not a record.
#[derive(Debug)]
pub struct Row {
    /// Location in the file.
    pub location: RowLocation,
    /// Location in the original file, if known. It differs from `location` in a rejects file.
    pub origin: Option<RowLocation>,
    pub(crate) content: RawContent,
}

#[derive(Debug)]
pub(crate) enum RawContent {
    /// The fields of a link and, in a JSON file, the text of the object.
    Record { record: Record, text: Option<String> },
    /// A text that is not a record, and the reason why it is not.
    Broken { reason: String, text: String },
}

/// A row as it is in the file.
#[derive(Debug, Clone)]
pub enum RawRow {
    /// Values of a CSV row by column.
    Fields(Vec<Option<String>>),
    /// Text of a JSON object.
    Object(String),
    /// Text of a row that could not be parsed.
    Text(String),
}

impl Row {
    /// Returns the row as it is in the file.
    #[must_use]
    pub fn into_raw(self) -> RawRow {
        match self.content {
            RawContent::Record { record, text } => {
                text.map_or(RawRow::Fields(record.values), RawRow::Object)
            }
            RawContent::Broken { text, .. } => RawRow::Text(text),
        }
    }
}

pub(crate) const NOT_UTF8: &str = "it is not UTF-8";
/// Reason to refuse a file whose header, or each of whose first records, is not UTF-8.
pub(crate) const OTHER_ENCODING: &str =
    "it is not UTF-8; --encoding names its encoding, such as windows-1252";
/// Reason to reject a row of a rejects file if the user has not replaced its unreadable bytes.
pub(crate) const WAS_NOT_UTF8: &str =
    "it was not UTF-8, and has \u{fffd} in place of what could not be read";
pub(crate) const TOO_LONG: &str = "it is longer than 16 MiB";
pub(crate) const NOT_AN_OBJECT: &str = "it is not a JSON object";

/// A record of a JSON file, or the text of something else and the reason why it is none.
pub(crate) struct Entry {
    pub(crate) location: RowLocation,
    pub(crate) origin: Option<RowLocation>,
    pub(crate) content: Result<Map<String, Value>, String>,
    pub(crate) text: String,
}

pub(crate) fn broken(location: RowLocation, reason: &str, bytes: &[u8]) -> Entry {
    let text = String::from_utf8_lossy(bytes).into_owned();
    Entry { location, origin: Some(location), content: Err(reason.to_owned()), text }
}

/// Returns why a text is not JSON. The reason omits serde_json's line number, which is that in the
/// record.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return what.to_owned();
    }
    let hint = if error.is_eof() { "; the line or file ends within the link" } else { "" };
    format!("it is not JSON: {what} at column {}{hint}", error.column())
}
