//! Pending clicks: the server appends them before it sends a redirect, and later rolls them up into
//! the counts of their links.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    QuerySelect, QueryTrait,
};

use super::dialect;
use super::entities::{click_count, link};
use super::error::StoreError;
use super::query::{execute, numbers, rows, scalar};

/// Maximum count of clicks in a response: the largest integer up to which every JSON parser
/// represents integers exactly (RFC 8259, section 6). Counts in the database have no such limit.
pub const MAX_CLICKS: i64 = (1 << 53) - 1;

/// Clicks of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct LinkClicks {
    /// Identifier of the link.
    pub link_id: i64,
    /// Number of clicks.
    pub count: i64,
}

impl LinkClicks {
    /// Returns whether a server can have counted these clicks, in a file that may be anything.
    pub fn is_possible(&self) -> bool {
        self.link_id > 0 && (1..=MAX_CLICKS).contains(&self.count)
    }
}

/// Clicks that one transaction appends to the pending clicks.
///
/// A producer numbers its batches, and the database stores the number of the last one. If a commit
/// was not confirmed, the producer can thus send the batch again, and the database counts it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Random identifier of the producer.
    pub producer_id: i64,
    /// Sequence number, higher than those of the producer's earlier batches.
    pub sequence: i64,
    /// The clicks, with one element per link.
    pub clicks: Vec<LinkClicks>,
}

/// Deletes the row of a producer that will repeat no batch.
pub async fn delete_producer(
    db: &impl ConnectionTrait,
    producer_id: i64,
) -> Result<(), StoreError> {
    execute(db, "DELETE FROM click_writers WHERE producer_id = $1", [producer_id.into()]).await
}

/// Returns whether any clicks are pending. Takes no lock.
pub async fn any_pending(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let first = scalar::<i64>(db, "SELECT id FROM pending_clicks LIMIT 1", []).await?;
    Ok(first.is_some())
}

/// Returns whether any recent counts exist, which they do only on SQLite. Takes no lock.
pub async fn any_recent(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let first = scalar::<i64>(db, "SELECT link_id FROM recent_counts LIMIT 1", []).await?;
    Ok(first.is_some())
}

/// Waits for the rollups in progress and keeps others from beginning until the transaction ends.
/// Without this lock, a rollup could add clicks to a link that the transaction deletes.
pub async fn lock_rollups(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    dialect::lock(db, 8_386_658_464_824_649_841).await
}

/// Returns the clicks of links by link identifier, pending clicks included. Links without clicks
/// are missing from the map.
pub async fn counts(
    db: &impl ConnectionTrait,
    link_ids: &[i64],
) -> Result<HashMap<i64, i64>, StoreError> {
    if link_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids = numbers(link_ids);
    let part = |table| format!("SELECT link_id, count FROM {table} WHERE link_id IN ({ids})");
    let parts = ["click_counts", "recent_counts", "pending_clicks"].map(part);
    let sql = format!(
        "SELECT link_id, CAST(SUM(count) AS bigint) AS count FROM ({}) AS counts GROUP BY link_id",
        parts.join(" UNION ALL ")
    );
    let counts: Vec<LinkClicks> = rows(db, &sql, []).await?;
    Ok(counts.into_iter().map(|row| (row.link_id, row.count.min(MAX_CLICKS))).collect())
}

/// The result of one rollup or merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RollupResult {
    /// Number of moved rows: on SQLite one per link and batch, on PostgreSQL one per batch.
    pub rows: u64,
    /// Whether no rows are left to move.
    pub is_complete: bool,
}

