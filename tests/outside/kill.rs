//! SIGKILL in the middle of the work: what was answered is in the database.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::json;

use crate::harness::{Api, Connection, Server, eventually, field};

const LINKS: usize = 6;
const VISITORS: usize = 64;
const CREATORS: usize = 6;

/// What clients have asked for, and what they have seen answered.
#[derive(Default)]
struct Seen {
    asked: [AtomicU64; LINKS],
    answered: [AtomicU64; LINKS],
    created: Mutex<Vec<String>>,
}

impl Seen {
    fn answers(&self) -> u64 {
        let loads = self.answered.iter().map(|count| count.load(Ordering::SeqCst));
        loads.sum()
    }
}

/// Visits one link after the other until the server is gone.
fn visit(mut connection: Connection, seen: Arc<Seen>, targets: Vec<Vec<u8>>, first: usize) {
    for link in (0..LINKS).cycle().skip(first) {
        seen.asked[link].fetch_add(1, Ordering::SeqCst);
        let sent = connection.send_head("GET", &targets[link], &[]);
        match sent.and_then(|()| connection.read_answer(false)) {
            Ok((302, _, _)) => seen.answered[link].fetch_add(1, Ordering::SeqCst),
            Ok((status, _, _)) => panic!("a short URL answered {status}"),
            Err(_) => return,
        };
    }
}

/// Creates links until the server is gone.
fn create(mut connection: Connection, seen: Arc<Seen>, key: String) {
    let body = json!({"url": "https://example.com/created"}).to_string();
    let fields = [field("X-API-Key", &key), field("Content-Type", "application/json")];
    while let Ok(answer) = connection.exchange("POST", b"/api/v1/shorten", &fields, body.as_bytes())
    {
        let link = answer.expect(201).json();
        let code = link["short_code"].as_str().unwrap().to_owned();
        seen.created.lock().unwrap().push(code);
    }
}

fn start_clients(
    server: &Server,
    seen: &Arc<Seen>,
    key: &str,
    codes: &[String],
) -> Vec<JoinHandle<()>> {
    let targets: Vec<Vec<u8>> = codes.iter().map(|code| format!("/{code}").into_bytes()).collect();
    let visitors = (0..VISITORS).map(|number| {
        let (connection, seen, targets) = (server.connect(), Arc::clone(seen), targets.clone());
        thread::spawn(move || visit(connection, seen, targets, number % LINKS))
    });
    let creators = (0..CREATORS).map(|_| {
        let (connection, seen, key) = (server.connect(), Arc::clone(seen), key.to_owned());
        thread::spawn(move || create(connection, seen, key))
    });
    visitors.chain(creators).collect()
}

async fn clicks_of(api: &Api, codes: &[String]) -> Vec<u64> {
    let mut clicks = Vec::new();
    for code in codes {
        clicks.push(api.clicks(code).await);
    }
    clicks
}

async fn listed(api: &Api) -> BTreeSet<String> {
    let data = api.links().await.expect(200).data();
    let links = data.as_array().unwrap().iter();
    links.map(|link| link["short_code"].as_str().unwrap().to_owned()).collect()
}

async fn kill_in_the_middle(rounds: u64) {
    let mut server = Server::start();
    let key = server.key().to_owned();
    let mut codes = Vec::new();
    for _ in 0..LINKS {
        codes.push(server.api().create("https://example.com/").await);
    }
    for round in 0..rounds {
        let before = clicks_of(&server.with_key(&key), &codes).await;
        let known = listed(&server.with_key(&key)).await;
        let seen = Arc::new(Seen::default());
        let clients = start_clients(&server, &seen, &key, &codes);
        // Each round is killed at another moment.
        let enough = 700 + 431 * round;
        eventually(Duration::from_secs(60), "redirects are answered", async || {
            seen.answers() >= enough
        })
        .await;
        let database = server.kill9();
        for client in clients {
            client.join().expect("a client saw nothing wrong");
        }

        server = Server::on(&database);
        let api = server.with_key(&key);
        let after = clicks_of(&api, &codes).await;
        for link in 0..LINKS {
            let counted = after[link] - before[link];
            let asked = seen.asked[link].load(Ordering::SeqCst);
            let answered = seen.answered[link].load(Ordering::SeqCst);
            assert!(
                (answered..=asked).contains(&counted),
                "round {round}, link {link}: {answered} answered, {asked} asked, {counted} counted"
            );
        }
        let created = seen.created.lock().unwrap().clone();
        let now = listed(&api).await;
        let missing: Vec<&String> = created.iter().filter(|code| !now.contains(*code)).collect();
        assert!(missing.is_empty(), "round {round}: {missing:?} were answered with 201");
        let most = known.len() + created.len() + CREATORS;
        assert!(now.len() <= most, "round {round}: only those under way are extra");
        assert!(known.is_subset(&now), "round {round}: links of before are there");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_survives_a_kill() {
    kill_in_the_middle(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn what_was_answered_survives_ten_kills() {
    kill_in_the_middle(10).await;
}
