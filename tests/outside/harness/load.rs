//! Clients that send requests without a pause, unless the server asks for one, and record the responses.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::json;

use super::{Api, RETRY_AFTER, Server, TIMEOUT, eventually, field};

/// Clients of one or more servers. A client ends with its server.
#[derive(Default)]
pub(crate) struct Load {
    visits: BTreeMap<String, Arc<Visits>>,
    creations: Arc<Creations>,
    stop: Arc<AtomicBool>,
    /// Number of clients that lost their connection.
    cut: Arc<AtomicUsize>,
    pace: Duration,
    clients: Vec<JoinHandle<()>>,
}

/// Numbers of requests and redirects of a short URL.
#[derive(Default)]
struct Visits {
    requested: AtomicU64,
    redirected: AtomicU64,
}

#[derive(Default)]
struct Creations {
    created: Mutex<Vec<String>>,
    refused: AtomicUsize,
}

impl Load {
    /// Creates a load whose clients pause this long between two requests.
    pub(crate) fn paced(pace: Duration) -> Self {
        Self { pace, ..Self::default() }
    }

    /// Adds visitors, who visit these links one after another. Every response must be a redirect,
    /// whatever happens to the server.
    pub(crate) fn visit(&mut self, server: &Server, visitors: usize, codes: &[String]) {
        let visits = |code: &String| {
            let visits = Arc::clone(self.visits.entry(code.clone()).or_default());
            (format!("/{code}").into_bytes(), visits)
        };
        let links: Vec<_> = codes.iter().map(visits).collect();
        for number in 0..visitors {
            let (mut links, mut connection) = (links.clone(), server.connect());
            let beginning = number % links.len();
            links.rotate_left(beginning);
            self.repeat(move |stopped| {
                for (target, visits) in links.iter().cycle() {
                    if stopped() {
                        break;
                    }
                    visits.requested.fetch_add(1, Ordering::SeqCst);
                    connection.send_head("GET", target, &[])?;
                    let (status, _, _) = connection.read_response(false)?;
                    assert_eq!(status, 302, "{}", String::from_utf8_lossy(target));
                    visits.redirected.fetch_add(1, Ordering::SeqCst);
                }
                Ok(())
            });
        }
    }

    /// Adds clients that create links with this key. A response other than 201 must have one of the
    /// statuses in `refusals`.
    pub(crate) fn create(
        &mut self,
        server: &Server,
        creators: usize,
        key: &str,
        refusals: &'static [u16],
    ) {
        let fields = [field("X-API-Key", key), field("Content-Type", "application/json")];
        let body = json!({"url": "https://example.com/created"}).to_string();
        for _ in 0..creators {
            let (fields, body, mut connection) = (fields.clone(), body.clone(), server.connect());
            let creations = Arc::clone(&self.creations);
            self.repeat(move |stopped| {
                while !stopped() {
                    let target = b"/api/v1/shorten";
                    let response = connection.exchange("POST", target, &fields, body.as_bytes())?;
                    if refusals.contains(&response.status) {
                        creations.refused.fetch_add(1, Ordering::SeqCst);
                        if response.status == 503 {
                            thread::sleep(RETRY_AFTER);
                        }
                        continue;
                    }
                    let code = response.expect(201).code();
                    creations.created.lock().unwrap().push(code);
                }
                Ok(())
            });
        }
    }

    /// Waits for this number of further redirects.
    pub(crate) async fn wait_for_redirects(&self, more: u64) {
        let enough = self.redirected() + more;
        eventually(TIMEOUT, "redirects are redirected", async || self.redirected() >= enough).await;
    }

    /// Returns the number of redirects.
    pub(crate) fn redirected(&self) -> u64 {
        self.visits.values().map(|visits| visits.redirected.load(Ordering::SeqCst)).sum()
    }

    /// Returns the codes of created links.
    pub(crate) fn created(&self) -> Vec<String> {
        self.creations.created.lock().unwrap().clone()
    }

    /// Returns the number of failed creations.
    pub(crate) fn refused(&self) -> usize {
        self.creations.refused.load(Ordering::SeqCst)
    }

    /// Panics if creations failed, unless this log of the server says that its disk stood still. A machine
    /// that runs nothing for most of a second looks like that.
    pub(crate) fn assert_refused_by_disk(&self, log: &str) {
        let refused = self.refused();
        assert!(refused == 0 || log.contains("the disk does not respond"), "{refused} in:\n{log}");
    }

    /// Lets the clients complete their requests; returns how many lost their connections because a
    /// server ended. Panics if a client received a wrong response.
    pub(crate) fn stop(&mut self) -> usize {
        self.stop.store(true, Ordering::SeqCst);
        for client in self.clients.drain(..) {
            client.join().expect("a client saw nothing wrong");
        }
        self.stop.store(false, Ordering::SeqCst);
        self.cut.swap(0, Ordering::SeqCst)
    }

    /// Panics unless all redirects are counted, and no clicks without a request.
    pub(crate) async fn assert_counted(&self, api: &Api) {
        for (code, visits) in &self.visits {
            let (requested, redirected) = (&visits.requested, &visits.redirected);
            let (requested, redirected) =
                (requested.load(Ordering::SeqCst), redirected.load(Ordering::SeqCst));
            let counted = api.clicks(code).await;
            assert!(
                (redirected..=requested).contains(&counted),
                "{code}: {redirected} redirects, {requested} requests, {counted} clicks"
            );
        }
    }

    /// Runs a client in a thread until it stops or its connection breaks. The client's argument
    /// returns whether to stop.
    fn repeat<F>(&mut self, client: F)
    where
        F: FnOnce(&dyn Fn() -> bool) -> std::io::Result<()> + Send + 'static,
    {
        let (stop, cut, pace) = (Arc::clone(&self.stop), Arc::clone(&self.cut), self.pace);
        self.clients.push(thread::spawn(move || {
            let result = client(&|| {
                thread::sleep(pace);
                stop.load(Ordering::SeqCst)
            });
            if let Err(error) = result {
                let is_late = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
                assert!(!is_late, "the response timed out");
                cut.fetch_add(1, Ordering::SeqCst);
            }
        }));
    }
}
