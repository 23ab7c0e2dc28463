//! Timeouts of a connection.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::table::Connection;

/// Maximum time without progress on a connection. It is longer than the timeouts of the body and
/// the database together, so that slow requests end with a response.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The first bytes of every HTTP/2 connection (RFC 9113, section 3.4).
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n";

/// A stream that fails if the client is too slow.
///
/// The head of a request must arrive within the header timeout. This time starts when the
/// connection opens and, on HTTP/1.1, at the first byte of each later request. Apart from that, the
/// idle timeout limits the time since the last progress. HTTP/2 frames that belong to no request,
/// such as PING, are not progress.
pub(super) struct TimedStream<S> {
    stream: S,
    connection: Arc<Connection>,
    header_timeout: Duration,
    idle_timeout: Duration,
    protocol: Protocol,
    /// The head that began to arrive last. It may be complete by now.
    head: Option<RequestHead>,
    /// Timer that fires at the deadline or before it. The stream resets the timer only when it
    /// fires.
    timer: Pin<Box<Sleep>>,
}

/// The head of a request while it arrives.
#[derive(Debug, Clone, Copy)]
struct RequestHead {
    /// Number of requests before this one.
    requests: u64,
    began: Instant,
}

/// Protocol of a connection. HTTP/2 differs, because it has frames that are not part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// All bytes read so far match the beginning of [`HTTP2`].
    Unknown {
        matched: usize,
    },
    Http1,
    Http2,
}

impl Protocol {
    fn detect(&mut self, bytes: &[u8]) {
        let Self::Unknown { matched } = *self else { return };
        let rest = &HTTP2[matched..];
        let both = rest.len().min(bytes.len());
        *self = if bytes[..both] != rest[..both] {
            Self::Http1
        } else if both == rest.len() {
            Self::Http2
        } else {
            Self::Unknown { matched: matched + both }
        };
    }
}

