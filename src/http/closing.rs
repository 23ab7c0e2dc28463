//! The end of a server, of which connections and listeners learn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// Whether the server is closing.
#[derive(Debug, Clone, Default)]
pub struct Closing(Arc<ClosingState>);

#[derive(Debug, Default)]
struct ClosingState {
    /// Every response reads this value. The token would need a lock for it.
    has_begun: AtomicBool,
    token: CancellationToken,
}

impl Closing {
    /// Begins to close the server.
    pub fn begin(&self) {
        self.0.has_begun.store(true, Ordering::Release);
        self.0.token.cancel();
    }

    /// Returns whether the server is closing.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.0.has_begun.load(Ordering::Acquire)
    }

    /// Waits until the server begins to close.
    pub async fn wait(&self) {
        self.0.token.cancelled().await;
    }
}
