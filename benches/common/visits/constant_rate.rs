//! A load at a constant rate.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::load::{Connection, RESPONSE_TIMEOUT, Requests};
use crate::visits::traffic::{template, write_link};

/// Connections of the load, distributed evenly over the instances.
pub const CONNECTIONS: u16 = 64;

const REDIRECT: &[u8] = b"302 ";
const GONE: &[u8] = b"410 ";

/// A visit of a link.
#[derive(Debug, Clone, Copy)]
pub struct Visit {
    pub link: u32,
    /// When the request was due. If it was sent later, it waited for a free connection.
    pub due: Instant,
    pub sent: Instant,
    pub completed: Instant,
    /// Whether the response is a redirect; otherwise it is 410.
    pub is_redirect: bool,
}

impl Visit {
    /// Returns the time from when the request was due to its response.
    pub fn latency(&self) -> Duration {
        self.completed - self.due
    }
}

/// Requests for the links of an iterator.
struct Visits<I> {
    links: I,
    last: u32,
}

impl<I: Iterator<Item = u32>> Requests for Visits<I> {
    /// Accepts any status; [`visit`] checks it.
    const STATUS: &'static [u8] = b"HTTP/1.1 ";

    fn template(&self, address: SocketAddr) -> Vec<u8> {
        template(address)
    }

    fn write_next(&mut self, request: &mut [u8]) {
        self.last = self.links.next().unwrap_or(self.last);
        write_link(self.last, request);
    }
}

/// Sends `rate` requests per second until `stop` is set, whether or not earlier ones have a
/// response, and waits for all responses.
///
/// A request that is due while no connection is free waits for one, and that is part of its
/// latency.
pub fn visit(
    addresses: &[SocketAddr],
    rate: u32,
    links: impl Iterator<Item = u32>,
    stop: &AtomicBool,
) -> Result<Vec<Visit>> {
    let mut requests = Visits { links, last: 0 };
    let mut poll = Poll::new()?;
    let (mut connections, mut idle) = (Vec::new(), VecDeque::new());
    for (number, &address) in (0..CONNECTIONS.into()).zip(addresses.iter().cycle()) {
        let mut connection = Connection::open(address, requests.template(address))?;
        poll.registry().register(&mut connection.stream, Token(number), Interest::READABLE)?;
        // The connection, and the link and due time of its request in flight.
        connections.push((connection, 0, Instant::now()));
        idle.push_back(number);
    }
    let (mut events, mut visits) = (Events::with_capacity(1024), Vec::new());
    let interval = Duration::from_secs(1) / rate;
    let (mut due, mut end, mut last_response) = (Instant::now(), None, Instant::now());
    loop {
        let now = Instant::now();
        if end.is_none() && stop.load(Ordering::Relaxed) {
            end = Some(now);
        }
        while due <= end.unwrap_or(now)
            && let Some(number) = idle.pop_front()
        {
            let (connection, link, was_due) = &mut connections[number];
            connection.send(&mut requests, Instant::now())?;
            (*link, *was_due) = (requests.last, due);
            due += interval;
        }
        let in_flight = connections.len() - idle.len();
        if in_flight == 0 && end.is_some_and(|end| due > end) {
            return Ok(visits);
        }
        poll.poll(&mut events, Some(Duration::ZERO))?;
        for event in &events {
            let (connection, link, due) = &mut connections[event.token().0];
            if !connection.receive(Visits::<std::iter::Empty<u32>>::STATUS)? {
                continue;
            }
            let status = &connection.response[b"HTTP/1.1 ".len()..];
            let is_redirect = status.starts_with(REDIRECT);
            if !is_redirect && !status.starts_with(GONE) {
                return Err(Error::other(String::from_utf8_lossy(&connection.response)));
            }
            last_response = Instant::now();
            let (link, due, sent, completed) = (*link, *due, connection.sent, last_response);
            visits.push(Visit { link, due, sent, completed, is_redirect });
            idle.push_back(event.token().0);
        }
        if events.is_empty() {
            if in_flight > 0 && last_response.elapsed() > RESPONSE_TIMEOUT {
                return Err(ErrorKind::TimedOut.into());
            }
            // Sleeps here, because the timeout of a poll has too coarse a resolution.
            std::thread::sleep(interval.min(Duration::from_micros(200)));
        }
    }
}
