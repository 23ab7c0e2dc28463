//! Counts of the requests of owners, which an instance keeps in memory and stores at intervals.
//!
//! An instance stores sums, which replace the ones that it stored before. A store can thus be
//! repeated if the database did not confirm it. A kill loses the requests since the last store.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use crate::domain::periodic_task::PeriodicTask;
use crate::store::usage::{self, OwnerRequests};
use crate::store::{Durability, Store, StoreError};
use crate::values::{Month, Timestamp};

/// Time between two stores.
const INTERVAL: Duration = Duration::from_secs(10);

/// Counters of requests by owner identifier.
type Counts = HashMap<i64, i64>;

/// The requests that an instance has counted.
#[derive(Debug, Default)]
pub struct RequestCounts {
    /// Requests counted since the last ones were stored.
    new: Mutex<Counts>,
    stored: tokio::sync::Mutex<StoredCounts>,
}

/// The requests that an instance has stored, or tried to store.
#[derive(Debug, Clone, Default)]
struct StoredCounts {
    /// The month of the last store, with the identifier of the instance in it.
    row: Option<(Month, i64)>,
    /// Sums that the database has confirmed for that month.
    confirmed: Counts,
    /// Requests that the database has not confirmed.
    unconfirmed: Counts,
    /// Whether the last store may have been committed without a confirmation.
    is_uncertain: bool,
}

impl RequestCounts {
    /// Counts a request of an owner.
    pub fn count(&self, owner_id: i64) {
        let mut new = self.new.lock();
        *new.entry(owner_id).or_default() += 1;
    }

    /// Stores the counts at regular intervals. It runs until it is dropped.
    pub async fn run(self: Arc<Self>, store: Store) {
        let mut task = PeriodicTask::new(
            INTERVAL,
            "usage-requests",
            "requests cannot be stored; they are counted, and stored later",
        );
        loop {
            task.tick().await;
            task.report(self.store(&store).await);
        }
    }

    /// Stores all counts.
    ///
    /// # Errors
    /// If the database fails. The next call repeats the store.
    pub async fn store(&self, store: &Store) -> Result<(), StoreError> {
        self.store_at(store, store.now()).await
    }

    async fn store_at(&self, store: &Store, now: Timestamp) -> Result<(), StoreError> {
        let mut stored = self.stored.lock().await;
        let new = std::mem::take(&mut *self.new.lock());
        add(&mut stored.unconfirmed, new);
        if stored.unconfirmed.is_empty() {
            return Ok(());
        }
        let transaction = store.begin(Durability::ProcessDeath).await?;
        let month = usage::lock_month(&transaction, now).await?;
        let instance_id = match stored.row {
            Some((of, instance_id)) if of == month => instance_id,
            before => {
                if let Some((month, instance_id)) = before.filter(|_| stored.is_uncertain) {
                    let rows = usage::stored_requests(&transaction, month, instance_id).await?;
                    stored.confirm(rows);
                }
                // The requests of another month are another sum.
                stored.confirmed.clear();
                let instance_id = UnwrapErr(SysRng).random();
                stored.row = Some((month, instance_id));
                instance_id
            }
        };
        let sum = |(&owner_id, new): (&i64, &i64)| OwnerRequests {
            owner_id,
            requests: stored.confirmed.get(&owner_id).unwrap_or(&0) + new,
        };
        let sums: Vec<OwnerRequests> = stored.unconfirmed.iter().map(sum).collect();
        stored.is_uncertain = true;
        usage::store_requests(&transaction, month, instance_id, &sums).await?;
        transaction.commit().await?;
        let confirmed = std::mem::take(&mut stored.unconfirmed);
        add(&mut stored.confirmed, confirmed);
        stored.is_uncertain = false;
        Ok(())
    }
}

impl StoredCounts {
    /// Takes the sums that the database has, although it did not confirm them, from the requests to
    /// store.
    fn confirm(&mut self, rows: Vec<OwnerRequests>) {
        for OwnerRequests { owner_id, requests } in rows {
            let unknown = requests - self.confirmed.get(&owner_id).unwrap_or(&0);
            if let Some(count) = self.unconfirmed.get_mut(&owner_id) {
                *count -= unknown;
            }
        }
        self.unconfirmed.retain(|_, count| *count > 0);
    }
}

