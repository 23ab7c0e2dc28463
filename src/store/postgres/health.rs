//! Availability of the database, which all tasks of the process share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::commits::Commits;
use super::connector::LastEvent;
use super::pool::LivePools;

/// Maximum time that a task waits for a health check before it gives up a retry.
const RECHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Availability of the database.
#[derive(Debug, Clone)]
pub(super) enum Availability {
    /// The database responds, and these pools hold the connections to it.
    Up(Arc<LivePools>),
    /// The database does not respond. The heartbeat goes on checking it.
    Down,
    /// This process has closed its handle.
    Closed,
}

/// The state that the heartbeat shares with all users of the database.
#[derive(Debug)]
pub(super) struct Health {
    availability: watch::Sender<Availability>,
    pub(super) recheck: Arc<HealthRecheck>,
    pub(super) commits: Arc<Commits>,
    /// The time at which a statement last succeeded.
    pub(super) last_response: LastEvent,
    last_connecting_check: LastEvent,
}

/// Minimum time between two checks of whether the server accepts connections.
const CONNECTING_INTERVAL: Duration = Duration::from_secs(1);

impl Health {
    /// Creates the state of a database that is up.
    pub(super) fn new(pools: Arc<LivePools>) -> Arc<Self> {
        Arc::new(Self {
            availability: watch::Sender::new(Availability::Up(pools)),
            recheck: Arc::default(),
            commits: Arc::default(),
            last_response: LastEvent::default(),
            last_connecting_check: LastEvent::default(),
        })
    }

    /// Returns whether the database is up.
    pub(super) fn is_up(&self) -> bool {
        matches!(*self.availability.borrow(), Availability::Up(_))
    }

    /// Returns the availability, and a receiver that reports every later change.
    pub(super) fn watch(&self) -> (Availability, watch::Receiver<Availability>) {
        let mut receiver = self.availability.subscribe();
        let availability = receiver.borrow_and_update().clone();
        (availability, receiver)
    }

    /// Sets the availability and returns the previous one, or `None` if the handle is closed. A
    /// closed handle stays closed.
    pub(super) fn replace(&self, availability: Availability) -> Option<Availability> {
        let mut before = None;
        self.availability.send_if_modified(|current| {
            let is_open = !matches!(current, Availability::Closed);
            if is_open {
                before = Some(std::mem::replace(current, availability));
            }
            is_open
        });
        before
    }

    /// Requests a check in a new session, because work may be waiting for a connection.
    pub(super) fn check_connecting(&self) {
        if !self.last_connecting_check.happened_within(CONNECTING_INTERVAL) {
            self.last_connecting_check.record();
            self.recheck.request_new_session();
        }
    }

    /// Waits for a health check that begins after this call, and returns whether the database is
    /// up.
    pub(super) async fn is_up_after_recheck(&self) -> bool {
        // The task subscribes before it requests the check, so that it does not miss the
        // completion.
        let mut completed = self.recheck.completed.subscribe();
        if !self.is_up() {
            return false;
        }
        self.recheck.requested.notify_one();
        let check = timeout(RECHECK_TIMEOUT, completed.changed()).await;
        matches!(check, Ok(Ok(()))) && self.is_up()
    }
}

/// Requests for an immediate health check.
#[derive(Debug, Default)]
pub(super) struct HealthRecheck {
    pub(super) requested: Notify,
    /// Whether the check must open a new session. The current session may be older than a promotion
    /// or demotion of the server, or than the time from which the server accepts no connections.
    pub(super) needs_new_session: AtomicBool,
    /// Number of completed checks.
    pub(super) completed: watch::Sender<u64>,
}

impl HealthRecheck {
    /// Requests a check in a new session.
    pub(super) fn request_new_session(&self) {
        self.needs_new_session.store(true, Ordering::Relaxed);
        self.requested.notify_one();
    }
}
