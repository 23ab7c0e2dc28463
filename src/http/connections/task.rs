//! The tasks that send responses: one per HTTP/1.1 connection and one per HTTP/2 request. A request
//! that may change something outlives them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::rt::Executor;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task_local;
use tokio_util::sync::CancellationToken;

task_local! {
    static RESPONSE: CancellationToken;
    static CLIENT_DISCONNECTED: ();
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

/// Returns whether the client of this task's request, which may change something, has disconnected.
pub fn is_client_disconnected() -> bool {
    CLIENT_DISCONNECTED.try_with(|()| ()).is_ok()
}

/// What a server waits for, and finally drops, when it shuts down.
pub(super) struct Unfinished {
    /// The server waits until all senders are dropped.
    pub(super) _open: mpsc::Sender<Infallible>,
    /// Cancelled when the server no longer waits for requests without a client.
    pub(super) abort: CancellationToken,
}

/// A request that may change something. If its client disconnects, this future is dropped, and the
/// request continues in a task of its own. The server thus logs and counts whatever takes effect.
pub(super) struct LastingRequest<F: Future<Output: Send> + Send + 'static> {
    /// `None` once the request has its response.
    request: Option<Pin<Box<F>>>,
    permit: Option<OwnedSemaphorePermit>,
    unfinished: Arc<Unfinished>,
}

impl<F: Future<Output: Send> + Send + 'static> LastingRequest<F> {
    pub(super) const fn new(
        request: Pin<Box<F>>,
        permit: Option<OwnedSemaphorePermit>,
        unfinished: Arc<Unfinished>,
    ) -> Self {
        Self { request: Some(request), permit, unfinished }
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for LastingRequest<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(request) = &mut self.request else { return Poll::Pending };
        let output = ready!(request.as_mut().poll(context));
        self.request = None;
        Poll::Ready(output)
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for LastingRequest<F> {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let (permit, unfinished) = (self.permit.take(), Arc::clone(&self.unfinished));
        tokio::spawn(CLIENT_DISCONNECTED.scope((), async move {
            unfinished.abort.run_until_cancelled(request).await;
            drop((permit, unfinished));
        }));
    }
}
