//! Work on blocking threads, which may wait for the disk.

use std::panic::resume_unwind;

use sea_orm::{ConnAcquireErr, DbErr};
use tokio::task::spawn_blocking;

/// Runs `work` on a blocking thread and returns its result. If `work` panics, the caller panics
/// too.
///
/// # Errors
/// If the runtime is shutting down.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, DbErr> {
    spawn_blocking(work).await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed),
    })
}
