//! Whether the database is available, as all tasks of the process see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::last_event::LastEvent;
use super::pool::LivePools;

/// How long a task waits for a health check before it gives up its own retry.
const RECHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the database can be used, and how.
#[derive(Debug, Clone)]
pub(super) enum Availability {
    /// It answers.
    Up(Arc<LivePools>),
    /// It does not answer; the heartbeat goes on.
    Down,
    /// The process has closed it.
    Closed,
}

/// The state that the heartbeat shares with all users of the database.
#[derive(Debug)]
pub(super) struct Health {
    availability: watch::Sender<Availability>,
    pub(super) recheck: Arc<HealthRecheck>,
    /// When a statement last succeeded.
    pub(super) last_response: LastEvent,
}

impl Health {
    /// Creates the state of a database that is up.
    pub(super) fn new(pools: Arc<LivePools>) -> Arc<Self> {
        Arc::new(Self {
            availability: watch::Sender::new(Availability::Up(pools)),
            recheck: Arc::default(),
            last_response: LastEvent::default(),
        })
    }

    /// Returns whether the database is up.
    pub(super) fn is_up(&self) -> bool {
        matches!(*self.availability.borrow(), Availability::Up(_))
    }

    /// Returns the availability, and a receiver of its changes from then on.
    pub(super) fn watch(&self) -> (Availability, watch::Receiver<Availability>) {
        let mut receiver = self.availability.subscribe();
        let availability = receiver.borrow_and_update().clone();
        (availability, receiver)
    }

    /// Sets the availability and returns the one before; does nothing if it is closed.
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

    /// Waits for a health check that begins after this call; returns whether the database is up.
    pub(super) async fn is_up_after_recheck(&self) -> bool {
        // Subscribed before the look at the state, so that a check in between is not missed.
        let mut completed = self.recheck.completed.subscribe();
        if !self.is_up() {
            return false;
        }
        self.recheck.requested.notify_one();
        let check = timeout(RECHECK_TIMEOUT, completed.changed()).await;
        matches!(check, Ok(Ok(()))) && self.is_up()
    }
}

/// Requests for a health check ahead of its time.
#[derive(Debug, Default)]
pub(super) struct HealthRecheck {
    pub(super) requested: Notify,
    /// The check must open a new session, since the present one may be older than a change of roles.
    pub(super) needs_new_session: AtomicBool,
    /// Counts the checks.
    pub(super) completed: watch::Sender<u64>,
}

impl HealthRecheck {
    /// Requests a check on a new session, which knows whether the database is read-only by now.
    pub(super) fn request_write_check(&self) {
        self.needs_new_session.store(true, Ordering::Relaxed);
        self.requested.notify_one();
    }
}
