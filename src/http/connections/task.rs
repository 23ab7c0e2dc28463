//! The tasks that send responses: one per HTTP/1.1 connection and one per HTTP/2 request.

use hyper::rt::Executor;
use tokio::task_local;
use tokio_util::sync::CancellationToken;

task_local! {
    static RESPONSE: CancellationToken;
}

/// Spawns tasks whose responses can be aborted.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseExecutor;

impl<F> Executor<F> for ResponseExecutor
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, future: F) {
        let token = CancellationToken::new();
        let aborted = token.clone();
        // Each future around another one may reserve memory for it several times, in every task.
        let future = Box::pin(future);
        tokio::spawn(RESPONSE.scope(token, async move {
            aborted.run_until_cancelled(future).await;
        }));
    }
}

/// Returns a token whose cancellation aborts the response to the request of this task, even while
/// the client reads nothing. It closes the connection on HTTP/1.1, and only the request's stream on
/// HTTP/2.
///
/// An error of the body does not abort a response: poem would poll the connection again, and hyper
/// would end the body as if it were complete.
pub fn response_token() -> CancellationToken {
    RESPONSE.try_with(Clone::clone).unwrap_or_default()
}
