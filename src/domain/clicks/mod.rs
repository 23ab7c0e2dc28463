//! Exact counts of clicks, committed before their redirects are sent.
//!
//! [`Recorder`] appends pending clicks in batches as large as the load makes them; [`rollup`] moves
//! them into the links' counts. At shutdown the [`spool`] takes clicks that the database does not.

mod recorder;
pub mod rollup;
pub mod spool;
mod tally;

pub use recorder::{QueueFull, Recorder, RecorderWorker};

pub use crate::store::clicks::MAX_CLICKS;
