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

/// How long a connection may neither send nor take anything.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
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

/// A stream that fails when nothing has come or gone for some time.
pub struct IdleStream<S> {
    stream: S,
    timeout: Duration,
    active: Instant,
    /// Set for some moment after `active`, and set again only when it has passed.
    timer: Pin<Box<Sleep>>,
}

impl<S> IdleStream<S> {
    fn new(stream: S, timeout: Duration) -> Self {
        let active = Instant::now();
        Self { stream, timeout, active, timer: Box::pin(sleep_until(active + timeout)) }
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

    fn noted<T>(&mut self, polled: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        match polled {
            Poll::Ready(result) => {
                self.active = Instant::now();
                Poll::Ready(result)
            }
            Poll::Pending => self.poll_idle(context).map(Err),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.noted(polled, context)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.noted(polled, context)
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn silence_ends_a_stream_and_activity_does_not() {
        let timeout = Duration::from_secs(1);
        let (mut client, server) = tokio::io::duplex(64);
        let mut server = IdleStream::new(server, timeout);
        let mut byte = [0];
        for _ in 0..3 {
            sleep(timeout / 2).await;
            client.write_all(b"x").await.unwrap();
            server.read_exact(&mut byte).await.unwrap();
        }
        let error = server.read_exact(&mut byte).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
