//! Counting clicks: exactly, and in the database before a redirect is answered.
//!
//! [`Recorder`] appends them to a ledger in batches that make themselves; [`fold`] moves the ledger
//! into the links' counts. What cannot be stored when a server stops waits in the [`spool`].

pub mod fold;
mod recorder;
pub mod spool;
mod tally;

/// The most clicks of a link that are told: what every JSON reader takes for the whole number that it
/// is (RFC 8259, section 6). A link that was imported with so many is counted on, and shows these.
pub const MOST_CLICKS: i64 = (1 << 53) - 1;

pub use recorder::{Full, Recorder, Recording};
