//! What is done again and again beside requests, on a database that may be away.

use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::store::StoreError;

/// When it is due, and what the log says of it where it fails.
#[derive(Debug)]
pub(super) struct Routine {
    ticks: Interval,
    name: &'static str,
    warning: &'static str,
    has_failed: bool,
}

impl Routine {
    /// Is due at once, and an interval after each time that it was.
    pub(super) fn every(period: Duration, name: &'static str, warning: &'static str) -> Self {
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { ticks, name, warning, has_failed: false }
    }

    /// Waits until then.
    pub(super) async fn due(&mut self) {
        self.ticks.tick().await;
    }

    /// Logs a failure, as a warning where it is the first in a row. That the database is away is said
    /// elsewhere.
    pub(super) fn note(&mut self, result: Result<(), StoreError>) {
        let task = self.name;
        match result {
            Ok(()) => self.has_failed = false,
            Err(error) if self.has_failed || matches!(error, StoreError::Away) => {
                tracing::debug!(%error, task, "not done");
            }
            Err(error) => {
                tracing::warn!(%error, task, "{}", self.warning);
                self.has_failed = true;
            }
        }
    }
}
