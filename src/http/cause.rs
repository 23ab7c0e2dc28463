use poem::Response;
use tracing::Level;

use super::request_id::RequestId;
use crate::store::StoreError;

/// Why an answer is what it is, for the log and not for the client. It travels in the answer up to
/// where the request's identifier is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    level: Level,
    error: String,
}

impl Cause {
    /// Something that nobody has foreseen.
    pub fn defect(error: &dyn std::fmt::Display) -> Self {
        Self { level: Level::ERROR, error: error.to_string() }
    }

    /// Something that passes, of which the log tells elsewhere how it began.
    pub fn passing(error: &dyn std::fmt::Display) -> Self {
        Self { level: Level::DEBUG, error: error.to_string() }
    }

    /// Has it logged with the identifier of the request that `response` answers.
    pub fn travel_in(self, response: &mut Response) {
        response.set_data(self);
    }

    /// Takes it out of an answer that it has travelled in, if there is one.
    pub fn out_of(response: &mut Response) -> Option<Self> {
        response.extensions_mut().remove()
    }

    /// Writes it down.
    pub fn log(&self, request_id: RequestId) {
        let error = &self.error;
        match self.level {
            Level::DEBUG => tracing::debug!(%request_id, error, "a request failed"),
            Level::WARN => tracing::warn!(%request_id, error, "a request failed"),
            _ => tracing::error!(%request_id, error, "a request failed"),
        }
    }
}

impl From<&StoreError> for Cause {
    fn from(error: &StoreError) -> Self {
        let level = match error {
            // Of an outage the log tells once, when it begins.
            StoreError::Away => Level::DEBUG,
            StoreError::Busy | StoreError::Contended(_) => Level::WARN,
            StoreError::Conflict
            | StoreError::Behind
            | StoreError::TooNew { .. }
            | StoreError::Missing { .. }
            | StoreError::Closed { .. }
            | StoreError::Replaced { .. }
            | StoreError::Copy(_)
            | StoreError::Refused(_)
            | StoreError::Unreachable(_)
            | StoreError::Database(_)
            | StoreError::Flush(_)
            | StoreError::Sqlite(_) => Level::ERROR,
        };
        Self { level, error: error.to_string() }
    }
}
