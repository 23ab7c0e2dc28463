//! Errors that stop a server.

use std::path::PathBuf;

use super::listener::ListenError;
use crate::domain::backup::BackupError;
use crate::domain::blocks::BlockFileError;
use crate::domain::clicks::spool::SpoolDirectoryError;
use crate::http::PagesError;
use crate::store::StoreError;
use crate::values::ValidationError;

/// Error that stops a server, or prevents its start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The server cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The base URL derived from the listen address is invalid.
    #[error("the base URL {0}")]
    BaseUrl(#[from] ValidationError),
    /// A page cannot be rendered.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The block file cannot be read.
    #[error(transparent)]
    BlockFile(#[from] BlockFileError),
    /// The spool directory is missing or not writable.
    #[error(transparent)]
    SpoolDirectory(#[from] SpoolDirectoryError),
    /// The backup directory cannot be used.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The metrics cannot be registered; this is a bug.
    #[error("the metrics cannot be registered: {0}")]
    Metrics(#[from] prometheus::Error),
    /// A required background task, named here, has exited; this is a bug.
    #[error("background task {0} exited unexpectedly")]
    TaskExited(&'static str),
    /// At shutdown, the server could store clicks neither in the database nor in a spool file.
    #[error(
        "{clicks} clicks are lost: the database did not store them, and they cannot be saved in {directory}: {error}"
    )]
    ClicksLost {
        /// Number of lost clicks.
        clicks: i64,
        /// Spool directory.
        directory: PathBuf,
        /// Error that occurred while the server wrote the spool file.
        error: std::io::Error,
    },
    /// The client of webhooks has no version of TLS; this is a bug.
    #[error("webhooks have no TLS: {0}")]
    Tls(#[from] tokio_rustls::rustls::Error),
    /// The operating system cannot start a thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}
