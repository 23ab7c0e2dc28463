//! Why an import stopped.

use std::io;

use crate::domain::AdminError;
use crate::store::StoreError;

/// Why an import stopped. What was imported until then stays.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is not one that can be imported.
    #[error("{0}")]
    File(String),
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The [`Report`](super::Report) failed.
    #[error("the report cannot be written: {0}")]
    Report(io::Error),
    /// The owner does not exist.
    #[error(transparent)]
    Admin(#[from] AdminError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
