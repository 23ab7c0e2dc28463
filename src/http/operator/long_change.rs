//! Changes that may take long, which end after the slice in progress if the server shuts down.

use crate::domain::Error;
use crate::domain::changes::Change;

/// Runs a change in a task of its own. If the server shuts down and does not wait any longer, it drops
/// this future, which requests the stop of the change: the slice in progress is completed, and the event
/// says how far the change came.
///
/// # Errors
/// The error of the change.
pub async fn run<T, F>(change: Change, work: impl FnOnce(Change) -> F) -> Result<T, Error>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Error>> + Send + 'static,
{
    let stop = change.stop.clone().drop_guard();
    let result = tokio::spawn(work(change)).await;
    stop.disarm();
    match result {
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
