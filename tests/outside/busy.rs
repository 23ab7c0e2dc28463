//! The command line beside a server that has much to do.

use std::sync::Arc;
use std::thread;

use crate::harness::{Database, Load, Server, field};

const URL: &str = "https://example.com/";
const VISITORS: usize = 24;
const CREATORS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_and_requests_do_not_hinder_each_other() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let other = api.create(URL).await;
    let mut load = Load::default();
    load.visit(&server, VISITORS, std::slice::from_ref(&code));
    load.create(&server, CREATORS, server.key(), &[]);

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
    assert_eq!(load.stop(), 0, "nobody was cut off");
    let created = load.created().len();
    assert!(load.answered() > 0 && created > 0);
    assert_eq!(api.clicks(&code).await, load.answered());
    assert_eq!(api.listed().await.len(), created + 2);
}

#[test]
fn a_server_that_is_killed_while_it_starts_leaves_a_database_that_starts() {
    let database = Arc::new(Database::new());
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
