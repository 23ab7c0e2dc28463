//! Limits of connections: their number, their timeouts and the memory that they take.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Connection, Database, Server};

fn serve_new(settings: &[&str]) -> Server {
    Server::with(&Arc::new(Database::new().with_default_owner()), settings)
}

fn open(server: &Server, count: usize) -> Vec<Connection> {
    (0..count).map(|_| server.connect()).collect()
}

fn is_served(connection: &mut Connection) -> bool {
    connection
        .exchange("GET", b"/health/live", &[], b"")
        .is_ok_and(|response| response.status == 200)
}

#[test]
fn connection_above_the_maximum_replaces_an_idle_one() {
    let server = serve_new(&["--max-connections", "20", "--header-timeout", "600"]);
    let mut used = server.connect();
    assert!(is_served(&mut used));
    let mut silent = open(&server, 19);
    let mut new = Vec::new();
    for round in 0..10 {
        new.push(server.connect());
        assert!(is_served(&mut new[round]), "connection {round}");
        assert!(is_served(&mut used), "round {round}");
    }
    // The oldest silent connections have made room.
    for connection in &mut silent[..10] {
        connection.wait_for_end().unwrap();
    }
    assert!(is_served(silent.last_mut().unwrap()));
}

#[test]
fn silent_connections_do_not_exhaust_open_files() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::limited(&database, "--nofile=256");
    server.wait_for_log("the limit of open files is too low");
    let _silent = open(&server, 400);
    for _ in 0..20 {
        assert!(is_served(&mut server.connect()));
    }
}

#[test]
fn soft_limit_of_open_files_is_raised() {
    let server = serve_new(&[]);
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let values: Vec<_> = files.split_whitespace().collect();
    assert_eq!(values[3], values[4], "{files}");
}

#[test]
fn connection_is_closed_if_a_head_does_not_arrive() {
    let server = serve_new(&["--header-timeout", "1"]);
    let mut used = server.connect();
    assert!(is_served(&mut used));
    let mut silent = server.connect();
    let mut begun = server.connect();
    begun.send(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut second = server.connect();
    assert!(is_served(&mut second));
    second.send(b"G").unwrap();
    for connection in [&mut silent, &mut begun, &mut second] {
        connection.wait_for_end().unwrap();
    }
    // A connection without a request in progress has no head to wait for.
    sleep(Duration::from_secs(1));
    assert!(is_served(&mut used));
}

/// Number of connections of a flood.
const CONNECTIONS: usize = 200;
/// Maximum memory of these connections with full buffers, and of everything else that grows during
/// a flood. The futures of an unoptimised program take several times as much as those of a release.
const MAX_BUFFERS: u64 = (CONNECTIONS as u64 * 64 + 24 * 1024) * 1024;
/// Maximum memory of responses that the clients do not read.
const MAX_UNSENT: u64 = 64 * 1024 * 1024;

/// Opens connections, sends this request on them again and again for some seconds, and reads
/// nothing. Returns the connections.
fn flood(server: &Server, request: &str) -> Vec<TcpStream> {
    let open = |_| {
        let stream = TcpStream::connect(server.authority()).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    let mut streams: Vec<_> = (0..CONNECTIONS).map(open).collect();
    let requests = request.repeat((256 * 1024_usize).div_ceil(request.len()));
    for _ in 0..20 {
        for stream in &mut streams {
            // A partial write cuts a request, and the server may then close the connection.
            let _sent = stream.write(requests.as_bytes());
        }
        sleep(Duration::from_millis(100));
    }
    streams
}

#[test]
fn pipelined_requests_take_bounded_memory() {
    let server = serve_new(&[]);
    assert!(is_served(&mut server.connect()));
    let before = server.private_memory();
    let request = format!("GET /nope HTTP/1.1\r\nHost: {}\r\n\r\n", server.authority());
    let _streams = flood(&server, &request);
    let more = server.max_private_memory().saturating_sub(before);
    assert!(more < MAX_BUFFERS, "{} MiB", more >> 20);
    assert!(is_served(&mut server.connect()));
}

#[test]
fn unread_responses_take_bounded_memory() {
    let server = serve_new(&[]);
    let mut rows = "short_code,destination_url\n".to_owned();
    for number in 0..100 {
        writeln!(rows, "long{number},https://example.org/{}", "x".repeat(8_000)).unwrap();
    }
    fs::write(server.database().directory().join("in"), rows).unwrap();
    server.terse(&["import", "in", "--owner", "default"]).done();
    assert!(is_served(&mut server.connect()));
    let before = server.private_memory();
    let (host, key) = (server.authority(), server.key());
    let request = format!("GET /api/v1/links HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {key}\r\n\r\n");
    let _streams = flood(&server, &request);
    let more = server.max_private_memory().saturating_sub(before);
    assert!(more < MAX_BUFFERS + MAX_UNSENT, "{} MiB", more >> 20);
    assert!(is_served(&mut server.connect()));
}
