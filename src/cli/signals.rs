//! Signals that stop a command between two steps of its work.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use super::error::CommandError;

/// Exit codes with which shells report these signals: 128 plus the number of the signal.
const INTERRUPTED: u8 = 128 + 2;
const TERMINATED: u8 = 128 + 15;

/// Returns a future that is ready at the first SIGINT or SIGTERM, with its exit code. The second one
/// ends the process at once.
///
/// # Errors
/// If the operating system does not deliver signals.
pub(super) fn listen() -> Result<impl Future<Output = u8>, CommandError> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(cannot_listen)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(cannot_listen)?;
    let (sender, first) = oneshot::channel();
    tokio::spawn(async move {
        let mut next = async || {
            tokio::select! {
                _ = interrupt.recv() => INTERRUPTED,
                _ = terminate.recv() => TERMINATED,
            }
        };
        // Fails if the command has completed.
        let _ = sender.send(next().await);
        std::process::exit(next().await.into());
    });
    Ok(async {
        match first.await {
            Ok(status) => status,
            Err(_) => std::future::pending().await,
        }
    })
}

/// Ignores SIGXFSZ. A write beyond the limit of file sizes (`ulimit -f`) then fails, as on a full
/// disk, instead of ending the process.
///
/// # Errors
/// If the operating system does not deliver signals.
pub(super) fn outlive_large_files() -> Result<(), CommandError> {
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop).map_err(cannot_listen)
}

/// Returns the error for signals that the operating system does not deliver.
pub(super) fn cannot_listen(error: io::Error) -> CommandError {
    CommandError::Other(format!("cannot listen for signals: {error}"))
}
