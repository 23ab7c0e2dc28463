//! Start, stop, output and log.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Connection, Database, Load, RESPONSE_TIMEOUT, Server, TIMEOUT, eventually, field, find_object,
    free_port, is_key, only_on, terse_path, until,
};

const URL: &str = "https://example.com/";
/// Destination of the link in the commands of the first start.
const URL_TO_PASTE: &str = "https://example.org/";

#[tokio::test]
async fn first_start_prints_a_key_and_commands() {
    only_on!(Sqlite: "on PostgreSQL the operator adds the owners");
    let server = Server::start();
    let shown = server.stdout();
    assert!(shown.contains(server.key()));
    assert!(shown.contains(server.base_url()), "lines to paste: {shown}");
    assert!(shown.contains("/api/v1/shorten"), "lines to paste: {shown}");
    assert!(!server.log().contains(server.key()), "and not in the log");
    let owners = server.terse(&["owner", "list", "--json"]).json();
    let owner = find_object(&owners, "name", "default").expect("the owner is listed");
    assert_eq!(owner["plan_name"], "unlimited");
    server.api().links().await.expect(200);
}

#[tokio::test]
async fn printed_commands_create_and_follow_a_link() {
    only_on!(Sqlite: "on PostgreSQL the operator adds the owners");
    let server = Server::start();
    let shown = server.stdout();
    let (_, below) = shown.split_once("Paste this").expect("there are lines to paste");
    let (_, lines) = below.split_once('\n').unwrap();
    let (lines, _) = lines.split_once("Documentation").expect("and something after them");
    let pasted = Command::new("sh").args(["-ec", lines]).env_remove("TERSE_KEY").output().unwrap();
    let said = String::from_utf8(pasted.stdout).unwrap();
    assert!(pasted.status.success(), "{lines}\n{said}");
    let objects = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let [created, statistics] = &objects.collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert_eq!(created["destination_url"], URL_TO_PASTE);
    let followed = said.lines().any(|line| line.starts_with("HTTP/1.1 302"));
    assert!(followed && said.contains(&format!("location: {URL_TO_PASTE}")), "{said}");
    assert_eq!(statistics["data"]["clicks"], 1, "{said}");
}

#[tokio::test]
async fn first_start_names_the_database_and_replaces_a_lost_key() {
    only_on!(Sqlite: "on PostgreSQL the operator adds the owners");
    let directory = tempfile::Builder::new().prefix("a 100% 'odd' name?").tempdir().unwrap();
    let mut command = Database::new().command();
    command.current_dir(directory.path()).env_remove("TERSE_DATABASE_URL");
    let child = command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
    let mut running = Running(child.stderr(Stdio::null()).spawn().unwrap());
    let mut shown = String::new();
    let mut stdout = BufReader::new(running.0.stdout.take().unwrap());
    while !shown.contains("Documentation: ") {
        assert_ne!(stdout.read_line(&mut shown).unwrap(), 0, "{shown}");
    }
    let file = directory.path().canonicalize().unwrap().join("terse.db");
    assert!(shown.contains(file.to_str().unwrap()), "{shown}");
    let (_, below) = shown.split_once("If you lose it").expect("there is advice");
    // The line begins with the program as it was called, here by its path.
    let program = format!("{} key add", terse_path().display());
    let line = below.lines().map(str::trim).find(|line| line.starts_with(&program)).unwrap();
    let key = Command::new("sh").args(["-ec", line]).current_dir("/").output().unwrap();
    assert!(is_key(String::from_utf8_lossy(&key.stdout).trim()), "{line}: {key:?}");
}

#[test]
fn start_logs_the_database_and_the_documentation() {
    let mut database = Server::start().terminate().database;
    for _ in 0..2 {
        let server = Server::on(&database);
        let log = server.log();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        let location = database.terse(&["migrate", "--json"]).json()["database"].clone();
        assert_eq!(lines[0]["database"], location, "{log}");
        let listening = lines.iter().find(|line| line["message"] == "listening").unwrap();
        assert_eq!(listening["url"], server.base_url());
        assert_eq!(listening["docs"], format!("{}/docs", server.base_url()));
        assert_eq!(server.stdout(), "");
        database = server.terminate().database;
    }
}

