//! Errors that stop an import.

use std::io;

use formats::FormatError;

use crate::domain::Error;
use crate::store::StoreError;

/// Error that stops an import. Links that the import has already created remain.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FormatError),
    /// The [`Report`](super::Report) failed.
    #[error("the report cannot be written: {0}")]
    Report(io::Error),
    /// The owner does not exist or is suspended, or the database failed.
    #[error(transparent)]
    Domain(#[from] Error),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Domain(error.into())
    }
}
