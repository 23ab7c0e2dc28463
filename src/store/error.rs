//! Errors of the database, classified in the same way for both drivers, and retries after them.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use migration::SchemaStatus;
use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr, sqlx};

use super::files::free_space;

/// Error of a database operation.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A row with the same unique key exists.
    #[error("it already exists")]
    Conflict,
    /// The database lacks migrations that this program needs.
    #[error("the database is not up to date; run `terse migrate` or start the server")]
    SchemaOutdated,
    /// The schema has a later major version than this program.
    #[error(
        "the database has a schema of major version {major}, and this program knows version {}; \
         use a newer terse",
        migration::MAJOR_VERSION
    )]
    SchemaTooNew {
        /// Major version of the database's schema.
        major: u32,
    },
    /// There is no file at this path, and the command does not create one.
    #[error(
        "there is no database at {0}; `terse migrate --create` creates one, and so does `terse serve` unless the URL has mode=rw or mode=ro"
    )]
    Missing(String),
    /// This directory of the SQLite file does not exist.
    #[error("the directory {0} of the database does not exist")]
    DirectoryMissing(String),
    /// The SQLite file at this path is empty, and the command does not create a database.
    #[error("the file {0} is empty: `terse migrate --create` makes a database in it")]
    EmptyFile(String),
    /// The SQLite file at this path contains tables of another program.
    #[error("{0} is the database of another program: it has tables, but not those of Terse")]
    Foreign(String),
    /// SQLite cannot create, read or write the database file or one of the files next to it.
    #[error("the database {path} cannot be opened; it and its directory must be writable: {}", message_of(.error))]
    CannotOpen {
        /// Path of the database file.
        path: String,
        /// Error of SQLite.
        error: DbErr,
    },
    /// SQLite cannot open the database, because its log and shared memory need space on the disk.
    #[error("the database {path} cannot be opened; its disk has only {free} free bytes")]
    NoSpace {
        /// Path of the database file.
        path: String,
        /// Free space on the disk.
        free: u64,
    },
    /// The database file at this path was deleted or replaced while this process used it.
    #[error(
        "the database file {0} was deleted or replaced while it was in use; restart the server"
    )]
    Replaced(String),
    /// The SQLite file is damaged. The text says which file, if it is known, and how.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The row of this link does not match its checksum.
    #[error("the row of the link '{0}' does not match its checksum")]
    DamagedLink(String),
    /// The source or target does not meet the conditions of a copy, or the copy differs from the
    /// source.
    #[error("{0}")]
    Copy(String),
    /// The target of a copy contains data.
    #[error(
        "the target is not empty: it must have no owners and no history yet; nothing was copied"
    )]
    TargetNotEmpty,
    /// No link can be created, because the owner was suspended or deleted.
    #[error("the owner was suspended or deleted meanwhile")]
    OwnerUnavailable,
    /// A wait for the database or a statement exceeded its timeout.
    #[error("the database was busy for too long")]
    Busy,
    /// The disk of the database is full.
    #[error("the disk of the database is full")]
    DiskFull,
    /// The database neither completes nor rejects commits, or it is read-only.
    #[error("the database cannot commit: {0}")]
    CannotCommit(StallReason),
    /// The transaction is stored on the server, but no synchronous standby has confirmed it.
    #[error("stored on this server, not confirmed by its standby")]
    Unconfirmed,
    /// The database aborted the transaction because of a concurrent one. Nothing has changed, and
    /// the caller can retry.
    #[error("the database aborted the transaction in favour of a concurrent one: {0}")]
    Retryable(Box<dyn std::error::Error + Send + Sync>),
    /// The database rejected the data, for example a character that its encoding lacks. Nothing has
    /// changed.
    #[error("the database rejected the data: {}", message_of(.0))]
    InvalidData(DbErr),
    /// The database does not respond.
    #[error("the database does not respond")]
    Unavailable,
    /// The program could not connect when it started.
    #[error("the database cannot be reached: {}", driver_message(.0))]
    Unreachable(sqlx::Error),
    /// Any other failure: the database is full, read-only or damaged, for example.
    #[error("the database failed: {}", message_of(.0))]
    Database(DbErr),
    /// Committed transactions could not be flushed to disk.
    #[error("the database could not be flushed: {0}")]
    Flush(std::io::Error),
    /// Clicks could not be written into a spool file.
    #[error("the spool file could not be written: {0}")]
    Spool(std::io::Error),
    /// The click journal of this server cannot be used.
    #[error("the click journal {path} cannot be used: {reason}")]
    Journal {
        /// Path of the file.
        path: String,
        /// Why not.
        reason: String,
        /// Whether the file may have the clicks nevertheless.
        may_be_stored: bool,
    },
    /// Other users may have written a file of clicks. The text says which file, and why.
    #[error("{0}")]
    ForeignClicks(String),
    /// The primary has other links than the standby.
    #[error("the primary is the database of another installation")]
    OtherInstallation,
    /// The address of the primary leads to a standby.
    #[error(
        "the primary is a standby, too, perhaps the same one: --primary-url must lead to the primary"
    )]
    PrimaryIsStandby,
    /// The database has no secret, although a migration writes one.
    #[error(
        "the database has no secret: its table `installation` is empty; restore it from a backup"
    )]
    SecretMissing,
}

