//! Scenes that run at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::runtime::Builder;

/// Runs a scene for each item, each on a thread of its own, and returns their results.
pub(crate) fn run_on_threads<I: Send, R: Send>(
    items: impl IntoIterator<Item = I>,
    scene: impl AsyncFn(I) -> R + Sync,
) -> Vec<R> {
    let run = |item: I| {
        // A scene may block its thread for longer than the server keeps an idle connection. The worker
        // notices that the server has closed it.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(scene(item))
    };
    thread::scope(|scope| {
        let spawn = |item| scope.spawn(|| run(item));
        let threads: Vec<_> = items.into_iter().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Sets a flag when it is dropped, so that the threads of a scope end even if the test fails.
pub(crate) struct SetOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
