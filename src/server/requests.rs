//! Serves requests on all sockets, until the server stops.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::listener::{Sockets, SocketsAcceptor};
use crate::config::Settings;
use crate::http::connections::{self, ConnectionLimits};
use crate::http::{HttpEndpoint, HttpService, ServedRoutes};

/// Number of open files that are reserved for uses other than public connections, such as the
/// database and the log.
const RESERVED_FILES: u64 = 128;
/// Maximum number of connections to the operator's sockets. They count among the reserved files.
const MAX_OPERATOR_CONNECTIONS: usize = 64;

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
    let serve = |sockets, routes, limits| {
        let endpoint = HttpEndpoint { service: Arc::clone(&service), routes };
        connections::serve(SocketsAcceptor::new(sockets), endpoint, limits, stop.clone())
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
