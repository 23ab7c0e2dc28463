//! Background tasks that run at a fixed interval on a database that may be unavailable.

use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::store::StoreError;

/// Schedule of a background task, which also logs its failures.
#[derive(Debug)]
pub(super) struct PeriodicTask {
    ticks: Interval,
    name: &'static str,
    warning: &'static str,
    has_failed: bool,
}

impl PeriodicTask {
    /// Creates a task whose first run is due at once. `warning` is the log message of a failure.
    pub(super) fn new(period: Duration, name: &'static str, warning: &'static str) -> Self {
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { ticks, name, warning, has_failed: false }
    }

    /// Waits until the next run is due.
    pub(super) async fn tick(&mut self) {
        self.ticks.tick().await;
    }

    /// Logs the result of a run if it failed: the first failure in a row at level `warn`, and
    /// further ones at level `debug`.
    pub(super) fn report(&mut self, result: Result<(), StoreError>) {
        let task = self.name;
        match result {
            Ok(()) => self.has_failed = false,
            // The log already reports that the database is unavailable or damaged, or cannot commit.
            Err(error)
                if self.has_failed
                    || matches!(
                        error,
                        StoreError::Unavailable
                            | StoreError::CannotCommit(_)
                            | StoreError::Damaged(_)
                    ) =>
            {
                tracing::debug!(%error, task, "periodic task failed again");
            }
            Err(error) => {
                tracing::warn!(%error, task, "{}", self.warning);
                self.has_failed = true;
            }
        }
    }
}