#[test]
fn unprintable_first_key_is_reported_with_a_replacement_command() {
    only_on!(Sqlite: "on PostgreSQL the operator adds the owners");
    let database = Database::new();
    for (arguments, owner) in [
        (&["serve", "--listen", "127.0.0.1:0"][..], "default"),
        (&["owner", "add", "me"], "me"),
        (&["key", "add", "me"], "me"),
    ] {
        let mut command = database.command();
        let command = command.args(arguments).stdout(full_device()).stderr(Stdio::piped());
        let mut running = Running(command.spawn().unwrap());
        assert_eq!(running.end(), Some(1), "{arguments:?}");
        let mut stderr = String::new();
        running.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let advice = "`terse key add OWNER` on the same database creates another";
        assert!(stderr.contains(advice), "{arguments:?}: {stderr}");
        database.terse(&["key", "add", owner]).key();
    }
}

#[test]
fn unwritable_output_causes_no_panic() {
    let database = Database::new();
    for (arguments, status) in [(&["owner", "list"], 1), (&["owner", "lost"], 2)] {
        let mut command = database.command();
        let command = command.args(arguments).stdout(full_device()).stderr(full_device());
        assert_eq!(Running(command.spawn().unwrap()).end(), Some(status), "{arguments:?}");
    }
}

#[tokio::test]
async fn later_start_prints_no_key_and_preserves_links() {
    let server = Server::start();
    let key = server.key().to_owned();
    let code = server.api().create(URL).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let mut database = server.terminate().database;
    for clicks in 2..4 {
        let server = Server::on(&database);
        server.anyone().get(&format!("/{code}")).await.expect(302);
        assert_eq!(server.with_key(&key).clicks(&code).await, clicks);
        assert!(!server.stdout().contains("terse_"), "{}", server.stdout());
        database = server.terminate().database;
    }
}

#[test]
fn first_start_on_postgresql_creates_tables_without_owners() {
    only_on!(Postgres: "a file of its own gets an owner");
    let server = Server::on(&Arc::new(Database::new()));
    assert_eq!(server.terse(&["owner", "list", "--json"]).json(), json!([]));
    assert_eq!(server.stdout(), "");
}

#[test]
fn first_start_adds_no_owner_if_one_exists() {
    let database = Arc::new(Database::new());
    database.terse(&["migrate"]).done();
    database.owner("mine", "free");
    let server = Server::on(&database);
    assert!(!server.stdout().contains("terse_"), "{}", server.stdout());
    let owners = server.terse(&["owner", "list", "--json"]).json();
    assert_eq!(find_object(&owners, "name", "default"), None);
}

#[tokio::test]
async fn terse_without_arguments_serves() {
    let server = Server::by_variables();
    let code = server.api().create(URL).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
}

