//! Exact counts of clicks: a click is committed before the server sends the redirect.
//!
//! [`Recorder`] appends pending clicks in batches whose size grows with the load. [`rollup`] moves
//! pending clicks into the counts of links, and [`day_close`] adds them to days. While the database is
//! unavailable, and at a shutdown then, [`spool`] saves the buffered clicks in a file. While the
//! database is a standby, the recorder stores clicks in a journal, and [`delivery`] brings them to a
//! database that can commit.

pub mod day_close;
pub mod delivery;
mod outage_file;
mod recorder;
mod recorder_state;
pub mod rollup;
pub mod spool;
mod spool_file;
mod worker;

pub use delivery::Primary;
pub use recorder::Recorder;
pub use worker::LeftOver;

pub use crate::store::clicks::MAX_CLICKS;
