//! The load: connections that each send a request, wait for its answer and send the next.
//!
//! One thread drives them all, since it shares the processors with the server that it measures: a
//! request costs it one write, one read and its part of a wait.

use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::traffic::{CODE_LENGTH, Picks, write_code};

/// How long a server may leave all connections without an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Terse tells visitors from link previews by it.
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
/// What every answer begins with.
const STATUS: &[u8] = b"HTTP/1.1 302 ";
const CODE_STARTS: usize = "GET /".len();

/// What was answered in some time.
pub(crate) struct Answers {
    pub(crate) elapsed: Duration,
    /// Microseconds, one for each answer, sorted.
    pub(crate) latencies: Vec<u32>,
}

/// Open connections to a server.
pub(crate) struct Load {
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    sent: Instant,
    answer: [u8; 2048],
    filled: usize,
}

impl Load {
    pub(crate) fn connect(address: SocketAddr, connections: usize) -> Result<Self> {
        let poll = Poll::new()?;
        let connections: Result<Vec<Connection>> = (0..connections)
            .map(|number| {
                let mut connection = Connection::open(address)?;
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

    /// Asks for what is picked, for `time`, and lets every request that was sent be answered.
    pub(crate) fn drive(&mut self, picks: &mut Picks, time: Duration) -> Result<Answers> {
        let started = Instant::now();
        let end = started + time;
        let mut latencies = Vec::with_capacity(1 << 20);
        for connection in &mut self.connections {
            connection.send(picks.next(), started)?;
        }
        let mut under_way = self.connections.len();
        while under_way > 0 {
            self.wait()?;
            for event in &self.events {
                let connection = &mut self.connections[event.token().0];
                if !connection.receive()? {
                    continue;
                }
                let now = Instant::now();
                let latency = now.duration_since(connection.sent).as_micros();
                latencies.push(u32::try_from(latency).unwrap_or(u32::MAX));
                if now < end {
                    connection.send(picks.next(), now)?;
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
    fn open(address: SocketAddr) -> Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let code = "0".repeat(CODE_LENGTH);
        let request =
            format!("GET /{code} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: {USER_AGENT}\r\n\r\n");
        Ok(Self {
            stream: TcpStream::from_std(stream),
            request: request.into_bytes(),
            sent: Instant::now(),
            answer: [0; 2048],
            filled: 0,
        })
    }

    fn send(&mut self, link: u32, now: Instant) -> Result<()> {
        write_code(link, &mut self.request[CODE_STARTS..CODE_STARTS + CODE_LENGTH]);
        self.sent = now;
        self.filled = 0;
        // A request is far smaller than what a socket takes at once.
        self.stream.write_all(&self.request)
    }

    /// Reads what there is; whether that is the whole answer.
    fn receive(&mut self) -> Result<bool> {
        loop {
            match self.stream.read(&mut self.answer[self.filled..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
            let answer = &self.answer[..self.filled];
            if !answer.starts_with(&STATUS[..self.filled.min(STATUS.len())]) {
                return Err(Error::other(String::from_utf8_lossy(answer)));
            }
            // A redirect has no body: its answer ends with its head.
            if answer.ends_with(b"\r\n\r\n") {
                return Ok(true);
            }
        }
    }
}
