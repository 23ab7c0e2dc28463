//! Accepts and serves connections, and limits what each of them, and all of them, may take.
//!
//! Terse runs hyper itself instead of `poem::Server`, which offers none of hyper's limits for
//! HTTP/1.1 and only some of those for HTTP/2.

mod body;
mod stream;
mod table;
mod task;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::Either;
use hyper::Response;
use hyper::body::Incoming;
use hyper::rt::Executor as _;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ipnet::IpNet;
use poem::Endpoint;
use poem::http::uri::Scheme;
use poem::http::{HeaderValue, Request, Version, header};
use poem::web::{LocalAddr, RemoteAddr};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::values::{TrustedProxies, client_network};
pub use body::UncountedBody;
use body::{BoxBody, CountedBody, HeldBytes};
use stream::TimedStream;
use table::{Connection, ConnectionTable, Registration, TableLimits};
use task::{LastingRequest, ResponseExecutor, Unfinished};
pub use task::{is_client_disconnected, response_token};

/// Maximum number of concurrent requests per HTTP/2 connection.
const MAX_HTTP2_STREAMS: u32 = 100;
/// Maximum number of bytes of a request's head, and of a connection's read and write buffers.
const MAX_BUFFER: usize = 16 * 1024;
/// Number of bytes of request bodies that an HTTP/2 client may send before the server reads them.
const HTTP2_WINDOW: u32 = 64 * 1024;
/// Maximum number of bytes that all clients together hold in memory: HTTP/2 requests in progress,
/// and response bodies that clients have not read.
const MAX_HELD: usize = 64 * 1024 * 1024;
/// Number of bytes that an HTTP/2 request in progress counts as, without its body. [`MAX_HELD`]
/// thus allows 8,192 requests. On HTTP/1.1, the maximum number of connections limits them.
const REQUEST_BYTES: usize = 8 * 1024;
/// Maximum number of concurrent requests that may change something, in addition to that of connections.
/// They end without their clients, too, so clients that close their connections and open others could
/// begin any number. Further requests begin later. Requests with a client are never that many.
const MAX_LASTING_REQUESTS: usize = MAX_HELD / REQUEST_BYTES;
/// Pause after a failed `accept`. The usual cause is a lack of file descriptors, so an immediate
/// retry would only use CPU time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Time for which idle connections stay open after a shutdown begins.
const CLOSING_TIME: Duration = Duration::from_millis(500);

/// Time for requests that may change something to end after the server has closed their connections.
const LAST_REQUESTS_TIMEOUT: Duration = Duration::from_secs(5);

/// Fraction of the connections that one client may have.
const CLIENT_SHARE: usize = 8;

/// Limits of the connections of a server.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Proxies, which have no limit of their own, because each serves many clients.
    pub proxies: TrustedProxies,
    /// Maximum time for the head of a request.
    pub header_timeout: Duration,
    /// Maximum time that a shutdown waits for requests in progress.
    pub shutdown_timeout: Duration,
}

