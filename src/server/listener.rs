//! The sockets on which a server listens, for the public and for the operator, and the requests that it serves
//! on them until it stops.

use std::env;
use std::future::poll_fn;
use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join;
use listenfd::ListenFd;
use rustix::net::sockopt::socket_acceptconn;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, UnixListener};

use super::socket::{ClientStream, Socket};
use crate::config::Settings;
use crate::http::connections::{ConnectionLimits, Peers};
use crate::http::{HttpEndpoint, HttpService, ServedRoutes, connections};
use crate::values::ListenAddress;

/// Name of sockets for the operator, as in `FileDescriptorName=`.
const OPERATOR: &str = "operator";
/// Number of open files that are reserved for uses other than public connections, such as the
/// database and the log.
const RESERVED_FILES: u64 = 128;
/// Maximum number of connections to the operator's sockets. They count among the reserved files.
const MAX_OPERATOR_CONNECTIONS: usize = 64;

/// Error of a server that cannot listen, as text for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ListenError(String);

/// All sockets of a server.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    pub(super) public: Vec<Socket>,
    /// Sockets for metrics and health checks. Empty if the public sockets serve these as well.
    pub(super) operator: Vec<Socket>,
}

impl Sockets {
    /// Takes the sockets that a supervisor passed, and opens those that it did not pass.
    pub(super) async fn open(settings: &Settings) -> std::result::Result<Self, ListenError> {
        let passed = Self::take_passed().map_err(|error| ListenError(error.to_string()))?;
        let Self { mut public, mut operator } = passed;
        if public.is_empty() {
            public.push(bind(&settings.listen, "--listen").await?);
        }
        if operator.is_empty()
            && let Some(address) = &settings.operator_listen
        {
            operator.push(bind(address, "--operator-listen").await?);
        }
        Ok(Self { public, operator })
    }

    /// Takes the sockets that a supervisor has passed, by the protocol of systemd
    /// (`sd_listen_fds(3)`). A second call finds none.
    ///
    /// # Errors
    /// If a file descriptor is not a listening stream socket.
    fn take_passed() -> Result<Self> {
        let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut names = names.split(':');
        let mut passed = ListenFd::from_env();
        let mut sockets = Self::default();
        for index in 0..passed.len() {
            let is_operator = names.next() == Some(OPERATOR);
            let socket = take_socket(&mut passed, index).map_err(|error| {
                let number = index + 1;
                Error::new(error.kind(), format!("socket {number} of the supervisor: {error}"))
            })?;
            if is_operator { &mut sockets.operator } else { &mut sockets.public }.push(socket);
        }
        Ok(sockets)
    }

    /// Returns the address of the first public socket that has a port.
    pub(super) fn public_tcp(&self) -> Option<SocketAddr> {
        self.public.iter().find_map(Socket::tcp_address)
    }
}

async fn bind(address: &ListenAddress, option: &str) -> std::result::Result<Socket, ListenError> {
    Socket::bind(address).await.map_err(|error| {
        ListenError(format!("cannot listen on {address}: {error}; {option} takes another address"))
    })
}

/// Formats the addresses of sockets as a list.
pub(super) fn addresses(sockets: &[Socket]) -> std::result::Result<String, ListenError> {
    let unknown = |error| ListenError(format!("the address of a socket is unknown: {error}"));
    let address = |socket: &Socket| socket.address().map(|address| address.to_string());
    let addresses = sockets.iter().map(address).collect::<Result<Vec<_>>>();
    addresses.map(|addresses| addresses.join(", ")).map_err(unknown)
}

fn take_socket(passed: &mut ListenFd, index: usize) -> Result<Socket> {
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

/// Polls the sockets for a connection, first the one with the index `next`, which rotates, so that no socket
/// starves.
fn poll_accept(
    sockets: &[Socket],
    next: &mut usize,
    context: &mut Context<'_>,
) -> Poll<Result<(ClientStream, Peers)>> {
    for offset in 0..sockets.len() {
        let index = (*next + offset) % sockets.len();
        let socket = &sockets[index];
        if let Poll::Ready(accepted) = socket.poll_accept(context) {
            *next = index + 1;
            return Poll::Ready(accepted.and_then(|(stream, remote)| {
                Ok((stream, Peers { local: socket.local_addr()?, remote }))
            }));
        }
    }
    Poll::Pending
}

/// Serves requests until `stop` is ready, and then completes the requests in progress.
pub(super) async fn serve_requests(
    sockets: Sockets,
    service: HttpService,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) {
    let Sockets { public, operator } = sockets;
    let public_routes = if operator.is_empty() { ServedRoutes::All } else { ServedRoutes::Public };
    // The operator's connections have their own limit, so that the public cannot exhaust it.
    let operator_limits =
        ConnectionLimits { connections: MAX_OPERATOR_CONNECTIONS, ..limits.clone() };
    let (service, stop) = (Arc::new(service), stop.shared());
    let serve = |sockets: Vec<Socket>, routes, limits| {
        let endpoint = HttpEndpoint { service: Arc::clone(&service), routes };
        let mut next = 0;
        let accept =
            async move || poll_fn(|context| poll_accept(&sockets, &mut next, context)).await;
        connections::serve(accept, endpoint, limits, stop.clone())
    };
    join(
        serve(public, public_routes, limits),
        serve(operator, ServedRoutes::Operator, operator_limits),
    )
    .await;
}

/// Raises the limit of open files, and returns limits of connections that leave room for other open
/// files.
pub(super) fn connection_limits(settings: &Settings) -> ConnectionLimits {
    let files = raise_file_limit().map_or(u64::MAX, |files| files.saturating_sub(RESERVED_FILES));
    let most = usize::try_from(files).unwrap_or(usize::MAX).max(1);
    let connections = settings.max_connections as usize;
    if connections > most {
        tracing::warn!(
            max_connections = most,
            "the limit of open files is too low for --max-connections; raise it (ulimit -n, \
             LimitNOFILE)"
        );
    }
    ConnectionLimits {
        connections: connections.min(most),
        proxies: settings.trusted_proxies(),
        header_timeout: Duration::from_secs(settings.header_timeout.into()),
        shutdown_timeout: Duration::from_secs(settings.shutdown_timeout.into()),
    }
}

/// Raises the soft limit of open files to the hard limit. Returns the resulting limit, or `None` if
/// there is none.
fn raise_file_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current }
}
