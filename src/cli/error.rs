//! The error of a command.

use std::io;

use crate::domain::AdminError;
use crate::domain::backup::BackupError;
use crate::server::ServeError;
use crate::store::StoreError;

/// The error of a command: one line for people, and a stable code for programs.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error(transparent)]
    Admin(#[from] AdminError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
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
    /// Returns the exit code of the program.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            // The reader of the pipe has closed it, because it has read enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Usage(_)
            | Self::Serve(ServeError::BaseUrl(_))
            | Self::Admin(
                AdminError::InvalidValue(_)
                | AdminError::ExpiryPassed
                | AdminError::BurstWithoutRate(_),
            ) => 2,
            Self::Interrupted { status, .. } => *status,
            Self::Admin(_)
            | Self::Store(_)
            | Self::Serve(_)
            | Self::Backup(_)
            | Self::Output(_)
            | Self::Unhealthy(_)
            | Self::Other(_) => 1,
        }
    }

    /// Returns the `code` of the error in JSON.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Admin(AdminError::Store(error)) => store_code(error),
            Self::Admin(AdminError::NoSuchOwner(_)) => "owner-not-found",
            Self::Admin(AdminError::OwnerExists(_)) => "owner-exists",
            Self::Admin(AdminError::OwnerSuspended(_)) => "owner-suspended",
            Self::Admin(AdminError::DeletionAborted(_)) => "deletion-aborted",
            Self::Admin(AdminError::NoSuchPlan(_)) => "plan-not-found",
            Self::Admin(AdminError::PlanExists(_)) => "plan-exists",
            Self::Admin(AdminError::BurstWithoutRate(_)) => "burst-without-rate",
            Self::Admin(AdminError::NoSuchLink(_) | AdminError::NoSuchLinks(_)) => "link-not-found",
            Self::Admin(AdminError::Incomplete { .. }) => "incomplete",
            Self::Admin(AdminError::LinksDeleted(_)) => "link-deleted",
            Self::Admin(AdminError::DestinationBlocked { .. }) => "destination-blocked",
            Self::Admin(AdminError::ExpiryPassed) => "expiry-passed",
            Self::Admin(AdminError::InvalidValue(_)) => "invalid-value",
            Self::Admin(AdminError::NoSuchEvent(_)) => "event-not-found",
            Self::Admin(AdminError::CannotUndo { .. }) => "cannot-undo",
            Self::Admin(AdminError::BlockImportLost) => "import-lost",
            Self::Admin(AdminError::NoSuchPatterns(_)) => "pattern-not-found",
            Self::Admin(AdminError::NoSuchBlockSource(_)) => "source-not-found",
            Self::Admin(AdminError::NoSuchKey(_) | AdminError::UnknownKey) => "key-not-found",
            Self::Store(error) | Self::Serve(ServeError::Store(error)) => store_code(error),
            Self::Serve(ServeError::BaseUrl(_)) => USAGE,
            Self::Backup(BackupError::Store(error)) => store_code(error),
            Self::Backup(BackupError::Invalid { .. } | BackupError::SchemaUnknown { .. }) => {
                "backup-invalid"
            }
            Self::Backup(BackupError::TargetExists { .. }) => "target-exists",
            Self::Backup(_) => "backup-failed",
            Self::Serve(_) => "server-failed",
            Self::Output(_) => "output-failed",
            Self::Usage(_) => USAGE,
            Self::Unhealthy(_) => "unhealthy",
            Self::Other(_) => "failed",
            Self::Interrupted { .. } => "interrupted",
        }
    }
}

/// The code of invalid usage.
pub(super) const USAGE: &str = "usage";

fn store_code(error: &StoreError) -> &'static str {
    if let StoreError::Missing { .. }
    | StoreError::DirectoryMissing { .. }
    | StoreError::EmptyFile { .. } = error
    {
        "database-not-found"
    } else if let StoreError::TargetNotEmpty = error {
        "target-exists"
    } else {
        "database-failed"
    }
}
