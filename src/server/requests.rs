//! Responds to requests on all sockets, until the server stops.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join;
use poem::Server;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::listener::{Sockets, SocketsAcceptor};
use crate::http::connections::IdleAcceptor;
use crate::http::{Closing, HttpEndpoint, HttpService, ServedRoutes};

/// Maximum time from the signal to stop until the server closes idle connections.
const CLOSING_TIME: Duration = Duration::from_millis(500);

/// Maximum number of concurrent requests per HTTP/2 connection. Each request may hold a response in
/// memory that the client does not read, and poem itself has no limit.
const HTTP2_STREAMS: u32 = 100;

/// Responds to requests until `stop` is ready. Then it closes the sockets and completes the
/// requests in progress, for at most `timeout`.
pub(super) async fn respond(
    sockets: Sockets,
    service: HttpService,
    timeout: Duration,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), std::io::Error> {
    let Sockets { public, operator } = sockets;
    let public_routes = if operator.is_empty() { ServedRoutes::All } else { ServedRoutes::Public };
    let (closing, idle) = (Closing::default(), CancellationToken::new());
    let (open, mut all_closed) = mpsc::channel(1);
    let service = Arc::new(service);
    let run = |sockets, routes| {
        let acceptor = SocketsAcceptor::new(sockets, closing.clone(), open.clone());
        Server::new_with_acceptor(IdleAcceptor(acceptor))
            .http2_max_concurrent_streams(HTTP2_STREAMS)
            .run_with_graceful_shutdown(
                HttpEndpoint::new(Arc::clone(&service), routes, closing.clone()),
                idle.clone().cancelled_owned(),
                Some(timeout.saturating_sub(CLOSING_TIME)),
            )
    };
    let servers = try_join(run(public, public_routes), run(operator, ServedRoutes::Operator));
    drop(open);
    let close = async {
        stop.await;
        closing.begin();
        // An idle connection is closed only after this time, because the client may be about to
        // send a request on it. Its response then asks the client to close the connection.
        let _ = tokio::time::timeout(CLOSING_TIME.min(timeout), all_closed.recv()).await;
        idle.cancel();
        pending().await
    };
    tokio::select! {
        served = servers => served.map(drop),
        () = close => Ok(()),
    }
}
