//! Signals: being told to stop in the middle of something that is better brought to an end.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use super::Failure;

/// What a shell says of a process that was ended by a signal: 128 and its number.
const INTERRUPTED: u8 = 128 + 2;
const TERMINATED: u8 = 128 + 15;

/// Ready at the first Ctrl-C or SIGTERM, with the exit status for it. At the second the process ends
/// where it is.
///
/// # Errors
/// When the operating system does not tell of signals.
pub(super) fn listen() -> Result<impl Future<Output = u8>, Failure> {
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
        // Nobody waits for it where the work is done already.
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

/// Lets a write to a file that has reached its limit (`ulimit -f`) fail as on a full disk. Unless somebody
/// listens for the signal, it ends the process.
///
/// # Errors
/// When the operating system does not tell of signals.
pub(super) fn outlive_large_files() -> Result<(), Failure> {
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop).map_err(cannot_listen)
}

/// What the operating system's refusal comes to.
pub(super) fn cannot_listen(error: io::Error) -> Failure {
    Failure::Other(format!("cannot listen for signals: {error}"))
}
