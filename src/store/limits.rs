//! What a process takes of a database.

use std::time::Duration;

/// What to do if the database does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Create it.
    Create,
    /// Fail.
    Fail,
}

/// How much of a database a process takes, and how long it waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections for requests: to PostgreSQL, or readers of an SQLite file.
    pub connections: Option<u32>,
    /// How long a request waits for a connection, or for SQLite to count a link's clicks.
    pub acquire_timeout: Duration,
    /// How long a statement may take on PostgreSQL; any time where there is none.
    pub statement_timeout: Option<Duration>,
    /// How long a transaction on PostgreSQL may wait for its client's next statement, while others may
    /// wait for it; any time where there is none.
    pub pause_timeout: Option<Duration>,
    /// How long PostgreSQL may leave a check unanswered before it counts as away. Without it nobody
    /// checks: a command waits for its statements.
    pub outage_timeout: Option<Duration>,
    /// Bytes for pages of an SQLite file on the connection that writes, where links are looked up
    /// first.
    pub page_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: None,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Some(Duration::from_secs(5)),
            pause_timeout: Some(Duration::from_secs(5)),
            outage_timeout: None,
            page_bytes: 2 << 20,
        }
    }
}