fn add(sums: &mut Counts, counts: Counts) {
    for (owner_id, count) in counts {
        *sums.entry(owner_id).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use sea_orm::FromQueryResult;

    use super::*;
    use crate::store::{Connection as _, Reader};

    #[derive(Debug, Clone)]
    enum Step {
        Count(i64),
        Store,
        /// The database commits, but its confirmation is lost.
        StoreUnconfirmed,
        /// The database does not commit, and the instance does not know it.
        FailToStore,
        EndMonth,
        /// Another instance takes over.
        Kill,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (1..4_i64).prop_map(Step::Count),
            2 => Just(Step::Store),
            2 => Just(Step::StoreUnconfirmed),
            1 => Just(Step::FailToStore),
            2 => Just(Step::EndMonth),
            1 => Just(Step::Kill),
        ]
    }

    /// Requests by month and owner.
    type Sums = BTreeMap<(i64, i64), i64>;

    async fn stored(db: &Reader) -> Sums {
        #[derive(FromQueryResult)]
        struct Row {
            month: i64,
            owner_id: i64,
            requests: i64,
        }
        let sql =
            "SELECT month, owner_id, SUM(requests) AS requests FROM usage_requests GROUP BY 1, 2";
        let statement = sea_orm::Statement::from_string(db.get_database_backend(), sql);
        let rows = Row::find_by_statement(statement).all(db).await.unwrap();
        rows.into_iter().map(|row| ((row.month, row.owner_id), row.requests)).collect()
    }

    async fn apply(steps: Vec<Step>) -> (Sums, Sums) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let (mut counts, mut now) = (RequestCounts::default(), store.now());
        let (mut expected, mut pending) = (Sums::new(), BTreeMap::<i64, i64>::new());
        for step in steps {
            let before = counts.stored.lock().await.clone();
            match step {
                Step::Count(owner_id) => {
                    counts.count(owner_id);
                    *pending.entry(owner_id).or_default() += 1;
                }
                Step::Store | Step::StoreUnconfirmed => {
                    let new = counts.new.lock().clone();
                    counts.store_at(&store, now).await.unwrap();
                    let month = Month::from(now).number();
                    for (owner_id, requests) in std::mem::take(&mut pending) {
                        *expected.entry((month, owner_id)).or_default() += requests;
                    }
                    let mut after = counts.stored.lock().await;
                    if matches!(step, Step::StoreUnconfirmed) && after.unconfirmed.is_empty() {
                        // The state just before the confirmation.
                        let (mut confirmed, mut unconfirmed) = (Counts::new(), before.unconfirmed);
                        if before.row == after.row {
                            confirmed = before.confirmed;
                            add(&mut unconfirmed, new);
                        } else {
                            unconfirmed = after.confirmed.clone();
                        }
                        let row = after.row;
                        *after = StoredCounts { row, confirmed, unconfirmed, is_uncertain: true };
                    }
                }
                Step::FailToStore => {
                    let new = std::mem::take(&mut *counts.new.lock());
                    let mut after = counts.stored.lock().await;
                    add(&mut after.unconfirmed, new);
                    after.is_uncertain = true;
                }
                Step::EndMonth => {
                    now = Month::from(now).end();
                    // The close of days follows the clock.
                    let sql = format!("UPDATE day_close SET closed_until = {}", now.day() - 1);
                    let transaction = store.begin(Durability::ProcessDeath).await.unwrap();
                    transaction.execute_unprepared(&sql).await.unwrap();
                    transaction.commit().await.unwrap();
                }
                Step::Kill => {
                    counts = RequestCounts::default();
                    pending.clear();
                }
            }
        }
        (stored(store.reader()).await, expected)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn each_request_counts_once_in_the_month_of_its_store(
            steps in prop::collection::vec(step(), 0..40),
        ) {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let (stored, expected) = runtime.block_on(apply(steps));
            prop_assert_eq!(stored, expected);
        }
    }
}
