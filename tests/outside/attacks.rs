//! Attacks by clients without a key, or with an ordinary one: other clients are served meanwhile,
//! and the memory of the server stays bounded.

use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{RESPONSE_TIMEOUT, Server};

/// Maximum resident memory, with the default size of the cache.
const MAX_MEMORY: u64 = 512 << 20;
/// Length of each link's destination, so that lists of links are long responses.
const DESTINATION_LENGTH: usize = 8_000;

/// A connection of an attacker, who sends the preamble once and then the same bytes again and
/// again.
struct Attacker {
    stream: TcpStream,
    /// Position in the bytes to repeat.
    position: usize,
}

/// What an attacker sends, and how.
struct Attack {
    name: &'static str,
    connections: usize,
    preamble: Vec<u8>,
    repeated: Vec<u8>,
    /// Maximum number of bytes that a connection sends at once, between two pauses of the attacker.
    burst: usize,
    /// Whether the attacker reads responses.
    reads: bool,
}

impl Attack {
    fn open(&self, authority: &str) -> Option<Attacker> {
        let stream = TcpStream::connect(authority).ok()?;
        let mut attacker = Attacker { stream, position: 0 };
        attacker.stream.write_all(&self.preamble).ok()?;
        attacker.stream.set_nonblocking(true).ok()?;
        Some(attacker)
    }

    /// Attacks until `deadline`. Connections that the server closes are opened again.
    fn run(&self, authority: &str, deadline: Instant) {
        let mut attackers: Vec<_> = (0..self.connections).map(|_| self.open(authority)).collect();
        while Instant::now() < deadline {
            for slot in &mut attackers {
                let is_open = slot.as_mut().is_some_and(|attacker| self.send(attacker).is_ok());
                if !is_open {
                    *slot = self.open(authority);
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn send(&self, attacker: &mut Attacker) -> std::io::Result<()> {
        if self.reads {
            read_all(&mut attacker.stream)?;
        }
        let mut left = self.burst;
        while left > 0 && !self.repeated.is_empty() {
            let rest = &self.repeated[attacker.position..];
            match attacker.stream.write(&rest[..rest.len().min(left)]) {
                Ok(sent) => {
                    attacker.position = (attacker.position + sent) % self.repeated.len();
                    left -= sent;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn read_all(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Returns an HTTP/2 frame (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Identifier of the setting for the initial window of streams.
const INITIAL_WINDOW: [u8; 2] = [0, 4];

/// Returns the first bytes of an HTTP/2 connection, with this initial window for responses.
fn preface(window: u32) -> Vec<u8> {
    let setting = [&INITIAL_WINDOW[..], &window.to_be_bytes()].concat();
    [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &frame(SETTINGS, 0, 0, &setting)].concat()
}

/// Returns a header field without compression (RFC 7541, section 6.2.2).
fn literal(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| {
        assert!(text.len() < 127);
        [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
    };
    [&[0][..], &text(name), &text(value)].concat()
}

/// Returns the HTTP/2 frame of a GET request on this stream.
fn request(stream: u32, authority: &str, path: &str, key: &str) -> Vec<u8> {
    let fields = [
        literal(":method", "GET"),
        literal(":scheme", "http"),
        literal(":authority", authority),
        literal(":path", path),
        literal("x-api-key", key),
    ];
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &fields.concat())
}

fn attacks(server: &Server) -> Vec<Attack> {
    let (authority, key) = (server.authority(), server.key());
    let list = "/api/v1/links?limit=100";
    let http1 = |path: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nX-API-Key: {key}\r\n\r\n").repeat(50)
    };
    let streams = |count: u32| (0..count).map(|number| 2 * number + 1);
    let lists: Vec<_> =
        streams(100).flat_map(|stream| request(stream, authority, list, key)).collect();
    let resets = streams(20_000).flat_map(|stream| {
        let reset = frame(RESET, 0, stream, &8_u32.to_be_bytes());
        [request(stream, authority, list, key), reset].concat()
    });
    let headers = frame(HEADERS, END_STREAM, 1, &literal(":method", "GET"));
    let more = literal("x", &"x".repeat(100)).repeat(100);
    let attack = |name, connections, preamble: Vec<u8>, repeated: Vec<u8>| Attack {
        name,
        connections,
        preamble,
        repeated,
        burst: 64 * 1024,
        reads: false,
    };
    vec![
        Attack { reads: true, ..attack("silence", 1_500, Vec::new(), Vec::new()) },
        Attack { burst: 1, ..attack("slow heads", 500, Vec::new(), http1(list).into_bytes()) },
        attack("pipelined requests", 500, Vec::new(), http1("/nope").into_bytes()),
        attack("unread lists", 300, Vec::new(), http1(list).into_bytes()),
        Attack {
            burst: 17,
            ..attack(
                "zero windows with pings",
                200,
                [preface(0), lists].concat(),
                frame(PING, 0, 0, &[0; 8]),
            )
        },
        Attack {
            reads: true,
            ..attack("rapid resets", 50, preface(65_535), resets.collect::<Vec<u8>>())
        },
        attack(
            "endless continuation",
            50,
            [preface(65_535), headers].concat(),
            frame(CONTINUATION, 0, 1, &more),
        ),
        attack("settings", 50, preface(65_535), frame(SETTINGS, 0, 0, &[]).repeat(1_000)),
        attack("pings", 50, preface(65_535), frame(PING, 0, 0, &[0; 8]).repeat(1_000)),
    ]
}

/// Follows a link again and again, each time on a new connection. Returns the slowest response.
fn visit(server: &Server, is_over: &AtomicBool, visits: &AtomicU64) -> Duration {
    let mut slowest = Duration::ZERO;
    while !is_over.load(Ordering::Relaxed) {
        let started = Instant::now();
        let response = server.connect().exchange("GET", b"/long1", &[], b"");
        assert_eq!(response.unwrap().status, 302);
        slowest = slowest.max(started.elapsed());
        visits.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(20));
    }
    slowest
}

fn peak_resident_memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Panics unless clients are served and the server's memory is bounded during all attacks.
fn survive_attacks(seconds: u64) {
    let server = Server::start();
    let mut rows = "short_code,destination_url\n".to_owned();
    for number in 0..100 {
        writeln!(rows, "long{number},https://example.org/{}", "x".repeat(DESTINATION_LENGTH))
            .unwrap();
    }
    fs::write(server.database().directory().join("in"), rows).unwrap();
    server.terse(&["import", "in", "--owner", "default"]).done();
    for attack in attacks(&server) {
        let (is_over, visits) = (AtomicBool::new(false), AtomicU64::new(0));
        let slowest = thread::scope(|scope| {
            let visitor = scope.spawn(|| visit(&server, &is_over, &visits));
            attack.run(server.authority(), Instant::now() + Duration::from_secs(seconds));
            is_over.store(true, Ordering::Relaxed);
            visitor.join().expect("every visit is redirected")
        });
        let (name, memory) = (attack.name, peak_resident_memory(&server));
        let measured =
            format!("{name}: {visits:?} visits, slowest {slowest:?}, {} MiB", memory >> 20);
        assert!(slowest < RESPONSE_TIMEOUT && memory < MAX_MEMORY, "{measured}");
    }
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn redirects_continue_during_attacks_of_a_second() {
    survive_attacks(1);
}

#[test]
#[ignore = "long"]
fn redirects_continue_during_attacks_of_a_minute() {
    survive_attacks(60);
}
