//! A connection between two regions that breaks all the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Forwarder of TCP connections to a port of loopback. It passes on all that a client sends, but
/// only a part of the responses, and then cuts the connection. The server may thus have executed
/// what it did not confirm.
pub(super) struct Cuts {
    port: u16,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    /// Maximum number of bytes of responses. 0: no limit.
    max_bytes: AtomicU32,
    /// Whether the confirmation of each append is lost.
    loses_confirmations: AtomicBool,
    cuts: AtomicU32,
}

impl Cuts {
    /// Starts a forwarder that cuts each connection after at most this number of bytes.
    pub(super) async fn start(to: u16, max_bytes: u32, seed: u64) -> Self {
        let shared = Shared { max_bytes: max_bytes.into(), ..Shared::default() };
        Self::run(to, shared, seed).await
    }

    /// Starts a forwarder that cuts connections when the server confirms an append of clicks.
    pub(super) async fn of_confirmations(to: u16) -> Self {
        Self::run(to, Shared { loses_confirmations: true.into(), ..Shared::default() }, 0).await
    }

    async fn run(to: u16, shared: Shared, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(shared);
        let (state, mut rng) = (Arc::clone(&shared), StdRng::seed_from_u64(seed));
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)).await else { continue };
                let max = state.max_bytes.load(Ordering::SeqCst);
                let budget = (max > 0).then(|| rng.random_range(0..max) as usize);
                let is_append_cut = state.loses_confirmations.load(Ordering::SeqCst)
                    || budget.is_some_and(|budget| budget.is_multiple_of(2));
                let state = Arc::clone(&state);
                tokio::spawn(forward(client, server, budget, is_append_cut, state));
            }
        });
        Self { port, shared, task }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the number of connections that were cut.
    pub(super) fn count(&self) -> u32 {
        self.shared.cuts.load(Ordering::SeqCst)
    }

    /// Cuts no later connection.
    pub(super) fn end(&self) {
        self.shared.max_bytes.store(0, Ordering::SeqCst);
        self.shared.loses_confirmations.store(false, Ordering::SeqCst);
    }
}

impl Drop for Cuts {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    client: TcpStream,
    server: TcpStream,
    budget: Option<usize>,
    is_append_cut: bool,
    state: Arc<Shared>,
) {
    let ((mut from_client, mut to_client), (from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    tokio::select! {
        is_append = request(&mut from_client, &mut to_server, is_append_cut) => {
            if is_append {
                // The server has time for the commit, and its confirmation is lost.
                sleep(Duration::from_millis(50)).await;
                state.cuts.fetch_add(1, Ordering::SeqCst);
            }
        }
        is_cut = respond(from_server, &mut to_client, budget) => {
            if is_cut {
                state.cuts.fetch_add(1, Ordering::SeqCst);
            }
        }
    }
}

/// Passes requests on. If `is_append_cut`, it returns true after the commit of clicks.
async fn request(
    client: &mut OwnedReadHalf,
    server: &mut OwnedWriteHalf,
    is_append_cut: bool,
) -> bool {
    let (mut bytes, mut is_append) = (vec![0; 16 << 10], false);
    let contains = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    loop {
        let Ok(length @ 1..) = client.read(&mut bytes).await else { return false };
        if server.write_all(&bytes[..length]).await.is_err() {
            return false;
        }
        is_append |= contains(&bytes[..length], b"click_writers");
        if is_append_cut && is_append && contains(&bytes[..length], b"COMMIT") {
            return true;
        }
    }
}

/// Passes responses on. Returns whether they are more than the budget.
async fn respond(
    mut server: OwnedReadHalf,
    client: &mut OwnedWriteHalf,
    mut budget: Option<usize>,
) -> bool {
    let mut bytes = vec![0; 16 << 10];
    loop {
        let Ok(length @ 1..) = server.read(&mut bytes).await else { return false };
        let passed = budget.map_or(length, |budget| budget.min(length));
        if client.write_all(&bytes[..passed]).await.is_err() {
            return false;
        }
        if passed < length {
            return true;
        }
        budget = budget.map(|budget| budget - passed);
    }
}
