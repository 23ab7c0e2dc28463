//! A connection that sends batches.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use bench_common::Result;
use bench_common::load::RESPONSE_TIMEOUT;

/// Number of links per batch.
const LINKS: u64 = 1_000;

/// Batches of links with consecutive numbers.
pub(crate) struct Batches {
    key: String,
    next: u64,
}

impl Batches {
    /// Returns batches with this key.
    pub(crate) fn new(key: &str) -> Self {
        Self { key: key.to_owned(), next: 0 }
    }

    /// Sends batches for `time` or until `is_over`; returns the number of links, and the time.
    pub(crate) fn send(
        &mut self,
        address: SocketAddr,
        is_over: impl Fn() -> bool,
        time: Duration,
    ) -> Result<(u64, Duration)> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
        let (started, mut links) = (Instant::now(), 0);
        while started.elapsed() < time && !is_over() {
            stream.write_all(self.request(address)?.as_bytes())?;
            let response = receive(&mut stream)?;
            let created = response.matches("\"status\":201").count() as u64;
            if created != LINKS {
                return Err(format!("{created} links were created").into());
            }
            links += created;
        }
        Ok((links, started.elapsed()))
    }

    fn request(&mut self, address: SocketAddr) -> Result<String> {
        let mut body = "{\"links\":[".to_owned();
        for index in 0..LINKS {
            self.next += 1;
            let separator = if index == 0 { "" } else { "," };
            write!(
                body,
                r#"{separator}{{"destination_url":"https://example.org/articles/{:09}?utm_source=newsletter&utm_medium=email","title":"Article","campaign":"letter"}}"#,
                self.next
            )?;
        }
        body.push_str("]}");
        let (key, length) = (&self.key, body.len());
        Ok(format!(
            "POST /api/manage/v1/link-batches HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }
}

/// Reads a response with a `Content-Length`, and returns its body.
fn receive(stream: &mut TcpStream) -> Result<String> {
    let (mut response, mut part) = (Vec::new(), vec![0; 1 << 16]);
    let length = "content-length: ";
    loop {
        let text = String::from_utf8_lossy(&response);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let line = head.lines().find_map(|line| line.strip_prefix(length));
            let expected: usize = line.ok_or("no length")?.parse()?;
            if body.len() >= expected {
                return Ok(body.to_owned());
            }
        }
        match stream.read(&mut part)? {
            0 => return Err("the server has closed the connection".into()),
            read => response.extend_from_slice(&part[..read]),
        }
    }
}