/// Free space in bytes that suffices to open a database.
const MIN_SPACE: u64 = 1 << 20;

impl StoreError {
    /// Returns the code of the error, by which programs distinguish errors.
    pub fn code(&self) -> &'static str {
        if let Self::Missing(_) | Self::DirectoryMissing(_) | Self::EmptyFile(_) = self {
            "database-not-found"
        } else if let Self::Unconfirmed = self {
            "not-confirmed"
        } else if let Self::TargetNotEmpty = self {
            "target-exists"
        } else {
            "database-failed"
        }
    }

    /// Converts an error of opening the file at `path`.
    pub(super) fn cannot_open(path: String, error: DbErr) -> Self {
        let code = sqlite_error_of(&error).and_then(rusqlite::Error::sqlite_error_code);
        match code {
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => Self::CannotOpen { path, error },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(format!("{path}: {}", message_of(&error)))
            }
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => {
                match free_space(Path::new(&path)) {
                    Ok(free) if free < MIN_SPACE => Self::NoSpace { path, free },
                    Ok(_) | Err(_) => error.into(),
                }
            }
            _ => error.into(),
        }
    }

    /// Converts an error of the click journal at `path`.
    pub(super) fn of_journal(path: &Path, error: &Self, may_be_stored: bool) -> Self {
        let reason = match free_space(path) {
            Ok(free) if free < MIN_SPACE => format!("its disk has only {free} free bytes"),
            Ok(_) | Err(_) => error.to_string(),
        };
        Self::Journal { path: path.display().to_string(), reason, may_be_stored }
    }
}

/// Returns `None` for a search whose text the database cannot store, for example because its
/// encoding lacks a character: no row has the text.
pub(super) fn absent_if_invalid<T>(
    found: Result<Option<T>, StoreError>,
) -> Result<Option<T>, StoreError> {
    match found {
        Err(StoreError::InvalidData(_)) => Ok(None),
        found => found,
    }
}

/// Wraps an error of SQLite in SeaORM's error type, whose other variants hold errors of `sqlx`.
pub(super) fn sqlite_error(error: rusqlite::Error) -> DbErr {
    DbErr::TryIntoErr { from: "statement", into: "result", source: Arc::new(error) }
}

/// Returns the error that [`sqlite_error`] wrapped, or `None` for any other error.
fn sqlite_error_of(error: &DbErr) -> Option<&rusqlite::Error> {
    let DbErr::TryIntoErr { source, .. } = error else { return None };
    source.downcast_ref()
}

/// Returns only the server's message. The driver's text adds a line of the server's source code.
fn driver_message(error: &sqlx::Error) -> String {
    error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
}

/// Returns the error of the driver of PostgreSQL, or `None` for any other error.
fn postgres_error_of(error: &DbErr) -> Option<&sqlx::Error> {
    let (DbErr::Conn(RuntimeErr::SqlxError(error))
    | DbErr::Exec(RuntimeErr::SqlxError(error))
    | DbErr::Query(RuntimeErr::SqlxError(error))) = error
    else {
        return None;
    };
    Some(error)
}

/// Returns the message of the driver without SeaORM's prefixes.
fn message_of(error: &DbErr) -> String {
    let message = postgres_error_of(error).map(driver_message);
    let message = message.or_else(|| sqlite_error_of(error).map(ToString::to_string));
    message.unwrap_or_else(|| error.to_string())
}

/// SQLSTATE read_only_sql_transaction.
const READ_ONLY: &str = "25006";
/// SQLSTATEs insufficient_privilege, undefined_function and feature_not_supported.
const DENIED: [&str; 3] = ["42501", "42883", "0A000"];

/// Class of a database error, which decides whether a caller retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorClass {
    /// The connection broke; the statement may have been executed or not.
    Disconnected,
    /// The database aborted the transaction because of a concurrent one.
    Retryable,
    /// A wait or a statement exceeded its timeout.
    Timeout,
    /// The database rejected the data.
    InvalidData,
    /// A row with the same unique key exists.
    Conflict,
    /// The SQLite file is damaged.
    Damaged,
    /// The disk of the database is full.
    DiskFull,
    /// Any other error.
    Other,
}

impl ErrorClass {
    /// Classifies an error of either driver.
    pub(super) fn from_error(error: &DbErr) -> Self {
        if let DbErr::ConnectionAcquire(error) = error {
            match error {
                ConnAcquireErr::Timeout => Self::Timeout,
                ConnAcquireErr::ConnectionClosed => Self::Disconnected,
            }
        } else if let Some(error) = postgres_error_of(error) {
            Self::from_driver(error)
        } else if let Some(error) = sqlite_error_of(error) {
            Self::from_sqlite(error)
        } else {
            Self::Other
        }
    }