#[test]
fn log_lines_are_json_objects() {
    let server = Server::start();
    let log = server.terminate().log;
    for line in log.lines() {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(event["message"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn redirects_and_probes_are_not_logged() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    for target in ["/health/live", "/health/ready", "/metrics", &format!("/{code}"), "/robots.txt"]
    {
        server.anyone().get(target).await;
    }
    let log = server.terminate().log;
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let completed = lines.filter(|line| line["message"] == "request completed");
    let routes: Vec<_> = completed.map(|line| line["route"].as_str().unwrap().to_owned()).collect();
    assert_eq!(routes, ["shorten", "robots"]);
}

/// Returns a file on a full device.
fn full_device() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// Returns a pipe without a reader.
fn pipe_without_reader() -> Stdio {
    let (_, writer) = std::io::pipe().unwrap();
    writer.into()
}

/// A program, which is killed when this value is dropped.
struct Running(Child);

impl Running {
    /// Waits for the end, and returns the exit code.
    fn end(&mut self) -> Option<i32> {
        until(TIMEOUT, || "it ends", || self.0.try_wait().unwrap()).code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn unwritable_log_does_not_stop_the_server() {
    let server = Server::start();
    let key = field("X-API-Key", server.key());
    let database = server.terminate().database;
    for log in [full_device(), pipe_without_reader()] {
        let authority = format!("127.0.0.1:{}", free_port());
        let mut command = database.command();
        command.args(["serve", "--listen", &authority]).stdout(Stdio::null());
        let mut server = Running(command.stderr(log).spawn().unwrap());
        eventually(TIMEOUT, "it listens", async || is_listening(&authority)).await;
        let mut connection = Connection::open(&authority, &format!("http://{authority}"));
        for _ in 0..3 {
            let key = std::slice::from_ref(&key);
            connection.exchange("GET", b"/api/v1/links", key, b"").unwrap().expect(200);
        }
        assert!(server.0.try_wait().unwrap().is_none());
    }
}

#[test]
fn address_in_use_fails_with_one_line() {
    let server = Server::start();
    let second = Database::new();
    let address = server.authority();
    let line = second.terse(&["serve", "--listen", address]);
    assert_eq!(line.code, Some(1), "{line:#?}");
    assert!(line.stderr.contains(address), "{line:#?}");
    assert!(line.stderr.contains("--listen"), "{line:#?}");
}

#[tokio::test]
async fn sigterm_ends_an_idle_server_with_0() {
    let server = Server::start();
    // A client that keeps its connection open must not delay the stop.
    let mut idle = server.connect();
    let response = idle.exchange("GET", b"/health/live", &[], b"");
    response.unwrap().expect(200);
    let silent = TcpStream::connect(server.authority()).unwrap();
    silent.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert!(matches!((&silent).read(&mut [0]), Ok(0) | Err(_)));
}

fn is_listening(authority: &str) -> bool {
    TcpStream::connect(authority).is_ok()
}

/// Begins a creation, and sends the first byte of its body after the server has asked for the body.
fn begin_creation(server: &Server, body: &[u8]) -> Connection {
    let mut connection = server.connect();
    let fields = [
        field("X-API-Key", server.key()),
        field("Content-Type", "application/json"),
        field("Content-Length", &body.len().to_string()),
        field("Expect", "100-continue"),
    ];
    let target = b"/api/v1/shorten";
    connection.send_head("POST", target, &fields).unwrap();
    connection.wait_for_continue().unwrap();
    connection.send(&body[..1]).unwrap();
    connection
}

#[tokio::test]
async fn sigterm_completes_requests_in_progress() {
    let server = Server::start();
    let key = server.key().to_owned();
    let body = json!({"url": URL}).to_string();
    let mut connection = begin_creation(&server, body.as_bytes());
    server.request_stop();
    let authority = server.authority().to_owned();
    eventually(Duration::from_secs(10), "the server accepts no connections", async || {
        !is_listening(&authority)
    })
    .await;
    connection.send(&body.as_bytes()[1..]).unwrap();
    let response = connection.response("POST", b"/api/v1/shorten");
    let code = response.expect("the request was in progress").expect(201).code();
    let ended = server.wait_for_end();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    let server = Server::on(&ended.database);
    server.with_key(&key).stats(&code).await.expect(200);
}

#[tokio::test]
async fn sigterm_loses_no_click() {
    let server = Server::start();
    let key = server.key().to_owned();
    let code = server.api().create(URL).await;
    let mut load = Load::default();
    load.visit(&server, 16, &[code]);
    load.wait_for_redirects(100).await;
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    load.stop();
    let server = Server::on(&ended.database);
    load.assert_counted(&server.with_key(&key)).await;
}

#[tokio::test]
async fn log_contains_no_key_and_no_destination_query() {
    let server = Server::start();
    let private = "https://private.example/?token=s3cr3t-token&x=1#s3cr3t-fragment";
    let key = server.key().to_owned();
    let wrong = "terse_wrongwrongwrongwrong12345";
    let api = server.anyone().with("Authorization", &format!("Bearer {key}"));
    let code = api.create_from(&json!({"url": private, "title": "s3cr3t-title"})).await;
    server.anyone().get(&format!("/{code}?token=s3cr3t-query")).await.expect(302);
    api.qr(&json!({"short_code": code})).await.expect(201);
    server.anyone().get(&format!("/{code}/qr.png")).await.expect(200);
    api.links().await.expect(200);
    api.stats(&code).await.expect(200);
    server.with_key(wrong).links().await.expect(401);
    server.anyone().with("Authorization", &format!("Basic {key}")).links().await.expect(401);
    server.anyone().get(&format!("/api/v1/links?key={key}")).await.expect(401);
    let invalid = format!("{private} ");
    api.shorten(&json!({"url": invalid})).await.expect(422);
    let ask = api.ask(Method::POST, "/api/v1/shorten");
    let broken = format!(r#"{{"url":"{private}","key":"{key}""#);
    ask.body("application/json", broken).send().await.expect(400);
    let added = server.database().owner("another", "free");
    server.terse(&["link", "show", &code]).done();
    let written = server.terminate().log;
    for secret in [&key, wrong, &added, "s3cr3t"] {
        assert!(!written.contains(secret), "{secret} is in the log:\n{written}");
    }
}
