//! What stands in a file in place of a link.

use super::location::RowLocation;
use super::record::Record;

/// A record of a file, or what stands in its place.
pub(super) struct RawRecord {
    pub(super) location: RowLocation,
    /// Where it was in the file that was imported first, if known.
    pub(super) origin: Option<RowLocation>,
    pub(super) content: RawContent,
}

pub(super) enum RawContent {
    /// A link's fields; of JSON also its text.
    Record { record: Record, text: Option<String> },
    /// A text that is no record, and why.
    Broken { reason: String, text: String },
}
