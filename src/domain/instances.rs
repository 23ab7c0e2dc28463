//! The servers that share a database.

use std::time::Duration;

use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::periodic_task::PeriodicTask;
use crate::store::{Durability, Store, StoreError, instances};
use crate::values::Timestamp;

/// Time between two signs of life, of which a busy database may lose some.
const INTERVAL: Duration = Duration::from_secs(10);

/// This server.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// Distinguishes it from others.
    pub id: i64,
    /// When it started.
    pub started_at: Timestamp,
}

impl Instance {
    /// Returns a server that starts now.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { id: UnwrapErr(SysRng).random(), started_at: now }
    }

    /// Gives signs of life, by which others count this server. It runs until it is dropped.
    pub async fn run(self, store: Store) {
        let warning = "the server cannot be counted as running";
        let mut task = PeriodicTask::new(INTERVAL, "instances", warning);
        loop {
            task.tick().await;
            task.report(self.give_sign(&store).await);
        }
    }

    async fn give_sign(self, store: &Store) -> Result<(), StoreError> {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        instances::note_server(&transaction, self.id, self.started_at, store.now()).await?;
        transaction.commit().await
    }

    /// Lets others stop counting this server at once, because it stops.
    ///
    /// # Errors
    /// If the database fails. They stop counting it later.
    pub async fn end(self, store: &Store) -> Result<(), StoreError> {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        instances::delete(&transaction, self.id).await?;
        transaction.commit().await
    }
}