/// Returns the number of an owner's links that have a row in `click_counts`.
pub async fn count_click_counts(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<u64, StoreError> {
    let links = link::Entity::find().select_only().column(link::Column::Id);
    let links = QueryTrait::into_query(links.filter(link::Column::OwnerId.eq(owner_id)));
    let counts = click_count::Entity::find();
    Ok(counts.filter(click_count::Column::LinkId.in_subquery(links)).count(db).await?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use sea_orm::FromQueryResult;

    use super::*;
    use crate::store::click_days::{self, CloseSlice};
    use crate::store::query::rows;
    use crate::store::{Durability, Store, Transaction};

    /// Number of links that have clicks.
    const LINKS: i64 = 8;

    #[derive(Debug, Clone)]
    enum Step {
        Append(BTreeMap<i64, i64>),
        RollUp,
        Merge,
        /// The clock moves by this number of days, in either direction.
        Wait(i64),
        /// Slices of a close, each for this number of links. A kill loses the transaction after
        /// them.
        Close(Vec<u32>),
        Fold {
            keep_days: u32,
            max_rows: u32,
        },
        DeleteDays(i64),
    }

    fn step() -> impl Strategy<Value = Step> {
        let fold = (1..4_u32, 1..4_u32);
        prop_oneof![
            4 => prop::collection::btree_map(1..=LINKS, 1..5_i64, 1..5).prop_map(Step::Append),
            2 => Just(Step::RollUp),
            2 => Just(Step::Merge),
            2 => (-2..4_i64).prop_map(Step::Wait),
            4 => prop::collection::vec(1..9_u32, 1..6).prop_map(Step::Close),
            1 => fold.prop_map(|(keep_days, max_rows)| Step::Fold { keep_days, max_rows }),
            1 => (1..=LINKS).prop_map(Step::DeleteDays),
        ]
    }

    #[derive(FromQueryResult)]
    struct Sum {
        link_id: i64,
        count: i64,
    }

    /// The clicks of links, as they should be and as they are.
    struct Applied {
        expected: BTreeMap<i64, i64>,
        counted: BTreeMap<i64, i64>,
    }

    async fn begin(store: &Store) -> Transaction {
        store.begin(Durability::ProcessDeath).await.unwrap()
    }

    async fn close(store: &Store, yesterday: i64, slices: Vec<u32>) {
        for max_links in slices {
            let transaction = begin(store).await;
            let slice = click_days::close_slice(&transaction, yesterday, max_links).await.unwrap();
            transaction.commit().await.unwrap();
            let Some(CloseSlice { links, is_complete, .. }) = slice else { break };
            assert!(links <= u64::from(max_links));
            if is_complete {
                break;
            }
        }
        let killed = begin(store).await;
        click_days::close_slice(&killed, yesterday, 3).await.unwrap();
    }

    /// Returns the number of links whose days do not add up to their closed clicks.
    async fn wrong_links(store: &Store) -> i64 {
        let sql = "SELECT COUNT(*) FROM click_counts WHERE closed > count OR closed <> opening + (
            SELECT COALESCE(SUM(days.count), 0) FROM click_days AS days
            WHERE days.link_id = click_counts.link_id)";
        scalar(store.reader(), sql, []).await.unwrap().unwrap()
    }

    async fn apply(steps: Vec<Step>) -> Applied {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let mut expected = BTreeMap::new();
        let mut yesterday = click_days::state(store.reader()).await.unwrap().closed_until;
        for step in steps {
            match step {
                Step::Append(counts) => {
                    for (link_id, count) in &counts {
                        *expected.entry(*link_id).or_default() += count;
                    }
                    let clicks = counts.into_iter();
                    let clicks = clicks.map(|(link_id, count)| LinkClicks { link_id, count });
                    let batch = Batch { producer_id: 1, sequence: 1, clicks: clicks.collect() };
                    store.append(&batch).await.unwrap();
                }
                Step::RollUp => assert!(store.roll_up().await.unwrap().is_complete),
                Step::Merge => assert!(store.merge_recent_counts().await.unwrap().is_complete),
                Step::Wait(days) => yesterday += days,
                Step::Close(slices) => close(&store, yesterday, slices).await,
                Step::Fold { keep_days, max_rows } => {
                    let transaction = begin(&store).await;
                    click_days::fold_slice(&transaction, keep_days, max_rows).await.unwrap();
                    transaction.commit().await.unwrap();
                }
                // `erase` does the same, for links that exist.
                Step::DeleteDays(link_id) => {
                    let transaction = begin(&store).await;
                    click_days::delete(&transaction, &[link_id]).await.unwrap();
                    for table in ["click_counts", "recent_counts", "pending_clicks"] {
                        let sql = format!("DELETE FROM {table} WHERE link_id = {link_id}");
                        execute(&transaction, &sql, []).await.unwrap();
                    }
                    transaction.commit().await.unwrap();
                    expected.remove(&link_id);
                }
            }
            assert_eq!(wrong_links(&store).await, 0);
        }
        let sums: Vec<Sum> = rows(
            store.reader(),
            "SELECT link_id, SUM(count) AS count
             FROM (SELECT link_id, opening AS count FROM click_counts
                   UNION ALL SELECT link_id, count FROM click_days
                   UNION ALL SELECT link_id, count - closed FROM click_counts
                   UNION ALL SELECT link_id, count FROM recent_counts
                   UNION ALL SELECT link_id, count FROM pending_clicks)
             GROUP BY link_id",
            [],
        )
        .await
        .unwrap();
        let counted = sums.into_iter().map(|Sum { link_id, count }| (link_id, count)).collect();
        Applied { expected, counted }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn rollups_merges_closes_and_folds_preserve_counts(
            steps in prop::collection::vec(step(), 0..30),
        ) {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let Applied { expected, counted } = runtime.block_on(apply(steps));
            prop_assert_eq!(counted, expected);
        }
    }
}
