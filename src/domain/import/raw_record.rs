//! Records of a file before the import checks them.

use super::location::RowLocation;
use super::record::Record;

/// A record of a file, or a text that is not a record.
pub(super) struct RawRecord {
    pub(super) location: RowLocation,
    /// Location in the original file, if known. It differs from `location` in a rejects file.
    pub(super) origin: Option<RowLocation>,
    pub(super) content: RawContent,
}

pub(super) enum RawContent {
    /// The fields of a link and, in a JSON file, the text of the object.
    Record { record: Record, text: Option<String> },
    /// A text that is not a record, and the reason why it is not.
    Broken { reason: String, text: String },
}
