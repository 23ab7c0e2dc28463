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
    /// The fields of a link, and for JSON their text.
    Record { record: Record, text: Option<String> },
    /// A text that is not a record, and the reason.
    Broken { reason: String, text: String },
}
