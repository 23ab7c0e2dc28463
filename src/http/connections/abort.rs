//! Aborts responses, even if their clients do not read.

use hyper::rt::Executor;
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    /// Ends the task: on HTTP/1.1 that of the connection, on HTTP/2 that of one response.
    static TASK_END: CancellationToken;
}

/// Handle that aborts a response. The client sees that the response is incomplete.
#[derive(Debug, Clone)]
pub struct ResponseAbort(CancellationToken);

impl ResponseAbort {
    /// Returns the handle for the response of the current task. Callers must run in a task of
    /// [`serve`](super::serve).
    pub fn current() -> Self {
        Self(TASK_END.try_with(Clone::clone).unwrap_or_default())
    }

    /// Aborts the response: closes an HTTP/1.1 connection, or resets an HTTP/2 stream.
    pub fn abort(&self) {
        self.0.cancel();
    }
}

/// Runs a task, whose responses the token aborts.
pub(super) async fn run(token: CancellationToken, task: impl Future) {
    token.run_until_cancelled(TASK_END.scope(token.clone(), task)).await;
}

/// Executor of the tasks that send HTTP/2 responses.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseExecutor;

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for ResponseExecutor {
    fn execute(&self, task: F) {
        tokio::spawn(run(CancellationToken::new(), task));
    }
}
