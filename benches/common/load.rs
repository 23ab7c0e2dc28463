//! The load: connections that each send a request, wait for its answer and send the next.
//!
//! One thread drives them all, since it shares the processors with the server that it measures: a
//! request costs it one write, one read and its part of a wait.

use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

/// How long a server may leave all connections without an answer.
const PATIENCE: Duration = Duration::from_secs(10);
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
const CONTENT_LENGTH: &[u8] = b"content-length: ";
const CHUNKED: &[u8] = b"transfer-encoding: chunked";
/// No text in JSON has it.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

/// What is sent, and what it is to be answered with.
pub(crate) trait Requests {
    /// What every answer begins with.
    const STATUS: &'static [u8];

    /// A whole request to the server at that address, in which a part will be replaced.
    fn template(&self, address: SocketAddr) -> Vec<u8>;

    /// Makes the next request of the template.
    fn write_next(&mut self, request: &mut [u8]);
}

/// What was answered in some time.
pub(crate) struct Answers {
    pub(crate) elapsed: Duration,
    /// Microseconds, one for each answer, sorted.
    pub(crate) latencies: Vec<u32>,
}

/// Open connections to a server's instances.
pub(crate) struct Load {
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    sent: Instant,
    answer: Vec<u8>,
    filled: usize,
}

impl Load {
    /// Connects to these addresses in turn.
    pub(crate) fn connect(
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

    /// Sends requests for `time`, and lets every one that was sent be answered.
    pub(crate) fn drive<R: Requests>(
        &mut self,
        requests: &mut R,
        time: Duration,
    ) -> Result<Answers> {
        let started = Instant::now();
        let end = started + time;
        let mut latencies = Vec::with_capacity(1 << 20);
        for connection in &mut self.connections {
            connection.send(requests, started)?;
        }
        let mut under_way = self.connections.len();
        while under_way > 0 {
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
                    under_way -= 1;
                }
            }
        }
        let elapsed = started.elapsed();
        latencies.sort_unstable();
        Ok(Answers { elapsed, latencies })
    }

    fn wait(&mut self) -> Result<()> {
        loop {
            match self.poll.poll(&mut self.events, Some(PATIENCE)) {
                Ok(()) if self.events.is_empty() => return Err(ErrorKind::TimedOut.into()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl Connection {
    fn open(address: SocketAddr, request: Vec<u8>) -> Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            request,
            sent: Instant::now(),
            answer: vec![0; 2048],
            filled: 0,
        })
    }

    fn send(&mut self, requests: &mut impl Requests, now: Instant) -> Result<()> {
        requests.write_next(&mut self.request);
        self.sent = now;
        self.filled = 0;
        // A request is far smaller than what a socket takes at once.
        self.stream.write_all(&self.request)
    }

    /// Reads what there is; whether that is the whole answer.
    fn receive(&mut self, status: &[u8]) -> Result<bool> {
        loop {
            if self.filled == self.answer.len() {
                self.answer.resize(self.filled * 2, 0);
            }
            match self.stream.read(&mut self.answer[self.filled..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
            let answer = &self.answer[..self.filled];
            if !answer.starts_with(&status[..self.filled.min(status.len())]) {
                return Err(Error::other(String::from_utf8_lossy(answer)));
            }
            if is_whole(answer) {
                return Ok(true);
            }
        }
    }
}

/// Whether the head has come, and as much after it as it says, or the last chunk.
fn is_whole(answer: &[u8]) -> bool {
    let Some(head) = find(answer, END_OF_HEAD) else { return false };
    if find(&answer[..head], CHUNKED).is_some() {
        return answer.ends_with(LAST_CHUNK);
    }
    let length = find(&answer[..head], CONTENT_LENGTH).map_or(0, |at| {
        let digits = answer[at + CONTENT_LENGTH.len()..].iter();
        let digits = digits.take_while(|byte| byte.is_ascii_digit());
        digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
    });
    answer.len() >= head + END_OF_HEAD.len() + length
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
