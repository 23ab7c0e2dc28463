//! Exact counts of clicks: a click is committed before the server sends the redirect.
//!
//! [`Recorder`] appends pending clicks in batches whose size grows with the load. [`rollup`] moves
//! pending clicks into the counts of links, and [`day_close`] adds them to days. While the database is
//! unavailable, and at a shutdown then, [`spool`] saves the buffered clicks in a file.

mod batch_state;
pub mod day_close;
mod in_flight;
mod outage_file;
mod recorder;
pub mod rollup;
pub mod spool;
mod spool_file;
mod tally;

pub use recorder::{QueueFull, Recorder, RecorderWorker};

pub use crate::store::clicks::MAX_CLICKS;
