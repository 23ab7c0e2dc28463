//! Exact counts of clicks, committed before their redirects are sent.
//!
//! [`Recorder`] appends pending clicks in batches as large as the load makes them; [`rollup`] moves
//! them into the links' counts. At shutdown the [`spool`] takes clicks that the database does not.

mod recorder;
pub mod rollup;
pub mod spool;
mod tally;

pub use recorder::{QueueFull, Recorder, RecorderWorker};

/// The largest count of clicks in a response: the largest integer that every JSON reader represents
/// exactly (RFC 8259, section 6). The database counts on beyond it.
pub const MAX_CLICKS: i64 = (1 << 53) - 1;
