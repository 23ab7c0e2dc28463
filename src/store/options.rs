//! What a caller chooses when it opens a database and begins a transaction.

use std::time::Duration;

/// What to do if the database does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Create it.
    Create,
    /// Fail.
    Fail,
}

/// Limits on the connections, waits and memory that a process uses for a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of connections for requests to PostgreSQL, or of readers of an SQLite file.
    /// `None`: the default of the database.
    pub connections: Option<u32>,
    /// Maximum time that a request waits for a connection or, on SQLite, for the statistics of a
    /// link.
    pub acquire_timeout: Duration,
    /// Maximum duration of a statement on PostgreSQL. `None`: no limit.
    pub statement_timeout: Option<Duration>,
    /// Maximum pause between two statements of a transaction, whose locks block others:
    /// PostgreSQL's `idle_in_transaction_session_timeout`. `None`: no limit.
    pub pause_timeout: Option<Duration>,
    /// Time after which a health check without a response means that PostgreSQL is unavailable.
    /// `None`: no health checks, as in commands other than `serve`.
    pub health_check_timeout: Option<Duration>,
    /// Whether a server that has begun on a primary also serves a standby. A server that begins on a
    /// standby always does.
    pub serves_standby: bool,
    /// Size in bytes of the page cache of SQLite's writer, which also looks up links.
    pub page_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: None,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Some(Duration::from_secs(5)),
            pause_timeout: Some(Duration::from_secs(5)),
            health_check_timeout: None,
            serves_standby: false,
            page_bytes: 2 << 20,
        }
    }
}

/// Kind of failure that a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the process. PostgreSQL commits are always durable across a power loss too.
    ProcessDeath,
    /// A power loss: SQLite flushes its log to disk before the commit returns.
    PowerLoss,
}
