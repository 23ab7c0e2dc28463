//! Addresses and sockets on which a server listens.

use std::future::poll_fn;
use std::io::{BufReader, Read as _, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::harness::{
    Connection, Database, Log, Process, Server, SetOnDrop, TIMEOUT, field, free_port, until,
};

const URL: &str = "https://example.com/";
const BASE_URL: &str = "http://go.example";

/// Sends a request on a new connection, and returns the complete response.
fn exchange(mut stream: impl std::io::Read + Write, request: &str) -> std::io::Result<String> {
    let head = format!("{request} HTTP/1.1\r\nHost: go.example\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    let mut response = String::new();
    BufReader::new(stream).read_to_string(&mut response)?;
    Ok(response)
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or(response)
}

fn ask(path: &Path, request: &str) -> String {
    exchange(UnixStream::connect(path).unwrap(), request).unwrap()
}

fn address(path: &Path) -> String {
    format!("unix:{}", path.display())
}

#[tokio::test]
async fn metrics_and_health_checks_move_to_the_operator_listener() {
    let database = Arc::new(Database::new().with_default_owner());
    let operator = format!("127.0.0.1:{}", free_port());
    let server = Server::with(&database, &["--operator-listen", &operator]);
    let on_operator =
        |request: &str| exchange(TcpStream::connect(&operator).unwrap(), request).unwrap();
    let code = server.api().create(URL).await;
    for path in ["/metrics", "/health/live", "/health/ready"] {
        assert_eq!(status(&on_operator(&format!("GET {path}"))), "200", "{path}");
        assert_eq!(status(&on_operator(&format!("HEAD {path}"))), "200", "{path}");
        assert_eq!(status(&on_operator(&format!("POST {path}"))), "405", "{path}");
        let unknown = server.anyone().get("/unknown/path").await;
        let moved = server.anyone().get(path).await.expect(404);
        assert_eq!(moved.text(), unknown.text(), "{path}");
    }
    for path in ["/", "/api/v1/links", "/openapi.json", &format!("/{code}")] {
        assert_eq!(status(&on_operator(&format!("GET {path}"))), "404", "{path}");
    }
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let reserved = serde_json::json!({"url": URL, "custom_code": "metrics"});
    server.api().shorten(&reserved).await.expect(409);
    let health = |options: &[&str]| server.terse(&[&["health"], options].concat());
    let listen = server.authority();
    health(&["--listen", listen, "--operator-listen", &operator]).done();
    assert_eq!(health(&["--listen", listen]).code, Some(1), "it has moved");
    let outcome = health(&["--operator-listen", "127.0.0.1:0"]);
    assert!(outcome.stderr.contains("--operator-listen has port 0"), "{outcome:#?}");
    let log = server.terminate().log;
    assert!(log.contains(&format!(r#""operator_address":"{operator}""#)), "{log}");
}

/// Serves a database on Unix sockets in its directory, with one for the operator.
fn on_unix_sockets(database: &Arc<Database>) -> (Server, PathBuf, PathBuf) {
    let directory = database.directory();
    let (public, operator) = (directory.join("terse.sock"), directory.join("operator.sock"));
    let mut command = database.command();
    command.args(["serve", "--listen", &address(&public)]);
    command.args(["--operator-listen", &address(&operator), "--base-url", BASE_URL]);
    (Server::run(database, command), public, operator)
}

#[test]
fn unix_sockets_are_served_and_removed() {
    let database = Arc::new(Database::new().with_default_owner());
    let (server, public, operator) = on_unix_sockets(&database);
    for path in [&public, &operator] {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o660, "{}", path.display());
    }
    assert_eq!(status(&ask(&public, "GET /")), "200");
    assert_eq!(status(&ask(&public, "GET /metrics")), "404");
    assert_eq!(status(&ask(&operator, "GET /metrics")), "200");
    let (public_address, operator_address) = (address(&public), address(&operator));
    let options = ["--listen", &public_address, "--operator-listen", &operator_address];
    for check in ["live", "ready"] {
        database.terse(&[&["health", check][..], &options].concat()).done();
    }
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert!(!public.exists() && !operator.exists());
    let line = database.terse(&[&["health"][..], &options].concat()).failed();
    assert!(line.contains(&format!("cannot ask {operator_address}: ")), "{line}");
}

#[test]
fn only_the_socket_of_a_killed_server_is_replaced() {
    let database = Arc::new(Database::new().with_default_owner());
    let (server, public, _) = on_unix_sockets(&database);
    let address = address(&public);
    let second = Database::new();
    let options = ["serve", "--listen", &address, "--base-url", BASE_URL];
    let line = second.terse(&options).failed();
    assert!(line.contains(&format!("cannot listen on {address}: another program")), "{line}");
    assert_eq!(status(&ask(&public, "GET /health/live")), "404", "the first server responds");
    server.kill9();
    assert!(public.metadata().unwrap().file_type().is_socket(), "a killed server leaves it");
    let (server, _, _) = on_unix_sockets(&database);
    assert_eq!(status(&ask(&public, "GET /")), "200");
    drop(server);

    let file = database.directory().join("file");
    std::fs::write(&file, "precious").unwrap();
    let address = self::address(&file);
    let line = second.terse(&["serve", "--listen", &address, "--base-url", BASE_URL]);
    assert!(line.failed().contains("the file is not a socket"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn unix_socket_requires_a_base_url() {
    let database = Database::new().migrated();
    let address = address(&database.directory().join("terse.sock"));
    let outcome = database.terse(&["serve", "--listen", &address]);
    assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    assert!(outcome.stderr.contains("--base-url"), "{outcome:#?}");
    for wrong in ["unix:", "unix", "example.org:80", &format!("unix:/{}", "x".repeat(108))] {
        database.terse(&["serve", "--listen", wrong]).misused();
        database.terse(&["serve", "--operator-listen", wrong]).misused();
    }
}

/// A server to which the test passes sockets, as a supervisor does.
pub(crate) struct ActivatedServer {
    pub(crate) process: Process,
    pub(crate) log: Log,
}

impl ActivatedServer {
    /// Starts a server with up to two sockets, which a shell receives as standard input and output.
    #[track_caller]
    pub(crate) fn start(
        database: &Database,
        sockets: Vec<OwnedFd>,
        names: &str,
        options: &[&str],
    ) -> Self {
        let script = "exec 3<&0 4>&1 </dev/null >/dev/null; export LISTEN_PID=$$; exec \"$@\"";
        let terse = database.command();
        let mut command = Command::new("sh");
        command.args(["-c", script, "supervisor"]).arg(terse.get_program()).arg("serve");
        command.args(options).current_dir(database.directory());
        for (name, value) in terse.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("LISTEN_FDS", sockets.len().to_string()).env("LISTEN_FDNAMES", names);
        let mut sockets = sockets.into_iter();
        let mut stream = || sockets.next().map_or(Stdio::null(), Stdio::from);
        command.stdin(stream()).stdout(stream()).stderr(Stdio::piped());
        let mut process = Process::spawn(&mut command, "KILL");
        let log = Log::new(process.child().stderr.take().unwrap());
        Self { process, log }
    }

    /// Waits until the server listens, and returns the event.
    pub(crate) fn listening(&self) -> Value {
        let listening = |log: &str| {
            let mut events = log.lines().filter_map(|line| serde_json::from_str(line).ok());
            events.find(|event: &Value| event["message"] == "listening")
        };
        let found = self.log.wait_for(TIMEOUT, listening);
        found.unwrap_or_else(|| panic!("{}", self.log.text()))
    }

    /// Waits for the end, and returns the exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        let (child, log) = (self.process.child(), &self.log);
        until(TIMEOUT, || log.text(), || child.try_wait().unwrap()).code()
    }
}

#[test]
fn sockets_of_a_supervisor_are_served_by_name() {
    let database = Database::new().migrated();
    let public = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = public.local_addr().unwrap();
    let path = database.directory().join("passed.sock");
    let operator = UnixListener::bind(&path).unwrap();
    let sockets = vec![public.into(), operator.into()];
    let mut server = ActivatedServer::start(&database, sockets, "http:operator", &[]);
    let event = server.listening();
    assert_eq!(event["url"], format!("http://{address}"));
    assert_eq!(event["address"], address.to_string());
    assert_eq!(event["operator_address"], self::address(&path));
    let on_public = |request| exchange(TcpStream::connect(address).unwrap(), request).unwrap();
    assert_eq!(status(&on_public("GET /")), "200");
    assert_eq!(status(&on_public("GET /metrics")), "404");
    assert_eq!(status(&ask(&path, "GET /metrics")), "200");
    server.process.send("TERM");
    assert_eq!(server.end(), Some(0));
    assert!(path.exists(), "the supervisor's socket stays");
}

#[test]
fn several_sockets_of_a_supervisor_are_served() {
    let database = Database::new().migrated();
    let path = database.directory().join("passed.sock");
    let (tcp, unix) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), UnixListener::bind(&path).unwrap());
    let address = tcp.local_addr().unwrap();
    let server = ActivatedServer::start(&database, vec![unix.into(), tcp.into()], "", &[]);
    server.listening();
    assert_eq!(status(&ask(&path, "GET /metrics")), "200");
    let response = exchange(TcpStream::connect(address).unwrap(), "GET /metrics");
    assert_eq!(status(&response.unwrap()), "200");
}

#[test]
fn unusable_sockets_of_a_supervisor_are_an_error() {
    let database = Database::new().migrated();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for (socket, reason) in [(connection.into(), "Accept=no"), (datagrams.into(), "neither")] {
        let mut server = ActivatedServer::start(&database, vec![socket], "", &[]);
        assert_eq!(server.end(), Some(1));
        assert!(server.log.finish().contains(reason), "{reason}");
    }
    let path = database.directory().join("passed.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let mut server = ActivatedServer::start(&database, vec![unix.into()], "", &[]);
    assert_eq!(server.end(), Some(2), "a Unix socket has no base URL");
}

/// Minimum time since a client's last response before the server may close its connection. It is
/// shorter than the server's own time, in case the client's thread is delayed.
const IDLE: Duration = Duration::from_millis(250);
/// Pause between two requests of a client that keeps its connection, which is idle meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// Visits a link until `stop`, on a new connection each time or on one that it keeps as long as the
/// server allows. Counts the redirects.
pub(crate) fn visit(
    address: SocketAddr,
    code: &str,
    keeps: bool,
    stop: &AtomicBool,
    redirects: &AtomicU64,
) {
    let authority = address.to_string();
    let target = format!("/{code}").into_bytes();
    let fields = [field("Connection", if keeps { "keep-alive" } else { "close" })];
    let open = || Connection::open(&authority, &format!("http://{authority}"));
    let (mut connection, mut last) = (open(), Instant::now());
    while !stop.load(Ordering::SeqCst) {
        let sent = connection.send_head("GET", &target, &fields);
        let is_closed = match sent.and_then(|()| connection.read_response(false)) {
            Ok((status, headers, _)) => {
                assert_eq!(status, 302);
                redirects.fetch_add(1, Ordering::SeqCst);
                !keeps || headers.get("connection").is_some_and(|value| value == "close")
            }
            Err(error) => {
                assert!(last.elapsed() >= IDLE, "a request failed: {error}");
                true
            }
        };
        last = Instant::now();
        if is_closed {
            connection = open();
        } else {
            thread::sleep(PAUSE);
        }
    }
}

/// Visits a link over HTTP/2 until `stop`, with several requests at once on a connection that the
/// client keeps as long as the server allows. Counts the redirects.
#[tokio::main(flavor = "current_thread")]
async fn visit_over_http2(
    address: SocketAddr,
    code: &str,
    stop: &AtomicBool,
    redirects: &AtomicU64,
) {
    while !stop.load(Ordering::SeqCst) {
        let stream = tokio::net::TcpStream::connect(address).await.expect("no refused connection");
        let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
        let connection = tokio::spawn(connection);
        // A client must not open a stream after the server's GOAWAY (RFC 9113, section 6.8).
        while !stop.load(Ordering::SeqCst) && poll_fn(|task| client.poll_ready(task)).await.is_ok()
        {
            let requests = (0..4).filter_map(|_| {
                let request = http::Request::get(format!("http://{address}/{code}"));
                let sent = client.send_request(request.body(()).unwrap(), true);
                sent.ok().map(|(response, _)| response)
            });
            let responses = join_all(requests.collect::<Vec<_>>());
            for response in timeout(TIMEOUT, responses).await.expect("the server responds") {
                match response {
                    Ok(response) => {
                        assert_eq!(response.status(), 302);
                        redirects.fetch_add(1, Ordering::SeqCst);
                    }
                    // The server has not processed a request that crossed its GOAWAY, and the
                    // client repeats it (RFC 9113, section 8.7).
                    Err(error) => assert!(
                        error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR),
                        "a request failed: {error}"
                    ),
                }
            }
            sleep(PAUSE).await;
        }
        drop(client);
        connection.await.unwrap().expect("the server closes its connections gracefully");
    }
}

#[tokio::test]
async fn restart_with_a_passed_socket_loses_no_request() {
    let server = Server::start();
    let (key, code) = (server.key().to_owned(), server.api().create(URL).await);
    let database = server.terminate().database;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let start = || {
        let socket = listener.try_clone().unwrap().into();
        ActivatedServer::start(&database, vec![socket], "", &[])
    };
    let (stop, redirects) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut server = start();
    thread::scope(|scope| {
        let (code, stop, redirects) = (&code, &stop, &redirects);
        let end = SetOnDrop(stop);
        let clients: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || visit(address, code, number % 2 == 0, stop, redirects))
            })
            .chain(
                (0..4)
                    .map(|_| scope.spawn(move || visit_over_http2(address, code, stop, redirects))),
            )
            .collect();
        for _ in 0..3 {
            let before = redirects.load(Ordering::SeqCst);
            until(
                TIMEOUT,
                || "clients visit the link",
                || {
                    let is_failed = clients.iter().any(|client| client.is_finished());
                    let is_served = redirects.load(Ordering::SeqCst) > before + 200;
                    (is_served || is_failed).then_some(())
                },
            );
            server.process.send("TERM");
            assert_eq!(server.end(), Some(0), "{}", server.log.text());
            server = start();
        }
        drop(end);
        clients.into_iter().for_each(|client| client.join().expect("no request fails"));
    });
    drop(server);
    let server = Server::on(&database);
    assert_eq!(server.with_key(&key).clicks(&code).await, redirects.into_inner());
}
