//! The end of a list response before it is complete.

use std::fmt::Display;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::domain::keys;
use crate::http::connections::ResponseAbort;
use crate::http::request_id::RequestId;
use crate::http::state::AppState;
use crate::values::KeyHash;

/// Aborts a list response if the database fails, or if the API key becomes invalid. The response
/// owns this value until it is complete.
pub(super) struct ListAborter {
    abort: ResponseAbort,
    request_id: RequestId,
    /// The task that waits until the key is invalid. It ends with this value. It is a task of its
    /// own, because the response is not polled while its client does not read.
    _wait: JoinSet<()>,
}

impl ListAborter {
    pub(super) fn new(app: &AppState, key: KeyHash, request_id: RequestId) -> Self {
        let abort = ResponseAbort::current();
        let (store, caches, wait_abort) =
            (app.store.clone(), Arc::clone(&app.caches), abort.clone());
        let mut wait = JoinSet::new();
        wait.spawn(async move {
            keys::wait_until_invalid(&store, &caches.keys, key).await;
            tracing::warn!(%request_id, "list response aborted, because its API key is no longer valid");
            wait_abort.abort();
        });
        Self { abort, request_id, _wait: wait }
    }

    /// Aborts the response after an error. The returned error ends its body.
    pub(super) fn abort(&self, error: &dyn Display) -> std::io::Error {
        let request_id = self.request_id;
        tracing::error!(%request_id, %error, "list response aborted");
        self.abort.abort();
        std::io::Error::other("list response aborted")
    }
}
