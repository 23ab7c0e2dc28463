//! The error of a command.

use std::fmt::Display;
use std::io;

use crate::domain::Error;
use crate::domain::backup::BackupError;
use crate::server::ServeError;
use crate::store::StoreError;

/// Result of a command, or of a step of it.
pub(super) type Result<T = (), E = CommandError> = std::result::Result<T, E>;

/// The error of a command: one line for people, and a stable code for programs.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error("{}", with_advice(.0, advice(.0)))]
    Domain(#[from] Error),
    #[error("{}", with_advice(.0, advice_on_store(.0)))]
    Store(#[from] StoreError),
    #[error("{}", with_advice(.0, advice_on_server(.0)))]
    Serve(#[from] ServeError),
    /// The database could not be opened. The location has no password.
    #[error("{error}; {option} leads to {location}")]
    NotReached { error: StoreError, location: String, option: &'static str },
    #[error("{}", with_advice(.0, advice_on_backup(.0)))]
    Backup(#[from] BackupError),
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    /// Invalid arguments, or a combination that is not allowed.
    #[error("{0}")]
    Usage(String),
    /// The server is not healthy.
    #[error("{0}")]
    Unhealthy(String),
    #[error("{0}")]
    Other(String),
    /// A signal stopped the command. `status` is the exit code.
    #[error("{text}")]
    Interrupted { text: String, status: u8 },
}

impl CommandError {
    pub(super) fn usage(text: impl Display) -> Self {
        Self::Usage(text.to_string())
    }

    pub(super) fn other(text: impl Display) -> Self {
        Self::Other(text.to_string())
    }

    /// Returns the exit code of the program.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            // The reader of the pipe has closed it, because it has read enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Usage(_)
            | Self::Serve(ServeError::BaseUrl(_))
            | Self::Domain(Error::Invalid(_) | Error::ExpiryPassed | Error::BurstWithoutRate(_)) => {
                2
            }
            Self::Store(StoreError::Unconfirmed) => UNCONFIRMED,
            Self::Domain(error) if error.is_unconfirmed() => UNCONFIRMED,
            Self::Interrupted { status, .. } => *status,
            Self::Domain(_)
            | Self::Store(_)
            | Self::Serve(_)
            | Self::NotReached { .. }
            | Self::Backup(_)
            | Self::Output(_)
            | Self::Unhealthy(_)
            | Self::Other(_) => 1,
        }
    }

    /// Returns the text of the error. `shows_key` says whether the command creates a key and prints
    /// it, so that repeating the command would create another one.
    pub(super) fn text(&self, shows_key: bool) -> String {
        match self.exit_code() {
            UNCONFIRMED if shows_key => {
                format!("{self}; the key exists, do not repeat the command")
            }
            UNCONFIRMED => format!("{self}; repeating the command is safe"),
            _ => self.to_string(),
        }
    }

    /// Returns the `code` of the error in JSON.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Domain(error) => error.code(),
            Self::Store(error)
            | Self::Serve(ServeError::Store(error))
            | Self::NotReached { error, .. } => error.code(),
            Self::Serve(ServeError::BaseUrl(_)) => USAGE,
            Self::Backup(error) => error.code(),
            Self::Serve(_) => "server-failed",
            Self::Output(_) => "output-failed",
            Self::Usage(_) => USAGE,
            Self::Unhealthy(_) => "unhealthy",
            Self::Other(_) => "failed",
            Self::Interrupted { .. } => "interrupted",
        }
    }
}

/// The exit code of a change that is stored, but not confirmed by a synchronous standby.
const UNCONFIRMED: u8 = 3;

/// The code of invalid usage.
pub(super) const USAGE: &str = "usage";

/// Returns the text of an error, and what the operator can do about it.
fn with_advice(error: &dyn Display, advice: Option<&str>) -> String {
    advice.map_or_else(|| error.to_string(), |advice| format!("{error}; {advice}"))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most errors need no advice")]
fn advice(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::OwnerSuspended(_) => "`terse owner resume` ends that",
        Error::OwnerNotFound(_) => "`terse owner list` shows all",
        Error::KeyNotFound(_) => "`terse key list OWNER` shows an owner's keys",
        Error::LinksNotFound(_) => "`terse link find` finds links; letter case matters in codes",
        Error::EventNotFound(_) => "`terse history` shows the events",
        Error::PlanNotFound(_) => "`terse plan list` shows all, `terse plan add` creates one",
        Error::PlanExists(_) => "`terse plan set` changes it",
        Error::OperatorNotFound(_) => "`terse operator list` shows all",
        Error::OperatorExists(_) => "revoke it first, or choose another name",
        Error::BurstWithoutRate(_) => "set --requests together with --burst",
        Error::ExpiryPassed => "`terse link disable` disables a link",
        Error::KeyLimitReached(_) => "`terse key revoke` ends one",
        Error::Incomplete { .. } => "run the command again to change the rest",
        Error::BlockImportLost => "run it again",
        Error::BlockSourceNotFound(_) | Error::PatternsNotFound(_) => {
            "`terse block list` shows all"
        }
        Error::DomainNotFound(_) => "`terse domain list` shows all",
        Error::Store(error) => return advice_on_store(error),
        _ => return None,
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most errors need no advice")]
fn advice_on_store(error: &StoreError) -> Option<&'static str> {
    Some(match error {
        StoreError::Busy => "another program may hold a lock in it; run the command again",
        StoreError::Unavailable => "run the command again when it does",
        StoreError::TargetNotEmpty => {
            "give a new file, or an empty database; if an earlier copy was interrupted, it was complete"
        }
        StoreError::DamagedLink(_) => {
            "compare the link with a backup; `terse check --accept-damaged-links` accepts its row as it is"
        }
        StoreError::Damaged(_) => {
            "stop the server, keep a copy of the file, and restore a backup with `terse restore`"
        }
        _ => return None,
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most errors need no advice")]
fn advice_on_server(error: &ServeError) -> Option<&'static str> {
    Some(match error {
        ServeError::Metrics(_) | ServeError::TaskExited(_) => {
            "this is a bug of Terse: please report it with the log"
        }
        ServeError::ClicksLost { .. } => {
            "give the server a spool directory that it can write to (--spool-directory)"
        }
        ServeError::Store(error) => return advice_on_store(error),
        ServeError::Backup(error) => return advice_on_backup(error),
        _ => return None,
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most errors need no advice")]
fn advice_on_backup(error: &BackupError) -> Option<&'static str> {
    Some(match error {
        BackupError::NotSqlite => "back up PostgreSQL with `pg_dump`",
        BackupError::SchemaUnknown { .. } => "use a newer terse",
        BackupError::SchemaOutdated { .. } => {
            "restore it to an SQLite file, run `terse migrate` on that, and copy it with `terse copy`"
        }
        BackupError::Store(error) => return advice_on_store(error),
        _ => return None,
    })
}
