//! Threads of workers that block on the disk.

use std::io;
use std::thread::Builder;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Runs a worker on a thread of its own, because it blocks on the disk. The returned receiver
/// completes when the worker ends.
pub(super) fn spawn_thread<T: Send + 'static>(
    name: &str,
    worker: impl Future<Output = T> + Send + 'static,
) -> Result<oneshot::Receiver<T>, io::Error> {
    let (mut sender, receiver) = oneshot::channel();
    let runtime = Handle::current();
    let work = move || {
        let result = runtime.block_on(async {
            tokio::select! {
                result = worker => Some(result),
                // The server has failed, and its runtime is about to shut down.
                () = sender.closed() => None,
            }
        });
        if let Some(result) = result {
            let _ = sender.send(result);
        }
    };
    Builder::new().name(name.to_owned()).spawn(work)?;
    Ok(receiver)
}
