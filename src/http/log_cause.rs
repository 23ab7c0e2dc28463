//! Causes of error responses. The log reports them, but clients do not see them.

use std::fmt::Display;

use poem::Response;
use tracing::Level;

use super::request_id::RequestId;
use crate::store::StoreError;

/// Cause of an error response. The response carries it to [`HttpService`](super::HttpService),
/// which logs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCause {
    level: Level,
    error: String,
}

impl LogCause {
    /// Creates a cause for a bug of the server.
    pub fn internal_error(error: &dyn Display) -> Self {
        Self { level: Level::ERROR, error: error.to_string() }
    }

    /// Creates a cause for a transient condition. The log reports the beginning of the condition
    /// elsewhere.
    pub fn transient(error: &dyn Display) -> Self {
        Self { level: Level::DEBUG, error: error.to_string() }
    }

    /// Attaches the cause to a response.
    pub fn attach_to(self, mut response: Response) -> Response {
        response.set_data(self);
        response
    }

    /// Removes the cause from a response and returns it, or `None` if the response has none.
    pub fn take_from(response: &mut Response) -> Option<Self> {
        response.extensions_mut().remove()
    }

    /// Returns whether the log includes the level of this cause.
    pub fn is_enabled(&self) -> bool {
        match self.level {
            Level::DEBUG => tracing::enabled!(Level::DEBUG),
            Level::WARN => tracing::enabled!(Level::WARN),
            _ => tracing::enabled!(Level::ERROR),
        }
    }

    /// Logs the cause.
    pub fn log(&self, request_id: RequestId) {
        let error = &self.error;
        match self.level {
            Level::DEBUG => tracing::debug!(%request_id, error, "a request failed"),
            Level::WARN => tracing::warn!(%request_id, error, "a request failed"),
            _ => tracing::error!(%request_id, error, "a request failed"),
        }
    }
}

impl From<&StoreError> for LogCause {
    fn from(error: &StoreError) -> Self {
        let level = match error {
            // The store logs an outage or damage once, at its beginning.
            StoreError::Unavailable
            | StoreError::CannotCommit(_)
            | StoreError::Damaged(_)
            | StoreError::DiskFull => Level::DEBUG,
            StoreError::Busy | StoreError::OwnerUnavailable | StoreError::Retryable(_) => {
                Level::WARN
            }
            StoreError::Conflict
            | StoreError::Unconfirmed
            | StoreError::SchemaOutdated
            | StoreError::SchemaTooNew { .. }
            | StoreError::Missing { .. }
            | StoreError::DirectoryMissing { .. }
            | StoreError::EmptyFile { .. }
            | StoreError::Foreign { .. }
            | StoreError::CannotOpen { .. }
            | StoreError::Replaced { .. }
            | StoreError::Copy(_)
            | StoreError::NoSpace { .. }
            | StoreError::TargetNotEmpty
            | StoreError::DamagedLink(_)
            | StoreError::InvalidData(_)
            | StoreError::Unreachable(_)
            | StoreError::Database(_)
            | StoreError::Flush(_)
            | StoreError::Spool(_)
            | StoreError::Journal { .. }
            | StoreError::ForeignClicks(_)
            | StoreError::OtherInstallation
            | StoreError::PrimaryIsStandby
            | StoreError::SecretMissing => Level::ERROR,
        };
        Self { level, error: error.to_string() }
    }
}
