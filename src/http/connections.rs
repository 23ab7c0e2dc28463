//! Idle timeouts of connections. poem's own idle timeout only begins a graceful shutdown, which a
//! client can delay forever with half a request or an unread response.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use poem::http::uri::Scheme;
use poem::listener::Acceptor;
use poem::web::{LocalAddr, RemoteAddr};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// Maximum idle time of a connection. It also limits the time from the first byte of a request to
/// the first byte of its response, and is longer than the timeouts of the body and the database
/// together.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The first bytes of every HTTP/2 connection (RFC 9113, section 3.4).
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n";
/// Pause after a failed `accept`. The usual cause is a lack of file descriptors, so an immediate
/// retry would only use CPU time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Acceptor that makes idle connections fail.
pub struct IdleAcceptor<A>(pub A);

impl<A: Acceptor> Acceptor for IdleAcceptor<A> {
    type Io = IdleStream<A::Io>;

    fn local_addr(&self) -> Vec<LocalAddr> {
        self.0.local_addr()
    }

    async fn accept(&mut self) -> Result<(Self::Io, LocalAddr, RemoteAddr, Scheme)> {
        match self.0.accept().await {
            Ok((stream, local, remote, scheme)) => {
                Ok((IdleStream::new(stream, IDLE_TIMEOUT), local, remote, scheme))
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(ACCEPT_PAUSE).await;
                Err(error)
            }
        }
    }
}

/// Number of idle timeouts during which an HTTP/2 client may send data although the server sends
/// none.
const MAX_SILENT_TIMEOUTS: u32 = 4;

/// A stream that fails when it is idle. On an HTTP/1.1 connection, only the first read after a
/// write counts as activity. A client thus cannot keep a connection open by sending the head of a
/// request byte by byte.
pub struct IdleStream<S> {
    stream: S,
    timeout: Duration,
    active: Instant,
    /// Time of the last write.
    written: Instant,
    /// Whether the stream has read anything since the last write.
    has_read: bool,
    protocol: Protocol,
    /// Timer that fires at the deadline or before it. The stream resets the timer only when it
    /// fires.
    timer: Pin<Box<Sleep>>,
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

impl<S> IdleStream<S> {
    fn new(stream: S, timeout: Duration) -> Self {
        let active = Instant::now();
        Self {
            stream,
            timeout,
            active,
            written: active,
            has_read: false,
            protocol: Protocol::Unknown { matched: 0 },
            timer: Box::pin(sleep_until(active + timeout)),
        }
    }

    /// Returns whether a read now counts as activity. On HTTP/1.1 it does if it may begin a
    /// request. On HTTP/2 it does unless the server has sent nothing for too long.
    fn is_activity(&self) -> bool {
        match self.protocol {
            Protocol::Http2 => self.written.elapsed() < MAX_SILENT_TIMEOUTS * self.timeout,
            Protocol::Unknown { .. } | Protocol::Http1 => !self.has_read,
        }
    }

    /// Polls the timer when the stream is not ready. If the stream is idle, it returns the timeout
    /// error.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<Error> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let deadline = self.active + self.timeout;
            if deadline <= Instant::now() {
                return Poll::Ready(ErrorKind::TimedOut.into());
            }
            self.timer.as_mut().reset(deadline);
        }
    }

    fn after_write(
        &mut self,
        polled: Poll<Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize>> {
        if polled.is_pending() {
            return self.poll_idle(context).map(Err);
        }
        self.active = Instant::now();
        self.written = self.active;
        self.has_read = false;
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_pending() {
            return self.poll_idle(context).map(Err);
        }
        self.protocol.detect(&buffer.filled()[before..]);
        if self.is_activity() {
            self.active = Instant::now();
            self.has_read = true;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleStream<S> {
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
        slices: &[std::io::IoSlice<'_>],
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

    use super::*;

    /// The timeout is short, because the tests wait for it. A test fails only if a stream ends too
    /// early.
    const TIMEOUT: Duration = Duration::from_millis(100);

    fn pair() -> (DuplexStream, IdleStream<DuplexStream>) {
        let (client, server) = duplex(64);
        (client, IdleStream::new(server, TIMEOUT))
    }

    async fn send(bytes: &[u8], client: &mut DuplexStream, server: &mut IdleStream<DuplexStream>) {
        client.write_all(bytes).await.unwrap();
        server.read_exact(&mut vec![0; bytes.len()]).await.unwrap();
    }

    /// Panics unless the stream times out, at the earliest one timeout after `last`.
    async fn ends(mut server: IdleStream<DuplexStream>, last: Instant) {
        let error = server.read_exact(&mut [0]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(last.elapsed() >= TIMEOUT, "after {:?}", last.elapsed());
    }

    #[tokio::test]
    async fn write_extends_a_stream_until_it_is_idle() {
        let (mut client, mut server) = pair();
        send(b"x", &mut client, &mut server).await;
        sleep(TIMEOUT / 2).await;
        let last = Instant::now();
        server.write_all(b"y").await.unwrap();
        ends(server, last).await;
    }

    #[tokio::test]
    async fn read_after_a_write_extends_a_stream() {
        let (mut client, mut server) = pair();
        for _ in 0..3 {
            send(b"x", &mut client, &mut server).await;
            server.write_all(b"y").await.unwrap();
            sleep(TIMEOUT / 2).await;
        }
        let last = Instant::now();
        send(b"x", &mut client, &mut server).await;
        ends(server, last).await;
    }

    /// Frames such as SETTINGS and WINDOW_UPDATE need no response.
    #[tokio::test]
    async fn every_read_extends_an_http2_stream() {
        let (mut client, mut server) = pair();
        for part in [&HTTP2[..5], &HTTP2[5..]] {
            send(part, &mut client, &mut server).await;
        }
        let mut last = Instant::now();
        for _ in 0..3 {
            sleep(TIMEOUT / 2).await;
            last = Instant::now();
            send(b"x", &mut client, &mut server).await;
        }
        ends(server, last).await;
    }

    #[tokio::test]
    async fn endless_request_ends_a_stream() {
        // The first text is not HTTP/2, but begins like it.
        for begin in [&b"PRI /"[..], HTTP2] {
            drip(begin).await;
        }
    }

    async fn drip(begin: &'static [u8]) {
        let (mut client, mut server) = pair();
        let sending = tokio::spawn(async move {
            client.write_all(begin).await.unwrap();
            while client.write_all(b"x").await.is_ok() {
                sleep(TIMEOUT / 10).await;
            }
        });
        let started = Instant::now();
        let error = server.read_exact(&mut [0; 256]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(started.elapsed() >= TIMEOUT);
        drop(server);
        sending.await.unwrap();
    }
}
