//! Sockets that a supervisor passes, by the protocol of systemd (`sd_listen_fds(3)`).

use std::env;
use std::io::{Error, ErrorKind, Result};

use listenfd::ListenFd;
use rustix::net::sockopt::socket_acceptconn;
use tokio::net::{TcpListener, UnixListener};

use super::socket::Socket;

/// Name of sockets for the operator, as in `FileDescriptorName=`.
const OPERATOR: &str = "operator";

/// Sockets that a supervisor has passed to this process.
#[derive(Debug, Default)]
pub(super) struct PassedSockets {
    /// Sockets for the public.
    pub(super) public: Vec<Socket>,
    /// Sockets with the name `operator`.
    pub(super) operator: Vec<Socket>,
}

impl PassedSockets {
    /// Takes the sockets that the environment names. A second call finds none.
    ///
    /// # Errors
    /// If a file descriptor is not a listening stream socket.
    pub(super) fn take() -> Result<Self> {
        let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut names = names.split(':');
        let mut passed = ListenFd::from_env();
        let mut sockets = Self::default();
        for index in 0..passed.len() {
            let is_operator = names.next() == Some(OPERATOR);
            let socket = socket(&mut passed, index).map_err(|error| {
                let number = index + 1;
                Error::new(error.kind(), format!("socket {number} of the supervisor: {error}"))
            })?;
            if is_operator { &mut sockets.operator } else { &mut sockets.public }.push(socket);
        }
        Ok(sockets)
    }
}

fn socket(passed: &mut ListenFd, index: usize) -> Result<Socket> {
    if let Ok(Some(listener)) = passed.take_tcp_listener(index) {
        check_listening(socket_acceptconn(&listener)?)?;
        listener.set_nonblocking(true)?;
        return TcpListener::from_std(listener).map(Socket::Tcp);
    }
    if let Ok(Some(listener)) = passed.take_unix_listener(index) {
        check_listening(socket_acceptconn(&listener)?)?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        return Ok(Socket::Unix { _file: None, listener });
    }
    Err(Error::new(ErrorKind::InvalidInput, "is neither a TCP socket nor a Unix stream socket"))
}

fn check_listening(is_listening: bool) -> Result<()> {
    let reason = "is a connection; the socket unit must have Accept=no";
    if is_listening { Ok(()) } else { Err(Error::new(ErrorKind::InvalidInput, reason)) }
}
