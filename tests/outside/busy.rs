//! Commands and small requests during a heavy load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use serde_json::json;

use crate::harness::{
    Connection, Database, Load, Response, Server, SetOnDrop, field, only_on, until_available,
};

const URL: &str = "https://example.com/";
const VISITORS: usize = 24;
const CREATORS: usize = 8;

async fn run_commands_and_requests(rounds: usize) {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let other = api.create(URL).await;
    let mut load = Load::default();
    load.visit(&server, VISITORS, std::slice::from_ref(&code));
    load.create(&server, CREATORS, server.key(), &[503]);

    for round in 0..rounds {
        let owner = format!("owner-{round}");
        let key = server.database().owner(&owner, "free");
        let api = server.with_key(&key);
        until_available(async || api.links().await).await.expect(200);
        server.database().plan(&format!("plan-{round}"), "5", true);
        server.terse(&["key", "add", &owner]).key();
        server.terse(&["link", "disable", &other]).done();
        server.terse(&["link", "enable", &other]).done();
        server.terse(&["owner", "list"]).done();
    }
    assert_eq!(load.stop(), 0, "no client lost its connection");
    let (created, refused) = (load.created().len(), load.refused());
    assert!(load.redirected() > 0 && created > 0);
    assert_eq!(api.clicks(&code).await, load.redirected());
    let listed = api.listed().await.len();
    assert!(
        (created + 2..=created + 2 + refused).contains(&listed),
        "{listed} {created} {refused}"
    );
    load.assert_refused_by_disk(&server.terminate().log);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_and_requests_succeed_concurrently() {
    run_commands_and_requests(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn many_commands_and_requests_succeed_concurrently() {
    run_commands_and_requests(50).await;
}

#[test]
fn database_opens_after_a_kill_during_start() {
    let database = Arc::new(Database::new());
    for milliseconds in [0, 2, 5, 8, 12, 16, 20, 30, 40, 60] {
        let mut child = database
            .command()
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Each kill is at another moment of the start.
        thread::sleep(std::time::Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let server = Server::on(&database);
    let key = database.owner("mine", "pro");
    assert!(!database.is_untouched());
    let response =
        server.connect().exchange("GET", b"/api/v1/links", &[field("X-API-Key", &key)], b"");
    response.unwrap().expect(200);
}

/// Number of background clients; more than either store serves at the same time.
const BACKGROUND_CLIENTS: usize = 200;
/// Number of consecutive requests of the foreground client.
const FOREGROUND_REQUESTS: u64 = 50;
/// Maximum number of background requests per foreground request. It allows for concurrency, but not
/// for waiting behind all background clients.
const MAX_BACKGROUND_PER_REQUEST: u64 = 100;

/// Runs `foreground` while background clients repeat one request, to which the server responds with the
/// status. Returns the number of these responses meanwhile. On a slow machine, the background clients may
/// wait for too long: then the server returns 503, or aborts a list whose first part it has sent.
fn during_load(
    server: &Server,
    background: impl Fn(&mut Connection) -> std::io::Result<Response> + Sync,
    status: u16,
    foreground: impl FnOnce(),
) -> u64 {
    let (responses, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let is_aborted = AtomicBool::new(false);
    let repeat = || {
        let _end = SetOnDrop(&is_over);
        let mut connection = server.connect();
        while !is_over.load(Ordering::Relaxed) {
            match background(&mut connection) {
                Ok(response) if response.status == 503 => {}
                Ok(response) => {
                    response.expect(status);
                    responses.fetch_add(1, Ordering::Relaxed);
                }
                Err(_) => {
                    is_aborted.store(true, Ordering::Relaxed);
                    connection = server.connect();
                }
            }
        }
    };
    let counted = thread::scope(|scope| {
        let _end = SetOnDrop(&is_over);
        for _ in 0..BACKGROUND_CLIENTS {
            scope.spawn(repeat);
        }
        // Waits until all clients have sent requests.
        while responses.load(Ordering::Relaxed) < 2 * BACKGROUND_CLIENTS as u64 {
            assert!(!is_over.load(Ordering::Relaxed), "a client fails");
            thread::sleep(std::time::Duration::from_millis(1));
        }
        let before = responses.load(Ordering::Relaxed);
        foreground();
        responses.load(Ordering::Relaxed) - before
    });
    let is_explained = || server.log().contains("list response aborted");
    assert!(!is_aborted.into_inner() || is_explained(), "a connection broke without a reason");
    counted
}

#[tokio::test]
async fn qr_code_changes_do_not_block_creations() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    let body = |text: serde_json::Value| text.to_string().into_bytes();
    let (change, link) = (body(json!({"short_code": code})), body(json!({"url": URL})));
    let (key, other) = (server.key().to_owned(), server.database().owner("other", "unlimited"));
    let post = |connection: &mut Connection, target: &str, key: &str, body: &[u8]| {
        let fields = [field("X-API-Key", key), field("Content-Type", "application/json")];
        connection.exchange("POST", target.as_bytes(), &fields, body)
    };
    let changed = during_load(
        &server,
        |connection| post(connection, "/api/v1/qrcodes", &key, &change),
        201,
        || {
            let mut connection = server.connect();
            let mut create = || {
                let response = post(&mut connection, "/api/v1/shorten", &other, &link).unwrap();
                let is_late = response.status == 503;
                if !is_late {
                    response.expect(201);
                }
                !is_late
            };
            for _ in 0..FOREGROUND_REQUESTS {
                // They may wait for too long, too, but not again and again.
                assert!((0..10).any(|_| create()), "no link is created");
            }
        },
    );
    assert!(
        changed < FOREGROUND_REQUESTS * MAX_BACKGROUND_PER_REQUEST,
        "{changed} were changed before {FOREGROUND_REQUESTS} links were created"
    );
}

#[test]
fn lists_of_an_owner_do_not_delay_those_of_others() {
    let server = Server::start();
    let lines = (0..100).map(|number| format!("{URL}{number}\n"));
    let rows = format!("destination_url\n{}", lines.collect::<String>());
    std::fs::write(server.database().directory().join("in"), rows).unwrap();
    server.terse(&["import", "in", "--owner", "default"]).done();
    let (key, other) = (server.key().to_owned(), server.database().owner("other", "unlimited"));
    let list = |connection: &mut Connection, key: &str| {
        let fields = [field("X-API-Key", key)];
        connection.exchange("GET", b"/api/v1/links", &fields, b"")
    };
    let listed = during_load(
        &server,
        |connection| list(connection, &key),
        200,
        || {
            let mut connection = server.connect();
            for _ in 0..FOREGROUND_REQUESTS {
                list(&mut connection, &other).unwrap().expect(200);
            }
        },
    );
    assert!(
        listed < FOREGROUND_REQUESTS * MAX_BACKGROUND_PER_REQUEST / 4,
        "{listed} lists of one owner were sent before {FOREGROUND_REQUESTS} of another"
    );
}

#[test]
fn unknown_keys_do_not_delay_redirects() {
    only_on!(Postgres: "a file needs no connections");
    let server = Server::start();
    let lines = (0..FOREGROUND_REQUESTS).map(|number| format!("code{number},{URL}\n"));
    let rows = format!("short_code,destination_url\n{}", lines.collect::<String>());
    std::fs::write(server.database().directory().join("in"), rows).unwrap();
    server.terse(&["import", "in", "--owner", "default"]).done();
    let unknown_key = field("X-API-Key", &format!("terse_{}", "0".repeat(32)));
    let tried = during_load(
        &server,
        |connection| {
            let fields = std::slice::from_ref(&unknown_key);
            connection.exchange("GET", b"/api/v1/links", fields, b"")
        },
        401,
        || {
            let mut connection = server.connect();
            for number in 0..FOREGROUND_REQUESTS {
                let target = format!("/code{number}");
                let response = connection.exchange("GET", target.as_bytes(), &[], b"");
                response.unwrap().expect(302);
            }
        },
    );
    assert!(
        tried < FOREGROUND_REQUESTS * MAX_BACKGROUND_PER_REQUEST,
        "{tried} keys were tried before {FOREGROUND_REQUESTS} redirects were sent"
    );
}
