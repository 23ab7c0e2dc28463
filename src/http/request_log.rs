//! The log of requests: one line per completed request, and one per error that a client does not
//! see.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use poem::Response;
use poem::http::StatusCode;
use tokio::time::{MissedTickBehavior, interval};
use tracing::Level;

use super::request_id::RequestId;
use crate::config::AccessLog;
use crate::store::StoreError;

/// Maximum number of lines per second. A flood of requests could otherwise fill the disk.
const MAX_LINES_PER_SECOND: u64 = 1_000;

/// Logs a completed request at a level, which `tracing` requires as a constant.
macro_rules! log_completed {
    ($level:expr, $request:expr) => {{
        let CompletedRequest {
            id, route, method, status, took, caller, code, trace_id, is_client_disconnected, is_routine: _
        } = *$request;
        let (status, micros) = (status.as_u16(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        let (owner, key) = (caller.and_then(LoggedCaller::owner), caller.and_then(|caller| caller.key_id));
        let client_disconnected = is_client_disconnected.then_some(true);
        let operator = caller.and_then(|caller| caller.operator.as_deref());
        tracing::event!(
            $level, request_id = %id, route, method, status, micros, owner, key, operator, code, trace_id,
            client_disconnected, "request completed"
        );
    }};
}

/// Logs the cause of an error response at a level, which `tracing` requires as a constant.
macro_rules! log_failed {
    ($log:expr, $level:expr, $request_id:ident, $error:ident) => {
        if tracing::enabled!($level) && $log.admit() {
            tracing::event!($level, %$request_id, $error, "a request failed");
        }
    };
}

/// The log of requests.
#[derive(Debug)]
pub struct RequestLog {
    mode: AccessLog,
    /// Number of lines in the current second, including those that were left out.
    lines: AtomicU64,
}

/// Key of a request, and the owner whom the request concerns, for the log.
#[derive(Debug, Clone)]
pub struct LoggedCaller {
    /// Name of the owner. An operation of the operator's programs finds it later, if at all.
    owner: Arc<OnceLock<Arc<str>>>,
    /// Identifier of the owner, if the key is the owner's.
    pub owner_id: Option<i64>,
    /// Identifier of the API key, if it is an owner's.
    key_id: Option<i64>,
    /// Name of the operator key, if it is one.
    operator: Option<Arc<str>>,
}

impl LoggedCaller {
    /// Returns the caller with an owner's API key.
    pub fn owner_key(owner: Arc<str>, owner_id: i64, key_id: i64) -> Self {
        let (owner, owner_id, key_id) = (Arc::new(owner.into()), Some(owner_id), Some(key_id));
        Self { owner, owner_id, key_id, operator: None }
    }

    /// Returns the caller with an operator key.
    pub const fn operator_key(name: Arc<str>, owner: Arc<OnceLock<Arc<str>>>) -> Self {
        Self { owner, owner_id: None, key_id: None, operator: Some(name) }
    }

    fn owner(&self) -> Option<&str> {
        self.owner.get().map(|name| &**name)
    }
}

/// A completed request.
#[derive(Debug)]
pub struct CompletedRequest<'a> {
    /// Identifier of the request.
    pub id: RequestId,
    /// Name of the route or operation.
    pub route: &'static str,
    /// Method, or `OTHER`.
    pub method: &'static str,
    /// Status of the response.
    pub status: StatusCode,
    /// Time from the request to its response.
    pub took: Duration,
    /// The caller, if the request had a valid key.
    pub caller: Option<&'a LoggedCaller>,
    /// Code of the problem that the response contains.
    pub code: Option<&'static str>,
    /// Trace identifier of a trusted proxy.
    pub trace_id: Option<&'a str>,
    /// Whether the client disconnected before the response.
    pub is_client_disconnected: bool,
    /// Whether requests of this kind are so frequent that their lines would hide all others.
    pub is_routine: bool,
}

impl RequestLog {
    /// Creates the log.
    pub fn new(mode: AccessLog) -> Self {
        Self { mode, lines: AtomicU64::new(0) }
    }

    /// Counts a line, and returns whether it may be written.
    fn admit(&self) -> bool {
        self.lines.fetch_add(1, Ordering::Relaxed) < MAX_LINES_PER_SECOND
    }

    /// Calls [`begin_second`](Self::begin_second) every second, until the future is dropped.
    pub async fn run(self: Arc<Self>) {
        let mut seconds = interval(Duration::from_secs(1));
        // After a late tick, the next one follows a whole second later.
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            seconds.tick().await;
            self.begin_second();
        }
    }

    /// Logs how many lines of the current second were left out, and begins a new second.
    pub fn begin_second(&self) {
        let left_out = self.lines.swap(0, Ordering::Relaxed).saturating_sub(MAX_LINES_PER_SECOND);
        if left_out > 0 {
            tracing::warn!(lines = left_out, "request lines left out, beyond 1000 per second");
        }
    }

    /// Logs a completed request. It logs neither paths nor headers, because they may contain
    /// personal data.
    pub fn completed(&self, request: &CompletedRequest<'_>) {
        let is_error = request.status.as_u16() >= 400;
        let is_wanted = match self.mode {
            AccessLog::All => true,
            AccessLog::Errors => is_error,
            AccessLog::Off => false,
        };
        if !is_wanted {
            return;
        }
        if request.is_routine {
            if tracing::enabled!(Level::DEBUG) && self.admit() {
                log_completed!(Level::DEBUG, request);
            }
        } else if tracing::enabled!(Level::INFO) && self.admit() {
            log_completed!(Level::INFO, request);
        }
    }

    /// Logs the cause of an error response.
    pub fn log_failure(&self, cause: &LogCause, request_id: RequestId) {
        let LogCause { level, error } = cause;
        match *level {
            Level::DEBUG => log_failed!(self, Level::DEBUG, request_id, error),
            Level::WARN => log_failed!(self, Level::WARN, request_id, error),
            _ => log_failed!(self, Level::ERROR, request_id, error),
        }
    }
}

/// Cause of an error response, which clients do not see. The response carries it to
/// [`HttpService`](super::HttpService), which logs it.
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
            | StoreError::Missing(_)
            | StoreError::DirectoryMissing(_)
            | StoreError::EmptyFile(_)
            | StoreError::Foreign(_)
            | StoreError::CannotOpen { .. }
            | StoreError::Replaced(_)
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
