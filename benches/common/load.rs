//! The load: connections that each send a request, wait for its response and send the next.
//!
//! One thread drives all of them, because it shares the CPUs with the measured server: a request
//! costs one write, one read and its part of a poll.

use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

/// Maximum time in which no connection receives a response.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
const CONTENT_LENGTH: &[u8] = b"content-length: ";
const CHUNKED: &[u8] = b"transfer-encoding: chunked";
/// End of a chunked response. It occurs nowhere else, because the JSON contains no line break.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

/// Requests and their expected status.
pub trait Requests {
    /// Expected beginning of every response.
    const STATUS: &'static [u8];

    /// Returns a complete request to the server at that address. [`Self::write_next`] replaces a
    /// part of it.
    fn template(&self, address: SocketAddr) -> Vec<u8>;

    /// Turns the template into the next request.
    fn write_next(&mut self, request: &mut [u8]);
}

/// The responses of a period.
pub struct Responses {
    pub elapsed: Duration,
    /// Microseconds, one value per response, sorted.
    pub latencies: Vec<u32>,
}

/// Open connections to a server's instances.
pub struct Load {
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
}

/// A connection that sends its next request after the response to the previous one.
pub struct Connection {
    pub stream: TcpStream,
    request: Vec<u8>,
    pub sent: Instant,
    /// The response, and possibly bytes of an earlier one after it.
    pub response: Vec<u8>,
    filled: usize,
}

impl Load {
    /// Opens this number of connections, distributed evenly over the addresses.
    pub fn connect(
        addresses: &[SocketAddr],
        connections: usize,
        requests: &impl Requests,
    ) -> Result<Self> {
        let poll = Poll::new()?;
        let connections: Result<Vec<Connection>> = (0..connections)
            .zip(addresses.iter().cycle())
            .map(|(number, &address)| {
                let mut connection = Connection::open(address, requests.template(address))?;
                poll.registry().register(
                    &mut connection.stream,
                    Token(number),
                    Interest::READABLE,
                )?;
                Ok(connection)
            })
            .collect();
        Ok(Self { poll, events: Events::with_capacity(1024), connections: connections? })
    }

    /// Sends requests for `time`, and waits for the response to each of them.
    pub fn drive<R: Requests>(&mut self, requests: &mut R, time: Duration) -> Result<Responses> {
        let started = Instant::now();
        let end = started + time;
        let mut latencies = Vec::with_capacity(1 << 20);
        for connection in &mut self.connections {
            connection.send(requests, started)?;
        }
        let mut in_flight = self.connections.len();
        while in_flight > 0 {
            self.wait()?;
            for event in &self.events {
                let connection = &mut self.connections[event.token().0];
                if !connection.receive(R::STATUS)? {
                    continue;
                }
                let now = Instant::now();
                let latency = now.duration_since(connection.sent).as_micros();
                latencies.push(u32::try_from(latency).unwrap_or(u32::MAX));
                if now < end {
                    connection.send(requests, now)?;
                } else {
                    in_flight -= 1;
                }
            }
        }
        let elapsed = started.elapsed();
        latencies.sort_unstable();
        Ok(Responses { elapsed, latencies })
    }

    fn wait(&mut self) -> Result<()> {
        loop {
            match self.poll.poll(&mut self.events, Some(RESPONSE_TIMEOUT)) {
                Ok(()) if self.events.is_empty() => return Err(ErrorKind::TimedOut.into()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl Connection {
    pub fn open(address: SocketAddr, request: Vec<u8>) -> Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            request,
            sent: Instant::now(),
            response: vec![0; 2048],
            filled: 0,
        })
    }

    pub fn send(&mut self, requests: &mut impl Requests, now: Instant) -> Result<()> {
        requests.write_next(&mut self.request);
        self.sent = now;
        self.filled = 0;
        // A request is far smaller than a socket's buffer.
        self.stream.write_all(&self.request)
    }

    /// Reads the available bytes; returns whether the response is complete.
    pub fn receive(&mut self, status: &[u8]) -> Result<bool> {
        loop {
            if self.filled == self.response.len() {
                self.response.resize(self.filled * 2, 0);
            }
            match self.stream.read(&mut self.response[self.filled..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
            let response = &self.response[..self.filled];
            if !response.starts_with(&status[..self.filled.min(status.len())]) {
                return Err(Error::other(String::from_utf8_lossy(response)));
            }
            if is_complete(response) {
                return Ok(true);
            }
        }
    }
}

/// Returns whether the head and the body that it announces are complete.
fn is_complete(response: &[u8]) -> bool {
    let Some(head) = find(response, END_OF_HEAD) else { return false };
    if find(&response[..head], CHUNKED).is_some() {
        return response.ends_with(LAST_CHUNK);
    }
    let length = find(&response[..head], CONTENT_LENGTH).map_or(0, |at| {
        let digits = response[at + CONTENT_LENGTH.len()..].iter();
        let digits = digits.take_while(|byte| byte.is_ascii_digit());
        digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
    });
    response.len() >= head + END_OF_HEAD.len() + length
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
