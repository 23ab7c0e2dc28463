//! Counting clicks: exactly, and in the database before a redirect is answered.
//!
//! [`Recorder`] appends them to a ledger in batches that make themselves; [`fold`] moves the ledger
//! into the links' counts. What cannot be stored when a server stops waits in the [`spool`].

mod batch;
pub mod fold;
mod recorder;
pub mod spool;

pub use recorder::{Recorder, Recording};