/// Serves requests on the connections that `accept` returns, until `stop` is ready, and then completes the
/// requests in progress.
pub async fn serve<S, E>(
    mut accept: impl AsyncFnMut() -> std::io::Result<(S, Peers)>,
    endpoint: E,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    E: Endpoint<Output = poem::Response> + 'static,
{
    let server = Arc::new(Server::new(endpoint, &limits));
    let graceful = GracefulShutdown::new();
    let (expired, expiry) = watch::channel(());
    // The receiver ends when the last connection, and the last request without one, drops its sender.
    let (open, mut all_closed) = mpsc::channel::<Infallible>(1);
    let unfinished = Arc::new(Unfinished { _open: open, abort: CancellationToken::new() });
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept() => accepted,
        };
        match accepted {
            Ok((stream, peers)) => {
                let shutdown = Shutdown {
                    watcher: graceful.watcher(),
                    expiry: expiry.clone(),
                    unfinished: Arc::clone(&unfinished),
                };
                // Registered here and not in the connection's task, which may start late if there
                // are many.
                let connection =
                    Arc::new(Connection::new(limited_network(&peers.remote, &limits.proxies)));
                let registration = ConnectionTable::register(&server.table, connection);
                let serving = Arc::clone(&server).serve(stream, peers, registration, shutdown);
                ResponseExecutor.execute(serving);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    let abort = unfinished.abort.clone();
    drop((accept, unfinished));
    server.is_closing.store(true, Ordering::Release);
    // A client may be about to send a request on an idle connection. The server still responds
    // during the closing time, and its response asks the client to close the connection.
    let closing_time = CLOSING_TIME.min(limits.shutdown_timeout);
    let deadline = Instant::now() + limits.shutdown_timeout;
    let _ = timeout(closing_time, all_closed.recv()).await;
    let ended = async {
        graceful.shutdown().await;
        all_closed.recv().await;
    };
    if timeout_at(deadline, ended).await.is_err() {
        tracing::warn!("the shutdown timeout has passed; dropping the requests in progress");
    }
    drop(expired);
    if timeout(LAST_REQUESTS_TIMEOUT, all_closed.recv()).await.is_err() {
        abort.cancel();
        all_closed.recv().await;
    }
}

/// Addresses of both ends of a connection.
#[derive(Clone)]
pub struct Peers {
    /// Address of the server.
    pub local: LocalAddr,
    /// Address of the client.
    pub remote: RemoteAddr,
}

/// What a connection needs to end when the server shuts down.
struct Shutdown {
    watcher: Watcher,
    /// Changes when the shutdown timeout has passed.
    expiry: watch::Receiver<()>,
    unfinished: Arc<Unfinished>,
}

struct Server<E> {
    endpoint: E,
    builder: Builder<ResponseExecutor>,
    table: Arc<ConnectionTable>,
    /// Permits of requests that may change something.
    lasting: Arc<Semaphore>,
    header_timeout: Duration,
    /// Whether responses ask clients to close their connections.
    is_closing: AtomicBool,
}

impl<E: Endpoint<Output = poem::Response> + 'static> Server<E> {
    fn new(endpoint: E, limits: &ConnectionLimits) -> Self {
        let mut builder = Builder::new(ResponseExecutor);
        builder.http1().max_buf_size(MAX_BUFFER);
        let mut http2 = builder.http2();
        http2.max_concurrent_streams(MAX_HTTP2_STREAMS);
        http2.max_header_list_size(u32::try_from(MAX_BUFFER).unwrap_or(u32::MAX));
        http2.max_send_buf_size(MAX_BUFFER);
        http2.initial_stream_window_size(HTTP2_WINDOW);
        http2.initial_connection_window_size(HTTP2_WINDOW);
        let maxima = TableLimits {
            connections: limits.connections,
            client_connections: (limits.connections / CLIENT_SHARE).max(1),
            held: MAX_HELD,
        };
        Self {
            endpoint,
            builder,
            table: Arc::new(ConnectionTable::new(maxima)),
            lasting: Arc::new(Semaphore::new(limits.connections + MAX_LASTING_REQUESTS)),
            header_timeout: limits.header_timeout,
            is_closing: AtomicBool::new(false),
        }
    }

    /// Serves a connection until the client or the table closes it, it is idle, or the server shuts
    /// down.
    async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        peers: Peers,
        registration: Registration,
        shutdown: Shutdown,
    ) {
        let Shutdown { watcher, mut expiry, unfinished } = shutdown;
        let connection = &registration.connection;
        let stream = TimedStream::new(stream, Arc::clone(connection), self.header_timeout);
        let service =
            service_fn(|request| self.respond(request, peers.clone(), connection, &unfinished));
        let serving = self.builder.serve_connection(TokioIo::new(stream), service);
        tokio::select! {
            // The client gets errors of the connection, and nothing else can be done about them.
            _ = watcher.watch(serving) => {}
            () = connection.closed() => {}
            _ = expiry.changed() => {}
        }
    }

    fn respond(
        self: &Arc<Self>,
        request: Request<Incoming>,
        Peers { local, remote }: Peers,
        connection: &Arc<Connection>,
        unfinished: &Arc<Unfinished>,
    ) -> impl Future<Output = Result<Response<CountedBody>, Infallible>> + Send + use<E> {
        connection.begin_request();
        let (server, connection) = (Arc::clone(self), Arc::clone(connection));
        let is_safe = request.method().is_safe();
        let is_http1 = request.version() < Version::HTTP_2;
        let held = (!is_http1).then(|| HeldBytes::new(REQUEST_BYTES, &server.table, &connection));
        let responding = async move {
            let request = (request, local, remote, Scheme::HTTP).into();
            let mut response = server.endpoint.get_response(request).await;
            if is_http1 && server.is_closing.load(Ordering::Acquire) {
                response
                    .headers_mut()
                    .insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            connection.begin_response();
            drop(held);
            let response: Response<BoxBody> = response.into();
            Ok(CountedBody::wrap(response, &server.table, &connection))
        };
        if is_safe {
            return Either::Left(responding);
        }
        let (lasting, unfinished) = (Arc::clone(&self.lasting), Arc::clone(unfinished));
        // The future is large, and would be moved several times.
        let responding = Box::pin(responding);
        Either::Right(async move {
            // The semaphore is never closed.
            let permit = lasting.acquire_owned().await;
            LastingRequest::new(responding, permit.ok(), unfinished).await
        })
    }
}

/// Returns the network of a peer, or `None` if its number of connections is not limited. Trusted
/// proxies open connections for many clients.
fn limited_network(remote: &RemoteAddr, proxies: &TrustedProxies) -> Option<IpNet> {
    let address = remote.as_socket_addr()?.ip().to_canonical();
    let is_limited = !address.is_loopback() && !proxies.trusts_address(address);
    is_limited.then(|| client_network(address))
}
