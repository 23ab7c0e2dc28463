//! A connection on which the statements of one transaction run one after another, and the blocking
//! threads on which they wait for the disk.

use std::panic::resume_unwind;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;
use sea_orm::{ConnAcquireErr, DbErr};
use tokio::task::spawn_blocking;

use super::file::OpenFile;
use super::statement;
use crate::store::call::{Call, CallResult};
use crate::store::error::sqlite_error;

/// A connection that the session and the thread of a running statement own together. The connection
/// is thus not returned before the statement of a cancelled caller ends.
#[derive(Debug)]
pub(in crate::store) struct SqliteSession<C> {
    connection: Arc<Mutex<C>>,
    file: OpenFile,
}

/// A connection that runs one operation at a time.
pub(in crate::store) trait Operate: Send + 'static {
    /// Runs an operation on the connection. It blocks the thread meanwhile.
    fn operate<T>(&self, operation: impl FnOnce(&Connection) -> T) -> T;
}

impl<C: Operate> SqliteSession<C> {
    pub(super) fn new(connection: C, file: OpenFile) -> Self {
        Self { connection: Arc::new(Mutex::new(connection)), file }
    }

    pub(in crate::store) async fn run(&self, call: Call) -> Result<CallResult, DbErr> {
        self.with(move |connection| statement::run(connection, &call)).await
    }

    /// Runs `work` with the connection on a blocking thread.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DbErr> {
        let result = self.operate(work).await?;
        result.inspect_err(|error| self.file.note_error(error)).map_err(sqlite_error)
    }

    /// Runs an operation on a blocking thread.
    pub(super) async fn operate<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Connection) -> T + Send + 'static,
    ) -> Result<T, DbErr> {
        let shared = Arc::clone(&self.connection);
        run_blocking(move || shared.lock().operate(operation)).await
    }
}

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