impl<S> TimedStream<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>, header_timeout: Duration) -> Self {
        Self::with_timeouts(stream, connection, header_timeout, IDLE_TIMEOUT)
    }

    fn with_timeouts(
        stream: S,
        connection: Arc<Connection>,
        header_timeout: Duration,
        idle_timeout: Duration,
    ) -> Self {
        let began = Instant::now();
        Self {
            stream,
            connection,
            header_timeout,
            idle_timeout,
            protocol: Protocol::Unknown { matched: 0 },
            head: Some(RequestHead { requests: 0, began }),
            timer: Box::pin(sleep_until(began + header_timeout.min(idle_timeout))),
        }
    }

    /// Returns the time at which the stream fails unless the connection makes progress.
    fn deadline(&self) -> Instant {
        let requests = self.connection.requests();
        let idle = self.connection.last_progress() + self.idle_timeout;
        match self.head.filter(|head| head.requests == requests) {
            Some(head) => idle.min(head.began + self.header_timeout),
            None => idle,
        }
    }

    /// Returns the timeout error if the deadline has passed, and otherwise sets the timer. The
    /// stream calls this when it is not ready.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<Error> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let (deadline, now) = (self.deadline(), Instant::now());
            if deadline <= now {
                return Poll::Ready(ErrorKind::TimedOut.into());
            }
            // The head of a request may begin at any time, which makes the deadline earlier.
            self.timer.as_mut().reset(deadline.min(now + self.header_timeout));
        }
    }

    fn after_read(&mut self, bytes: &[u8]) {
        self.protocol.detect(bytes);
        let requests = self.connection.requests();
        let is_body = self.connection.has_pending_request();
        let is_known = self.head.is_some_and(|head| head.requests == requests);
        if self.protocol != Protocol::Http2 && !is_body && !is_known {
            self.head = Some(RequestHead { requests, began: Instant::now() });
        }
    }

    fn after_write(
        &mut self,
        polled: Poll<Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize>> {
        match polled {
            Poll::Pending => return self.poll_deadline(context).map(Err),
            Poll::Ready(Ok(bytes)) => self.connection.add_written(bytes),
            Poll::Ready(Err(_)) => {}
        }
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_pending() {
            return self.poll_deadline(context).map(Err);
        }
        self.after_read(&buffer.filled()[before..]);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.after_write(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.after_write(polled, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::sleep;

    use super::*;

    /// A short timeout, because the tests wait for it. A test fails only if a stream ends too
    /// early.
    const HEADER_TIMEOUT: Duration = Duration::from_millis(100);
    const IDLE_TIMEOUT: Duration = Duration::from_millis(250);

    type Stream = TimedStream<DuplexStream>;

    fn pair() -> (DuplexStream, Stream) {
        let (client, server) = duplex(64);
        let connection = Arc::new(Connection::new(None));
        (client, TimedStream::with_timeouts(server, connection, HEADER_TIMEOUT, IDLE_TIMEOUT))
    }

    async fn send(bytes: &[u8], client: &mut DuplexStream, server: &mut Stream) {
        client.write_all(bytes).await.unwrap();
        server.read_exact(&mut vec![0; bytes.len()]).await.unwrap();
    }

    async fn exchange(client: &mut DuplexStream, server: &mut Stream) {
        send(b"x", client, server).await;
        server.connection.begin_request();
        server.connection.begin_response();
        server.write_all(b"y").await.unwrap();
    }

    /// Panics unless the stream times out, at the earliest one timeout after `last`.
    async fn times_out(mut server: Stream, last: Instant, timeout: Duration) {
        let error = server.read_exact(&mut [0; 256]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        // The last progress is known to the millisecond.
        let elapsed = last.elapsed() + Duration::from_millis(1);
        assert!(elapsed >= timeout, "after {elapsed:?}");
    }

    fn drip(mut client: DuplexStream) {
        tokio::spawn(async move {
            while client.write_all(b"x").await.is_ok() {
                sleep(HEADER_TIMEOUT / 10).await;
            }
        });
    }

    #[tokio::test]
    async fn silent_stream_times_out_after_the_header_timeout() {
        let (_client, server) = pair();
        times_out(server, Instant::now(), HEADER_TIMEOUT).await;
    }

    #[tokio::test]
    async fn stream_between_requests_times_out_after_the_idle_timeout() {
        let (mut client, mut server) = pair();
        for _ in 0..3 {
            exchange(&mut client, &mut server).await;
            sleep(HEADER_TIMEOUT * 3 / 2).await;
        }
        exchange(&mut client, &mut server).await;
        times_out(server, Instant::now(), IDLE_TIMEOUT).await;
    }

    #[tokio::test]
    async fn endless_head_times_out_after_the_header_timeout() {
        // The second text is not HTTP/2, but begins like it.
        for begin in [&b"GET"[..], b"PRI /"] {
            let (mut client, mut server) = pair();
            exchange(&mut client, &mut server).await;
            let began = Instant::now();
            send(begin, &mut client, &mut server).await;
            drip(client);
            times_out(server, began, HEADER_TIMEOUT).await;
        }
    }

    #[tokio::test]
    async fn body_has_the_idle_timeout() {
        let (mut client, mut server) = pair();
        send(b"x", &mut client, &mut server).await;
        server.connection.begin_request();
        let began = Instant::now();
        drip(client);
        times_out(server, began, IDLE_TIMEOUT).await;
    }

    #[tokio::test]
    async fn frames_without_a_request_do_not_extend_an_http2_stream() {
        let (mut client, mut server) = pair();
        for part in [&HTTP2[..5], &HTTP2[5..]] {
            send(part, &mut client, &mut server).await;
        }
        exchange(&mut client, &mut server).await;
        let last = Instant::now();
        drip(client);
        times_out(server, last, IDLE_TIMEOUT).await;
    }

    #[tokio::test]
    async fn response_that_the_client_does_not_read_times_out() {
        let (mut client, mut server) = pair();
        exchange(&mut client, &mut server).await;
        let last = Instant::now();
        let error = server.write_all(&[0; 256]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(last.elapsed() + Duration::from_millis(1) >= IDLE_TIMEOUT);
        drop(client);
    }
}