    fn from_sqlite(error: &rusqlite::Error) -> Self {
        // Statements name only columns and tables of migrations that are applied, so if one is missing, the
        // schema in the file is damaged.
        if let rusqlite::Error::SqlInputError { msg, .. } = error
            && (msg.starts_with("no such column: ") || msg.starts_with("no such table: "))
        {
            return Self::Damaged;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => return Self::Timeout,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => return Self::Damaged,
            Some(ErrorCode::DiskFull) => return Self::DiskFull,
            _ => {}
        }
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match extended {
            Some(SQLITE_CONSTRAINT_UNIQUE | SQLITE_CONSTRAINT_PRIMARYKEY) => Self::Conflict,
            _ => Self::Other,
        }
    }

    /// Returns whether the statement failed because the session is read-only.
    pub(super) fn is_read_only(error: &DbErr) -> bool {
        code_of(error).is_some_and(|code| code == READ_ONLY)
    }

    /// Returns whether the statement failed because the database lacks a function or denies it to
    /// the user.
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
            Self::Timeout
        } else if matches!(
            error,
            E::Io(_) | E::Protocol(_) | E::Tls(_) | E::PoolClosed | E::WorkerCrashed
        ) {
            Self::Disconnected
        } else {
            Self::Other
        }
    }

    /// Classifies an error code of PostgreSQL (its documentation, appendix A).
    fn from_sqlstate(code: &str) -> Self {
        match code {
            // serialization_failure, deadlock_detected
            "40001" | "40P01" => Self::Retryable,
            // query_canceled, lock_not_available, too_many_connections
            "57014" | "55P03" | "53300" => Self::Timeout,
            // READ_ONLY: the server was the primary when the connection was opened, but is no
            // longer. The others: admin_shutdown, crash_shutdown, cannot_connect_now,
            // database_dropped, idle_session_timeout, idle_in_transaction_session_timeout
            READ_ONLY | "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => {
                Self::Disconnected
            }
            // Connection exceptions, which PgBouncer also reports if it loses the server.
            code if code.starts_with("08") => Self::Disconnected,
            // disk_full
            "53100" => Self::DiskFull,
            // unique_violation
            "23505" => Self::Conflict,
            // Data exceptions, such as a character that the database's encoding lacks, and program
            // limits exceeded.
            code if code.starts_with("22") || code.starts_with("54") => Self::InvalidData,
            _ => Self::Other,
        }
    }
}

/// Returns the SQLSTATE of an error of PostgreSQL, or `None` if the error has none.
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
        if ErrorClass::is_read_only(&error) {
            return Self::CannotCommit(StallReason::ReadOnly);
        }
        match ErrorClass::from_error(&error) {
            ErrorClass::Disconnected => Self::Unavailable,
            ErrorClass::Timeout => Self::Busy,
            ErrorClass::Retryable => Self::Retryable(error.into()),
            ErrorClass::InvalidData => Self::InvalidData(error),
            ErrorClass::Conflict => Self::Conflict,
            ErrorClass::Damaged => Self::Damaged(message_of(&error)),
            ErrorClass::DiskFull => Self::DiskFull,
            ErrorClass::Other => Self::Database(error),
        }
    }
}

/// Reason why nothing can be committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StallReason {
    /// The disk of the database completes no write.
    #[error("the disk does not respond")]
    Disk,
    /// The database accepts no writes.
    #[error("it is read-only")]
    ReadOnly,
    /// PostgreSQL waits until a synchronous standby confirms the commit.
    #[error("no synchronous standby confirms commits")]
    Standby,
    /// PostgreSQL replays the log of its primary.
    #[error("it is a standby")]
    Recovery,
}

/// Maximum number of attempts per transaction.
const MAX_ATTEMPTS: u32 = 20;
/// Wait before the second attempt. Each further wait is longer by this time.
const BACKOFF_STEP: Duration = Duration::from_millis(2);

/// Number of failed attempts to run one transaction, which decides whether to retry it.
///
/// The database aborts a transaction in a deadlock, or if it cannot serialise the transaction with
/// a concurrent one. An aborted transaction has changed nothing and can run again.
#[derive(Debug, Default)]
pub struct Attempts {
    failed: u32,
}

impl Attempts {
    /// Returns whether the caller should retry after an attempt failed with `error`, if the store caused the
    /// failure. Waits before it returns true.
    pub async fn may_retry(&mut self, error: Option<&StoreError>) -> bool {
        let is_retryable = matches!(error, Some(StoreError::Retryable(_)));
        self.failed += 1;
        if !is_retryable || self.failed >= MAX_ATTEMPTS {
            return false;
        }
        tokio::time::sleep(BACKOFF_STEP * self.failed).await;
        true
    }
}

/// Returns whether the schema lacks migrations of this version of Terse.
///
/// # Errors
/// [`StoreError::SchemaTooNew`] if the schema has a later major version than this program.
pub(super) fn missing_migrations(status: SchemaStatus) -> Result<usize, StoreError> {
    match status {
        SchemaStatus::Current | SchemaStatus::Newer => Ok(0),
        SchemaStatus::Outdated(missing) => Ok(missing),
        SchemaStatus::Incompatible(major) => Err(StoreError::SchemaTooNew { major }),
    }
}
