//! Errors that make a file unreadable.

use std::io;

/// Error of a file that a [`LinkReader`](crate::LinkReader) cannot begin to read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The format of the file is unknown or unexpected.
    #[error("{0}")]
    File(String),
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
}
