//! Connections that do nothing are closed.
//!
//! poem's own idle timeout asks for a graceful end, which a client that has sent half a request, or
//! does not read its answer, never lets come.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use poem::http::uri::Scheme;
use poem::listener::Acceptor;
use poem::web::{LocalAddr, RemoteAddr};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// How long a connection may do nothing, and how long after its first byte a request may go without
/// any answer: its body has 30 seconds, and the database some more.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// How a connection of HTTP/2 begins (RFC 9113, section 3.4), and none of HTTP/1.1.
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n";
/// How long to wait after a connection could not be accepted: mostly the process has as many open
/// files as it may, and asking again at once would only burn the processor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections that end when they are idle.
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

/// For how many idle timeouts an HTTP/2 client may go on sending while nothing is sent to it.
const UNANSWERED: u32 = 4;

/// A stream that fails when nothing has come or gone for some time. Of HTTP/1.1 what comes counts only
/// when it is the first since something went: a client that sends its head byte by byte does not keep
/// its place by that.
pub struct IdleStream<S> {
    stream: S,
    timeout: Duration,
    active: Instant,
    /// When something last went.
    sent: Instant,
    /// Something has come since.
    is_asked: bool,
    protocol: Protocol,
    /// Set for some moment after `active`, and set again only when it has passed.
    timer: Pin<Box<Sleep>>,
}

/// Over HTTP/2 much comes that is no request and has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// So many bytes of [`HTTP2`] have come, and nothing else.
    Unknown {
        matched: usize,
    },
    Http1,
    Http2,
}

impl Protocol {
    fn note(&mut self, come: &[u8]) {
        let Self::Unknown { matched } = *self else { return };
        let rest = &HTTP2[matched..];
        let both = rest.len().min(come.len());
        *self = if come[..both] != rest[..both] {
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
            sent: active,
            is_asked: false,
            protocol: Protocol::Unknown { matched: 0 },
            timer: Box::pin(sleep_until(active + timeout)),
        }
    }

    /// Whether what comes shows that somebody is there: over HTTP/1.1 the beginning of a request. Over
    /// HTTP/2 anything may be one, unless too much has come that was none.
    fn is_alive(&self) -> bool {
        match self.protocol {
            Protocol::Http2 => self.sent.elapsed() < UNANSWERED * self.timeout,
            Protocol::Unknown { .. } | Protocol::Http1 => !self.is_asked,
        }
    }

    /// Waits beside a stream that is not ready.
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

    fn sent(
        &mut self,
        polled: Poll<Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize>> {
        if polled.is_pending() {
            return self.poll_idle(context).map(Err);
        }
        self.active = Instant::now();
        self.sent = self.active;
        self.is_asked = false;
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
        self.protocol.note(&buffer.filled()[before..]);
        if self.is_alive() {
            self.active = Instant::now();
            self.is_asked = true;
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
        self.sent(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.sent(polled, context)
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

    /// Short, since it really passes, and nothing depends on who is late: only too soon is wrong.
    const TIMEOUT: Duration = Duration::from_millis(100);

    fn pair() -> (DuplexStream, IdleStream<DuplexStream>) {
        let (client, server) = duplex(64);
        (client, IdleStream::new(server, TIMEOUT))
    }

    async fn come(what: &[u8], client: &mut DuplexStream, server: &mut IdleStream<DuplexStream>) {
        client.write_all(what).await.unwrap();
        server.read_exact(&mut vec![0; what.len()]).await.unwrap();
    }

    /// Panics unless a stream ends by itself, and the whole time after what was done last.
    async fn ends(mut server: IdleStream<DuplexStream>, last: Instant) {
        let error = server.read_exact(&mut [0]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(last.elapsed() >= TIMEOUT, "after {:?}", last.elapsed());
    }

    #[tokio::test]
    async fn silence_ends_a_stream_and_an_answer_keeps_it() {
        let (mut client, mut server) = pair();
        come(b"x", &mut client, &mut server).await;
        sleep(TIMEOUT / 2).await;
        let last = Instant::now();
        server.write_all(b"y").await.unwrap();
        ends(server, last).await;
    }

    #[tokio::test]
    async fn what_comes_after_an_answer_keeps_a_stream() {
        let (mut client, mut server) = pair();
        for _ in 0..3 {
            come(b"x", &mut client, &mut server).await;
            server.write_all(b"y").await.unwrap();
            sleep(TIMEOUT / 2).await;
        }
        let last = Instant::now();
        come(b"x", &mut client, &mut server).await;
        ends(server, last).await;
    }

    /// Settings, windows and the like have no answers.
    #[tokio::test]
    async fn what_comes_over_http2_keeps_a_stream() {
        let (mut client, mut server) = pair();
        // In two parts.
        for part in [&HTTP2[..5], &HTTP2[5..]] {
            come(part, &mut client, &mut server).await;
        }
        let mut last = Instant::now();
        for _ in 0..3 {
            sleep(TIMEOUT / 2).await;
            last = Instant::now();
            come(b"x", &mut client, &mut server).await;
        }
        ends(server, last).await;
    }

    #[tokio::test]
    async fn a_request_without_an_end_ends_a_stream() {
        // The first begins as a connection of HTTP/2 does, the second is one.
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
