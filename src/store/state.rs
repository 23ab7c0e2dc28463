//! The state of a database, in which readiness, metrics, creations and clicks agree.

/// State of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseState {
    /// The database responds, and completes what it is asked to commit.
    Up,
    /// A commit neither succeeds nor fails, or the database is read-only, as a standby is. It still
    /// reads, unless SQLite's disk does not respond.
    CannotCommit,
    /// The database does not respond, or it is a standby that this server does not serve.
    Down,
}

impl DatabaseState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Up, Self::CannotCommit, Self::Down];

    /// Returns the value of the label `state` in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::CannotCommit => "cannot_commit",
            Self::Down => "down",
        }
    }
}
