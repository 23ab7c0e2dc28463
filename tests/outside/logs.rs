//! The log: its lines, and a reader that stops.

use std::io::{PipeReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};

use crate::harness::{
    Connection, Database, Log, Process, Server, TIMEOUT, field, free_port, until,
};

const URL: &str = "https://example.com/";

/// A server whose log goes into a pipe, which the test may leave unread.
struct PipedServer {
    process: Process,
    authority: String,
    log: PipeReader,
}

impl PipedServer {
    #[track_caller]
    fn start(database: &Database) -> Self {
        let (log, stderr) = std::io::pipe().unwrap();
        let authority = format!("127.0.0.1:{}", free_port());
        let mut command = database.command();
        command.args(["serve", "--listen", &authority]).stdin(Stdio::null());
        let process = Process::spawn(command.stdout(Stdio::null()).stderr(stderr), "KILL");
        until(TIMEOUT, || "it listens", || TcpStream::connect(&authority).ok());
        Self { process, authority, log }
    }

    fn connect(&self) -> Connection {
        Connection::open(&self.authority, &format!("http://{}", self.authority))
    }

    /// Sends requests until the server has dropped lines, and returns their number.
    fn flood(&self) -> u64 {
        let mut connection = self.connect();
        let flooded = || {
            for _ in 0..200 {
                connection.send_head("GET", b"/", &[]).unwrap();
                assert_eq!(connection.read_response(false).unwrap().0, 200);
            }
            Some(self.dropped()).filter(|dropped| *dropped > 0)
        };
        until(TIMEOUT, || "lines are dropped", flooded)
    }

    fn dropped(&self) -> u64 {
        let metrics = self.connect().exchange("GET", b"/metrics", &[], b"").unwrap().text();
        let mut lines = metrics.lines();
        let value = lines.find_map(|line| line.strip_prefix("terse_log_lines_dropped_total "));
        value.expect("the metric exists").parse().unwrap()
    }
}

fn events(log: &str) -> Vec<Value> {
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect()
}

/// Returns the events of completed requests to the path with the name `route`.
fn completed(log: &str, route: &str) -> Vec<Value> {
    let is_completed =
        |event: &Value| event["message"] == "request completed" && event["route"] == route;
    events(log).into_iter().filter(is_completed).collect()
}

#[tokio::test]
async fn unread_log_blocks_neither_requests_nor_the_shutdown() {
    let server = Server::start();
    let (key, code) = (server.key().to_owned(), server.api().create(URL).await);
    let database = server.terminate().database;
    let mut server = PipedServer::start(&database);
    server.flood();
    let mut connection = server.connect();
    for _ in 0..3 {
        connection.send_head("GET", format!("/{code}").as_bytes(), &[]).unwrap();
        assert_eq!(connection.read_response(false).unwrap().0, 302);
        connection.exchange("GET", b"/health/ready", &[], b"").unwrap().expect(200);
    }
    server.process.send("TERM");
    let ended = || server.process.child().try_wait().unwrap();
    assert_eq!(until(TIMEOUT, || "the server ends", ended).code(), Some(0));
    let mut log = String::new();
    server.log.read_to_string(&mut log).unwrap();
    assert!(!completed(&log, "home").is_empty(), "{log}");
    let server = Server::on(&database);
    assert_eq!(server.with_key(&key).clicks(&code).await, 3);
}

#[test]
fn dropped_lines_are_reported_after_the_log_is_read_again() {
    let database = Database::new().with_default_owner();
    let server = PipedServer::start(&database);
    server.flood();
    let log = Log::new(server.log.try_clone().unwrap());
    let report = |log: &str| {
        let (complete, _) = log.rsplit_once('\n')?;
        let lines = |event: Value| {
            let text = event["message"].as_str()?.to_owned();
            text.starts_with("log lines dropped").then(|| event["lines"].as_u64())?
        };
        events(complete).into_iter().find_map(lines)
    };
    let reported = log.wait_for(TIMEOUT, report).unwrap_or_else(|| panic!("{}", log.text()));
    // The server has dropped nothing since, because its log is read.
    assert_eq!(reported, server.dropped());
}

#[test]
fn final_error_does_not_wait_for_the_log() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let database = Database::new().with_default_owner();
    let (_log, mut stderr) = std::io::pipe().unwrap();
    let flags = fcntl_getfl(&stderr).unwrap();
    fcntl_setfl(&stderr, flags | OFlags::NONBLOCK).unwrap();
    while stderr.write(&[b'\n'; 4096]).is_ok() {}
    fcntl_setfl(&stderr, flags).unwrap();
    let mut command = database.command();
    let address = listener.local_addr().unwrap().to_string();
    command.args(["serve", "--listen", &address]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut process = Process::spawn(command.stderr(stderr), "KILL");
    let ended = || process.child().try_wait().unwrap();
    assert_eq!(until(TIMEOUT, || "the server ends", ended).code(), Some(1));
}

