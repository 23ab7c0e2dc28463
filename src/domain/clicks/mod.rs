//! Exact counts of clicks, which are committed before the server sends the redirects.
//!
//! [`Recorder`] appends pending clicks in batches whose size grows with the load. [`rollup`] moves
//! them into the counts of their links. If the database is unavailable at shutdown, the [`spool`]
//! saves the clicks in a file.

mod recorder;
pub mod rollup;
pub mod spool;
mod tally;

pub use recorder::{QueueFull, Recorder, RecorderWorker};

pub use crate::store::clicks::MAX_CLICKS;
