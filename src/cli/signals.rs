//! Signals that stop a command between two steps of its work.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::error::{CommandError, Result};
use super::output::pluralize;
use crate::domain::Error;

/// Exit code after SIGINT: 128 plus the number of the signal, as in shells.
const INTERRUPTED: u8 = 128 + 2;
/// Exit code after SIGTERM, by the same rule.
const TERMINATED: u8 = 128 + 15;

/// Returns a future that completes at the first SIGINT or SIGTERM with the exit code for the
/// signal. A second signal ends the process at once.
///
/// # Errors
/// If the operating system does not deliver signals.
pub(super) fn listen() -> Result<impl Future<Output = u8>> {
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
        // This fails if the command has already completed.
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

/// The exit code for the signal that stopped a change, if a signal did.
#[derive(Debug)]
pub(super) struct StopSignal(watch::Receiver<u8>);

impl StopSignal {
    /// Converts the error of a change. If a signal stopped the change, the new error has the exit
    /// code for the signal.
    pub(super) fn convert_error(&self, error: Error) -> CommandError {
        let Error::Incomplete { event, changed, cause: None } = error else { return error.into() };
        let event = event.map_or(String::new(), |event| format!(" (event {event})"));
        self.interrupted(&format!(
            "stopped by a signal after {}{event}; run the command again to change the rest",
            pluralize(changed, "change")
        ))
    }

    /// Returns the error of a command that the signal stopped, with `text` as its message.
    pub(super) fn interrupted(&self, text: &str) -> CommandError {
        CommandError::Interrupted { text: text.to_owned(), status: *self.0.borrow() }
    }

    /// Waits for the signal.
    pub(super) async fn wait(&self) {
        if self.0.clone().wait_for(|status| *status > 0).await.is_err() {
            std::future::pending().await
        }
    }
}

/// Makes the first SIGINT or SIGTERM stop a change after the slice in progress. A second signal
/// ends the process at once.
///
/// # Errors
/// If the operating system does not deliver signals.
pub(super) fn request_stop(stop: &CancellationToken) -> Result<StopSignal> {
    let (signals, stop) = (listen()?, stop.clone());
    let (sender, receiver) = watch::channel(0);
    tokio::spawn(async move {
        sender.send_replace(signals.await);
        stop.cancel();
    });
    Ok(StopSignal(receiver))
}

/// Ignores SIGXFSZ. A write beyond the maximum file size (`ulimit -f`) then fails, as on a full
/// disk, but does not end the process.
///
/// # Errors
/// If the operating system does not deliver signals.
pub(super) fn ignore_file_size_signal() -> Result {
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop).map_err(cannot_listen)
}

/// Creates the error of a command that cannot listen for signals.
pub(super) fn cannot_listen(error: io::Error) -> CommandError {
    CommandError::Other(format!("cannot listen for signals: {error}"))
}
