//! State that all requests share.

use std::sync::Arc;
use std::time::Duration;

use poem::Request;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::client_address::{Agents, ClientAddresses};
use super::cursor::CursorCipher;
use super::request_log::RequestLog;
use super::route::ConsolePaths;
use crate::config::UnknownHosts;
use crate::domain::clicks::Recorder;
use crate::domain::links::{Creator, LinkSource, OwnerPermits};
use crate::domain::rate_limits::{ClientLimit, ClientLimits, OwnerLimits, RateDecision};
use crate::domain::status::Instance;
use crate::domain::usage::requests::RequestCounts;
use crate::domain::webhooks::Sender as WebhookSender;
use crate::domain::{Addresses, Caches};
use crate::metrics::Metrics;
use crate::store::Store;
use crate::values::BaseUrl;

/// State that all requests share.
pub struct AppState {
    /// The database.
    pub store: Store,
    /// Cached links and API keys.
    pub caches: Arc<Caches>,
    /// This server among those that share the database.
    pub instance: Instance,
    /// Recorder of clicks.
    pub recorder: Recorder,
    /// Creator of links.
    pub creator: Creator,
    /// Permits to read pages of lists.
    pub list_permits: OwnerPermits,
    /// Permits to parse and create batches of links.
    pub batch_permits: OwnerPermits,
    /// Permits to hold parts of the bodies of batches.
    pub body_permits: OwnerPermits,
    /// Changes that may take long.
    pub long_changes: LongChanges,
    /// Public address of the service.
    pub base_url: BaseUrl,
    /// Public addresses of the service and of its links.
    pub addresses: Arc<Addresses>,
    /// The paths that the console has.
    pub console: ConsolePaths,
    /// What requests for an unknown host get.
    pub unknown_hosts: UnknownHosts,
    /// Cipher for positions in lists.
    pub cursor_cipher: CursorCipher,
    /// Rules for finding the client of a request.
    pub client_addresses: ClientAddresses,
    /// Recogniser of link previews and robots.
    pub agents: Agents,
    /// Limits of owners' requests.
    pub owner_limits: Arc<OwnerLimits>,
    /// Limits of clients.
    pub client_limits: Arc<ClientLimits>,
    /// Counts of owners' requests, for their usage.
    pub request_counts: Arc<RequestCounts>,
    /// Sender of webhooks, if the service has them.
    pub webhooks: Option<WebhookSender>,
    /// Metrics of the service.
    pub metrics: Arc<Metrics>,
    /// Log of requests.
    pub request_log: Arc<RequestLog>,
}

impl AppState {
    /// Counts a request in a limit of its client, unless the client is exempt. Returns the decision
    /// if the limit does not allow the request.
    pub fn check_client_limit(
        &self,
        limit: ClientLimit,
        request: &Request,
    ) -> Option<RateDecision> {
        let find_address = || {
            let client = self.client_addresses.find(request);
            client.ip.filter(|_| !client.is_exempt)
        };
        let decision = self.client_limits.check(limit, find_address)?;
        if decision.is_allowed {
            return None;
        }
        self.metrics.throttled.with_label_values(&[limit.into_str()]).inc();
        Some(decision)
    }

    /// Returns what reads of links need.
    pub fn link_source(&self) -> LinkSource<'_> {
        let Self { store, recorder, list_permits: permits, .. } = self;
        let (blocks, now) = (self.caches.blocks.snapshot(), store.now());
        LinkSource { store, recorder, permits, blocks, now }
    }

    /// Returns the operating system's random number generator.
    pub fn randomness(&self) -> UnwrapErr<SysRng> {
        UnwrapErr(SysRng)
    }
}

/// The changes that run in tasks of their own.
#[derive(Debug)]
pub struct LongChanges {
    /// Time for which a request waits for its change.
    pub(super) wait: Duration,
    pub(super) stop: CancellationToken,
    /// Each task has a receiver.
    pub(super) running: watch::Sender<()>,
}

impl LongChanges {
    /// Creates the state without a change. A request waits for its change for `wait`.
    pub fn new(wait: Duration) -> Self {
        Self { wait, stop: CancellationToken::new(), running: watch::Sender::default() }
    }

    /// Stops the changes after the slices in progress, whose events say how far they came.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.running.closed().await;
    }
}
