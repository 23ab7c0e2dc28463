//! Words the failures of an import.

use std::io;

use crate::cli::error::CommandError;
use crate::domain::import::{FormatError, ImportError};

pub(super) fn cannot_read(name: &str, error: &io::Error) -> CommandError {
    CommandError::Other(format!("{name} cannot be read: {error}"))
}

pub(super) fn cannot_write(name: &str, error: &io::Error) -> CommandError {
    CommandError::Other(format!("{name} cannot be written: {error}"))
}

/// Returns the error of the command. `name` is that of the imported file.
pub(super) fn failure(name: &str, rejects_name: &str, error: ImportError) -> CommandError {
    match error {
        ImportError::File(FormatError::File(reason)) => {
            CommandError::Other(format!("{name}: {reason}"))
        }
        ImportError::File(FormatError::Read(error)) => cannot_read(name, &error),
        ImportError::Report(error) => cannot_write(rejects_name, &error),
        ImportError::Domain(error) => error.into(),
    }
}
