//! Errors of the database: what they mean, whichever driver reports them.

use std::borrow::Cow;
use std::sync::Arc;

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
use sea_orm::sqlx;
use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr};

/// What can go wrong with the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A row of that name is there already.
    #[error("it already exists")]
    Conflict,
    /// The database lacks steps of the schema.
    #[error("the database is not up to date; run `terse migrate` or start the server")]
    SchemaOutdated,
    /// The database was made for a later program.
    #[error(
        "the database has a schema of major version {major}, and this program knows version {}; \
         use a newer terse",
        migration::MAJOR_VERSION
    )]
    TooNew {
        /// The database's major version.
        major: u32,
    },
    /// The database that a command was to work on is not there.
    #[error(
        "there is no database at {path}; `terse serve` or `terse migrate` creates one, unless the URL has mode=rw or mode=ro"
    )]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// The file, or one beside it, cannot be made, read or written.
    #[error("the database {path} cannot be opened; it and its directory must be writable: {error}")]
    CannotOpen {
        /// Where it was looked for.
        path: String,
        /// Why not.
        error: DbErr,
    },
    /// The file under a running server is another now.
    #[error(
        "the database file {path} was deleted or replaced while it was in use; restart the server"
    )]
    Replaced {
        /// Where it was.
        path: String,
    },
    /// Both databases of a copy must be as one expects them.
    #[error("{0}")]
    Copy(String),
    /// Too many wait for the database, or it takes too long.
    #[error("the database is too busy")]
    Busy,
    /// The database gave the transaction up for another's sake; nothing has changed.
    #[error("the database aborted the transaction in favour of another: {0}")]
    Retryable(Box<dyn std::error::Error + Send + Sync>),
    /// It does not take these data; nothing has changed.
    #[error("the database refused the data: {}", plain_of(.0))]
    InvalidData(DbErr),
    /// It does not answer.
    #[error("the database does not answer")]
    Unavailable,
    /// It could not be reached when the program started.
    #[error("the database cannot be reached: {}", plain(.0))]
    Unreachable(sqlx::Error),
    /// It is full or read-only, or holds what it should not.
    #[error("the database failed: {}", plain_of(.0))]
    Database(DbErr),
    /// What was committed could not be flushed to the disk.
    #[error("the database's log could not be flushed: {0}")]
    Flush(std::io::Error),
    /// It has no secret, which a migration writes.
    #[error(
        "the database has no secret: its table `installation` is empty; restore it from a backup"
    )]
    SecretMissing,
}

impl StoreError {
    /// Why the file at `path` could not be opened.
    pub(super) fn cannot_open(path: String, error: DbErr) -> Self {
        let code = sqlite_error_of(&error).and_then(rusqlite::Error::sqlite_error_code);
        match code {
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => Self::CannotOpen { path, error },
            _ => error.into(),
        }
    }
}

/// Carries an error of SQLite through SeaORM, whose own variants are for `sqlx`.
pub(super) fn sqlite_error(error: rusqlite::Error) -> DbErr {
    DbErr::TryIntoErr { from: "statement", into: "result", source: Arc::new(error) }
}

fn sqlite_error_of(error: &DbErr) -> Option<&rusqlite::Error> {
    let DbErr::TryIntoErr { source, .. } = error else { return None };
    source.downcast_ref()
}

/// What a database says, without the line of its own source.
fn plain(error: &sqlx::Error) -> String {
    error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
}

fn plain_of(error: &DbErr) -> String {
    if let DbErr::Conn(RuntimeErr::SqlxError(error))
    | DbErr::Exec(RuntimeErr::SqlxError(error))
    | DbErr::Query(RuntimeErr::SqlxError(error)) = error
    {
        return plain(error);
    }
    sqlite_error_of(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// read_only_sql_transaction
const READ_ONLY: &str = "25006";
/// insufficient_privilege, undefined_function, feature_not_supported
const DENIED: [&str; 3] = ["42501", "42883", "0A000"];

/// What an error says of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The connection is gone, whatever became of the statement.
    Connection,
    /// The transaction was given up for another's sake.
    Contention,
    /// It took too long.
    Time,
    /// The data are at fault.
    Data,
    /// A row with the same key exists.
    Conflict,
    /// The statement is at fault, or something else.
    Other,
}

impl Fault {
    pub(super) fn from_error(error: &DbErr) -> Self {
        if let DbErr::ConnectionAcquire(error) = error {
            match error {
                ConnAcquireErr::Timeout => Self::Time,
                ConnAcquireErr::ConnectionClosed => Self::Connection,
            }
        } else if let DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) = error
        {
            Self::from_driver(error)
        } else if let Some(error) = sqlite_error_of(error) {
            Self::from_sqlite(error)
        } else {
            Self::Other
        }
    }

    fn from_sqlite(error: &rusqlite::Error) -> Self {
        if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) {
            return Self::Time;
        }
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match extended {
            Some(SQLITE_CONSTRAINT_UNIQUE | SQLITE_CONSTRAINT_PRIMARYKEY) => Self::Conflict,
            _ => Self::Other,
        }
    }

    /// Whether what failed would have written, and the session may only read.
    pub(super) fn is_read_only(error: &DbErr) -> bool {
        code_of(error).is_some_and(|code| code == READ_ONLY)
    }

    /// Whether the database lacks what it was asked for, or lets others have it alone.
    pub(super) fn is_denied(error: &DbErr) -> bool {
        code_of(error).is_some_and(|code| DENIED.contains(&&*code))
    }

    fn from_driver(error: &sqlx::Error) -> Self {
        use sqlx::Error as E;

        if let E::Database(error) = error {
            let postgres = error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
            return postgres.map_or(Self::Other, |error| Self::from_sqlstate(error.code()));
        }
        if matches!(error, E::PoolTimedOut) {
            Self::Time
        } else if matches!(
            error,
            E::Io(_) | E::Protocol(_) | E::Tls(_) | E::PoolClosed | E::WorkerCrashed
        ) {
            Self::Connection
        } else {
            Self::Other
        }
    }

    /// PostgreSQL's error codes (its documentation, appendix A).
    fn from_sqlstate(code: &str) -> Self {
        match code {
            // serialization_failure, deadlock_detected
            "40001" | "40P01" => Self::Contention,
            // query_canceled, lock_not_available, too_many_connections
            "57014" | "55P03" | "53300" => Self::Time,
            // A server that was the primary when the connection was made;
            // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped,
            // idle_session_timeout, idle_in_transaction_session_timeout
            READ_ONLY | "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => {
                Self::Connection
            }
            // connection exceptions; what PgBouncer says when it loses the server
            code if code.starts_with("08") => Self::Connection,
            // data exceptions, such as a letter that the database's encoding lacks; limits exceeded
            // unique_violation
            "23505" => Self::Conflict,
            code if code.starts_with("22") || code.starts_with("54") => Self::Data,
            _ => Self::Other,
        }
    }
}

/// The code of a database's error.
fn code_of(error: &DbErr) -> Option<Cow<'_, str>> {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) =
        error
    else {
        return None;
    };
    error.as_database_error()?.code()
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        sqlite_error(error).into()
    }
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        match Fault::from_error(&error) {
            Fault::Connection => Self::Unavailable,
            Fault::Time => Self::Busy,
            Fault::Contention => Self::Retryable(error.into()),
            Fault::Data => Self::InvalidData(error),
            Fault::Conflict => Self::Conflict,
            Fault::Other => Self::Database(error),
        }
    }
}
