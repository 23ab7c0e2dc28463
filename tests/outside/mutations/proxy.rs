//! A proxy that changes one response.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::harness::Connection;

/// A response that can be changed.
#[derive(Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// Returns the server's response to this request.
    pub(super) fn of(mut server: Connection, request: &[u8]) -> std::io::Result<Self> {
        server.send(request)?;
        let (status, headers, body) = server.read_response(request.starts_with(b"HEAD "))?;
        Ok(Self { status, headers, body })
    }

    /// Changes the body as JSON.
    pub(super) fn body(&mut self, change: fn(&mut Value)) {
        let mut body = serde_json::from_slice(&self.body).expect("the response is JSON");
        change(&mut body);
        self.body = body.to_string().into_bytes();
    }

    /// Removes a header.
    pub(super) fn without(&mut self, name: &'static str) {
        self.headers.remove(name).expect("the server sends this header");
    }

    /// Sets a header, in place of one with that name.
    pub(super) fn with(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(name, HeaderValue::from_static(value));
    }

    fn send(self, client: &mut TcpStream) -> std::io::Result<()> {
        let Self { status, headers, body } = self;
        let mut bytes = format!("HTTP/1.1 {status} X\r\n").into_bytes();
        let of_connection = ["content-length", "transfer-encoding", "connection"];
        for (name, value) in
            headers.iter().filter(|(name, _)| !of_connection.contains(&name.as_str()))
        {
            bytes.extend_from_slice(format!("{name}: ").as_bytes());
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        let end = format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
        bytes.extend_from_slice(end.as_bytes());
        bytes.extend_from_slice(&body);
        client.write_all(&bytes)
    }
}

/// The source of the proxy's response.
pub(super) enum Source {
    /// A connection to the server.
    Server(Connection),
    /// An earlier response of a server.
    Recorded(Reply),
}

/// A proxy that responds to one request with a changed response.
pub(super) struct Proxy {
    origin: String,
    thread: thread::JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy that changes one response.
    pub(super) fn start(source: Source, change: fn(&mut Reply)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let origin = format!("http://{}", listener.local_addr().expect("it has an address"));
        let thread = thread::spawn(move || {
            let (client, _) = listener.accept().expect("the client connects");
            pass(client, source, change).expect("the proxy forwards the request and the response");
        });
        Self { origin, thread }
    }

    /// Returns the URL of the proxy.
    pub(super) fn origin(&self) -> String {
        self.origin.clone()
    }

    /// Waits until the proxy has forwarded the response.
    pub(super) fn finish(self) {
        self.thread.join().expect("the proxy works");
    }
}

fn pass(mut client: TcpStream, source: Source, change: fn(&mut Reply)) -> std::io::Result<()> {
    let request = read_request(&mut client)?;
    let mut reply = match source {
        Source::Server(server) => Reply::of(server, &request)?,
        Source::Recorded(reply) => reply,
    };
    change(&mut reply);
    reply.send(&mut client)
}

/// Reads a complete request, whose body has a length.
fn read_request(client: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        if let Some(head) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
            if bytes.len() >= head + 4 + length {
                return Ok(bytes);
            }
        }
        let read = client.read(&mut part)?;
        assert!(read > 0, "the request ends in its midst");
        bytes.extend_from_slice(&part[..read]);
    }
}
