//! The command line beside a server that has much to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use serde_json::json;

use crate::harness::{Connection, Server, field};

const VISITORS: usize = 24;
const CREATORS: usize = 8;

/// Repeats one request until it is told to stop, and gives how often it was answered so.
fn repeat(
    mut connection: Connection,
    stop: Arc<AtomicBool>,
    (method, target, fields, body): (&'static str, String, Vec<Vec<u8>>, String),
    status: u16,
) -> thread::JoinHandle<u64> {
    thread::spawn(move || {
        let answered = AtomicU64::new(0);
        while !stop.load(Ordering::Relaxed) {
            let answer = connection.exchange(method, target.as_bytes(), &fields, body.as_bytes());
            answer.expect("the server answers").expect(status);
            answered.fetch_add(1, Ordering::Relaxed);
        }
        answered.into_inner()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_and_requests_do_not_hinder_each_other() {
    let server = Server::start();
    let api = server.api();
    let code = api.create("https://example.com/").await;
    let other = api.create("https://example.com/").await;
    let stop = Arc::new(AtomicBool::new(false));
    let fields = vec![field("X-API-Key", server.key()), field("Content-Type", "application/json")];
    let visit = ("GET", format!("/{code}"), Vec::new(), String::new());
    let body = json!({"url": "https://example.com/"}).to_string();
    let create = ("POST", "/api/v1/shorten".to_owned(), fields, body);
    let start = |request: &(&'static str, String, Vec<Vec<u8>>, String), status| {
        repeat(server.connect(), Arc::clone(&stop), request.clone(), status)
    };
    let visitors: Vec<_> = (0..VISITORS).map(|_| start(&visit, 302)).collect();
    let creators: Vec<_> = (0..CREATORS).map(|_| start(&create, 201)).collect();

    for round in 0..5 {
        let owner = format!("owner-{round}");
        let key = server.database().owner(&owner, "free");
        server.with_key(&key).links().await.expect(200);
        server.database().plan(&format!("plan-{round}"), "5", true);
        server.terse(&["key", "add", &owner]).key();
        server.terse(&["link", "disable", &other]).done();
        server.terse(&["link", "enable", &other]).done();
        server.terse(&["owner", "list"]).done();
    }
    stop.store(true, Ordering::Relaxed);
    let clicks: u64 = visitors.into_iter().map(|visitor| visitor.join().unwrap()).sum();
    let created: u64 = creators.into_iter().map(|creator| creator.join().unwrap()).sum();
    assert!(clicks > 0 && created > 0);
    assert_eq!(api.clicks(&code).await, clicks);
    let listed = api.links().await.expect(200).data().as_array().unwrap().len() as u64;
    assert_eq!(listed, created + 2);
}

#[test]
fn a_server_that_is_killed_while_it_starts_leaves_a_database_that_starts() {
    let database = Arc::new(crate::harness::Database::new());
    for milliseconds in [0, 2, 5, 8, 12, 16, 20, 30, 40, 60] {
        let mut child = database
            .command()
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Each time at another moment of the start.
        thread::sleep(std::time::Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let server = Server::on(&database);
    let key = database.owner("mine", "pro");
    assert!(!database.is_untouched());
    let answer =
        server.connect().exchange("GET", b"/api/v1/links", &[field("X-API-Key", &key)], b"");
    answer.unwrap().expect(200);
}
