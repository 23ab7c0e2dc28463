//! Rows of a file.

use crate::location::RowLocation;
use crate::record::Record;

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
