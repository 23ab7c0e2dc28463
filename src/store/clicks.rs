//! The ledger of clicks: appended to before a redirect is answered, folded into the links later.

use std::time::Duration;

use sea_orm::ConnectionTrait;

use super::{Backend, Store, StoreError, execute, scalar};
use crate::values::Moment;

/// Clicks of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkClicks {
    /// The link.
    pub link_id: i64,
    /// How many.
    pub count: i64,
}

/// Clicks that are appended together. A writer numbers its batches, and the database keeps the last
/// number: a batch of which nobody knows whether it was appended can be appended again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Whoever made it; random, so that no two ever have the same.
    pub writer: i64,
    /// Its number, above those of the writer's batches before it.
    pub sequence: i64,
    /// The clicks, no link twice.
    pub clicks: Vec<LinkClicks>,
}

/// The links that `page` selects, each with all its clicks: those added up and those that still wait in
/// the ledger, as one statement sees them. The page comes first and is counted then, so that no plan
/// counts what it does not show.
pub(super) fn with_clicks(page: &str, order: &str) -> String {
    format!(
        "WITH page AS ({page})
         SELECT page.*,
             CAST(COALESCE((SELECT count FROM click_counts WHERE link_id = page.id), 0)
                 + COALESCE((SELECT count FROM recent_counts WHERE link_id = page.id), 0)
                 + COALESCE(waiting.count, 0) AS bigint) AS clicks
         FROM page
         LEFT JOIN (SELECT link_id, SUM(count) AS count FROM clicks GROUP BY link_id) AS waiting
             ON waiting.link_id = page.id
         ORDER BY page.id {order}"
    )
}

/// Appends a batch, whole or not at all, to stay whatever becomes of this process.
///
/// On SQLite it is known whether a statement was done, so that its writer, which tries again only
/// what was not, needs no entry in the list of writers at every batch.
///
/// # Errors
/// When the database fails. On PostgreSQL it may have been appended all the same: append it again
/// before any other.
pub async fn append(store: &Store, batch: &Batch) -> Result<(), StoreError> {
    match store.kind() {
        Backend::Postgres(postgres) => Ok(postgres.append(batch).await?),
        Backend::Sqlite(sqlite) => sqlite.append(&batch.clicks).await,
    }
}

/// Appends a batch that another process left behind, unless it is known to be there.
///
/// # Errors
/// When the database fails. It may have been appended all the same.
pub async fn take_in(store: &Store, batch: &Batch) -> Result<(), StoreError> {
    match store.kind() {
        Backend::Postgres(postgres) => Ok(postgres.append(batch).await?),
        Backend::Sqlite(sqlite) => sqlite.append_once(batch, store.now()).await,
    }
}

/// Forgets writers that have written nothing since `moment`, which nobody will hear of again.
///
/// # Errors
/// When the database fails.
pub async fn forget_writers(db: &impl ConnectionTrait, moment: Moment) -> Result<(), StoreError> {
    execute(db, "DELETE FROM click_writers WHERE written_at < $1", [moment.millis().into()])
        .await?;
    Ok(())
}

/// Whether the ledger has rows, asked without keeping anyone from writing.
///
/// # Errors
/// When the database fails.
pub async fn any(store: &Store) -> Result<bool, StoreError> {
    let first = scalar::<i64, _>(store.reader(), "SELECT id FROM clicks LIMIT 1", []).await?;
    Ok(first.is_some())
}

/// How often there is something to fold under load. Statistics do not depend on it.
///
/// Clicks of a link that have come meanwhile are one change of its count, which on PostgreSQL costs
/// more than the clicks did. On SQLite the log that is written ahead must stay small.
#[must_use]
pub fn fold_interval(store: &Store) -> Duration {
    match store.kind() {
        Backend::Postgres(_) => Duration::from_secs(1),
        Backend::Sqlite(_) => Duration::from_millis(500),
    }
}

/// What one transaction has taken from the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    /// How many rows: on SQLite one a link and batch, on PostgreSQL one a batch.
    pub rows: u64,
    /// Whether that was all there was.
    pub is_all: bool,
}

/// Whether so many links were clicked lately that [`put_away`] is due.
///
/// # Errors
/// When the database fails.
pub async fn has_many_recent(store: &Store) -> Result<bool, StoreError> {
    match store.kind() {
        Backend::Postgres(_) => Ok(false),
        Backend::Sqlite(sqlite) => sqlite.has_many_recent().await,
    }
}

/// Moves a part of what was added up lately to where it stays, in one short transaction. On PostgreSQL
/// it is there already.
///
/// # Errors
/// When the database fails; then nothing has changed.
pub async fn put_away(store: &Store) -> Result<Folded, StoreError> {
    match store.kind() {
        Backend::Postgres(_) => Ok(Folded { rows: 0, is_all: true }),
        Backend::Sqlite(sqlite) => sqlite.put_away().await,
    }
}

/// Adds a part of the ledger to the links' counts and deletes it, in one transaction that is short
/// enough: on SQLite redirects wait for it, on PostgreSQL a statement must not take too long.
///
/// # Errors
/// When the database fails; then nothing has changed.
pub async fn fold(store: &Store) -> Result<Folded, StoreError> {
    match store.kind() {
        Backend::Postgres(postgres) => Ok(postgres.fold().await?),
        Backend::Sqlite(sqlite) => sqlite.fold().await,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use sea_orm::FromQueryResult;

    use super::*;
    use crate::store::rows;

    #[derive(Debug, Clone)]
    enum Step {
        Append(BTreeMap<i64, i64>),
        Fold,
        PutAway,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            2 => prop::collection::btree_map(1..9_i64, 1..5_i64, 1..5).prop_map(Step::Append),
            1 => Just(Step::Fold),
            1 => Just(Step::PutAway),
        ]
    }

    #[derive(FromQueryResult)]
    struct Sum {
        link_id: i64,
        count: i64,
    }

    async fn take(steps: Vec<Step>) -> (BTreeMap<i64, i64>, BTreeMap<i64, i64>) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let mut expected = BTreeMap::new();
        for step in steps {
            match step {
                Step::Append(counts) => {
                    for (link_id, count) in &counts {
                        *expected.entry(*link_id).or_default() += count;
                    }
                    let clicks = counts.into_iter();
                    let clicks = clicks.map(|(link_id, count)| LinkClicks { link_id, count });
                    let batch = Batch { writer: 1, sequence: 1, clicks: clicks.collect() };
                    append(&store, &batch).await.unwrap();
                }
                Step::Fold => assert!(fold(&store).await.unwrap().is_all),
                Step::PutAway => assert!(put_away(&store).await.unwrap().is_all),
            }
        }
        let sums: Vec<Sum> = rows(
            store.reader(),
            "SELECT link_id, SUM(count) AS count
             FROM (SELECT link_id, count FROM click_counts
                   UNION ALL SELECT link_id, count FROM recent_counts
                   UNION ALL SELECT link_id, count FROM clicks)
             GROUP BY link_id",
            [],
        )
        .await
        .unwrap();
        (expected, sums.into_iter().map(|Sum { link_id, count }| (link_id, count)).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn clicks_are_moved_and_stay_as_many(steps in prop::collection::vec(step(), 0..30)) {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let (expected, counted) = runtime.block_on(take(steps));
            prop_assert_eq!(counted, expected);
        }
    }
}