#[tokio::test]
async fn request_lines_name_owner_key_and_problem() {
    let server = Server::start();
    let (api, owners) = (server.api(), server.terse(&["key", "list", "default", "--json"]).json());
    let id = owners[0]["id"].as_i64().unwrap();
    api.create(URL).await;
    api.stats("missing").await.expect(404);
    server.anyone().links().await.expect(401);
    server.anyone().get("/missing").await.expect(404);
    server.terse(&["owner", "suspend", "default", "--yes"]).done();
    until(
        TIMEOUT,
        || "the owner is suspended",
        || {
            let mut connection = server.connect();
            let key = field("X-API-Key", server.key());
            let response = connection.exchange("GET", b"/api/v1/qrcodes", &[key], b"").unwrap();
            (response.status == 403).then_some(())
        },
    );
    let log = server.terminate().log;
    let last = |route| completed(&log, route).pop().unwrap_or_else(|| panic!("{route}: {log}"));
    let who = |event: &Value| json!([event["owner"], event["key"], event["code"]]);
    assert_eq!(who(&last("shorten")), json!(["default", id, null]));
    assert_eq!(who(&last("getStats")), json!(["default", id, "link-not-found"]));
    assert_eq!(who(&last("listLinks")), json!([null, null, "unauthorized"]));
    assert_eq!(who(&last("listQrCodes")), json!(["default", id, "owner-suspended"]));
    assert_eq!(who(&last("redirect")), json!([null, null, null]));
    assert_eq!(last("redirect")["status"], 404);
}

#[tokio::test]
async fn access_log_option_selects_the_logged_requests() {
    for (mode, statuses) in [("all", &[200, 404, 404][..]), ("errors", &[404, 404]), ("off", &[])] {
        let database = Arc::new(Database::new().with_default_owner());
        let server = Server::with(&database, &["--access-log", mode]);
        for path in ["/", "/missing", "/missing/too"] {
            server.anyone().get(path).await;
        }
        let log = server.terminate().log;
        let completed =
            events(&log).into_iter().filter(|one| one["message"] == "request completed");
        let logged: Vec<Value> = completed.map(|one| one["status"].clone()).collect();
        assert_eq!(logged, statuses, "{mode}");
    }
}

#[tokio::test]
async fn flood_of_requests_writes_at_most_1000_lines_per_second() {
    /// Requests that are sent before the first response is read.
    const PIPELINED: u64 = 1_000;
    let server = Server::start();
    let code = server.api().create(URL).await;
    let database = server.terminate().database;
    // No request needs the database, so that a busy machine answers more than are written.
    database.terse(&["link", "disable", &code]).done();
    let server = Server::on(&database);
    let started = std::time::Instant::now();
    let flood = AtomicU64::new(0);
    // On a slow machine, a second has room for all lines of a short flood.
    let goes_on = || match flood.load(Ordering::Relaxed) {
        ..5_000 => true,
        5_000..100_000 => !server.log().contains("request lines left out"),
        100_000.. => false,
    };
    // As many as the server has threads on two CPUs, so that a busy machine gives all of them time.
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut connection = server.connect();
                while goes_on() {
                    let targets = (0..PIPELINED).map(|_| format!("/{code}"));
                    connection.send_heads("GET", targets).unwrap();
                    for _ in 0..PIPELINED {
                        assert_eq!(connection.read_response(false).unwrap().0, 410);
                    }
                    flood.fetch_add(PIPELINED, Ordering::Relaxed);
                }
            });
        }
    });
    let flood = flood.into_inner();
    // The first second began before the flood, and a later one may have begun since.
    let seconds = started.elapsed().as_secs() + 2;
    let log = server.terminate().log;
    let written = completed(&log, "redirect").len() as u64;
    let left_out = events(&log).into_iter().filter(|event| {
        event["message"].as_str().is_some_and(|text| text.starts_with("request lines left out"))
    });
    let counts: Vec<u64> = left_out.map(|event| event["lines"].as_u64().unwrap()).collect();
    assert!(written <= 1_000 * seconds, "{written} lines in {seconds} s");
    assert_eq!(written + counts.iter().sum::<u64>(), flood);
    assert!(counts.len() as u64 <= seconds, "{counts:?}");
    assert!(!counts.is_empty(), "the flood took {seconds} s");
}

#[tokio::test]
async fn visits_are_logged_unless_they_are_redirected_and_without_their_codes() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    let mut connection = server.connect();
    connection.exchange("GET", format!("/{code}").as_bytes(), &[], b"").unwrap().expect(302);
    connection.exchange("GET", b"/missing-code", &[], b"").unwrap().expect(404);
    let log = server.terminate().log;
    let statuses = completed(&log, "redirect").into_iter().map(|event| event["status"].clone());
    assert_eq!(statuses.collect::<Value>(), json!([404]), "{log}");
    assert!(!log.contains(&code) && !log.contains("missing-code"), "{log}");
}

#[test]
fn request_ids_do_not_reveal_the_number_of_requests() {
    let server = Server::start();
    let mut connection = server.connect();
    let ids: [u64; 3] = std::array::from_fn(|_| {
        let response = connection.exchange("GET", b"/", &[], b"").unwrap();
        u64::from_str_radix(response.header("x-request-id").unwrap(), 16).unwrap()
    });
    let [first, second, third] = ids;
    assert_ne!(second.wrapping_sub(first), third.wrapping_sub(second), "{ids:x?}");
}

#[test]
fn trace_ids_come_from_trusted_proxies_only() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let trace_parent = field("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"));
    let database = Arc::new(Database::new().with_default_owner());
    for (options, expected) in [
        (&["--trusted-proxies", "127.0.0.1"][..], json!([TRACE, "proxy-1", null])),
        (&[], json!([null, null, null])),
    ] {
        let server = Server::with(&database, options);
        let request_id = field("X-Request-Id", "proxy-1");
        let both = vec![trace_parent.clone(), request_id.clone()];
        for fields in [both, vec![request_id], vec![field("X-Request-Id", "a\tb")]] {
            server.connect().exchange("GET", b"/missing", &fields, b"").unwrap().expect(404);
        }
        let log = server.terminate().log;
        let ids = completed(&log, "redirect").into_iter().map(|event| event["trace_id"].clone());
        assert_eq!(ids.collect::<Value>(), expected, "{options:?}: {log}");
    }
}
