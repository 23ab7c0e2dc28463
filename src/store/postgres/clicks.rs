//! How clicks are appended, and added up.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use sea_orm::sqlx::{self, PgConnection};
use sea_orm::{ConnectionTrait as _, DbBackend, DbErr, Statement};

use super::dedicated::{Dedicated, failed};
use super::pool::{Isolation, Route};
use super::{Access, Postgres};
use crate::store::clicks::{Batch, Folded};
use crate::store::error::Fault;

/// Whoever has appended a batch before does nothing: a writer's batches come in the order of their
/// numbers, and the last one is kept in the transaction that appends it.
const APPEND: &str = "
    WITH turn AS (
        INSERT INTO click_writers (writer, sequence, written_at) VALUES ($1, $2, $3)
        ON CONFLICT (writer) DO UPDATE
            SET sequence = excluded.sequence, written_at = excluded.written_at
            WHERE click_writers.sequence < excluded.sequence
        RETURNING writer
    )
    INSERT INTO click_batches (link_ids, counts)
    SELECT CAST($4 AS bigint[]), CAST($5 AS bigint[]) FROM turn";

/// One statement, so that what is deleted is what is added, whoever appends meanwhile. Batches that
/// another instance is folding are left to it; links are taken in the order of their identifiers, so
/// that two that fold at once do not wait for each other in a circle.
const FOLD: &str = "
    WITH waiting AS (
        SELECT id, cardinality(link_ids) AS links FROM click_batches
        ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
    ), slice AS (
        DELETE FROM click_batches WHERE id = ANY (ARRAY(
            SELECT id
            FROM (SELECT id, SUM(links) OVER (ORDER BY id) - links AS before FROM waiting) AS summed
            WHERE before < $2))
        RETURNING link_ids, counts
    ), added AS (
        INSERT INTO click_counts (link_id, count)
        SELECT link_id, CAST(SUM(count) AS bigint)
        FROM slice, unnest(link_ids, counts) AS batch (link_id, count)
        GROUP BY link_id ORDER BY link_id
        ON CONFLICT (link_id) DO UPDATE SET count = click_counts.count + excluded.count
    )
    SELECT (SELECT COUNT(*) FROM slice), (SELECT COUNT(*) FROM waiting)";

/// For how long nobody may have come before the connection is asked whether it still leads anywhere. A
/// batch may be sent twice.
const REST: Duration = Duration::from_secs(1);

/// Batches that are folded in one transaction: the more there are, the more clicks of a link are
/// added to it at once.
const BATCHES: i64 = 1_000;

/// Links in these batches, of which each may be another count to change: as many as are changed well
/// within the time that a statement has, where the disk is not slow. A batch has far fewer.
const LINKS: i64 = 40_000;

/// By how much the limits are divided at most, which leaves a batch.
const SLOWEST: i64 = BATCHES;

/// How much is folded at once: less where it took too long, and more again where that went well.
#[derive(Debug)]
pub(super) struct Pace(AtomicI64);

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicI64::new(1))
    }
}

impl Pace {
    /// How many batches, and how many links in them.
    fn limits(&self) -> (i64, i64) {
        let divisor = self.0.load(Ordering::Relaxed);
        (BATCHES / divisor, LINKS / divisor)
    }

    fn note<T>(&self, folded: &Result<T, DbErr>) {
        let divisor = self.0.load(Ordering::Relaxed);
        let next = match folded {
            // Far slower than back, or it would be too fast again at once.
            Ok(_) => (divisor - (divisor / 8).max(1)).max(1),
            Err(error) if Fault::of(error) == Fault::Time => (divisor * 10).min(SLOWEST),
            Err(_) => return,
        };
        self.0.store(next, Ordering::Relaxed);
    }
}

impl Postgres {
    /// Adds a part of the ledger to the links' counts.
    pub(in crate::store) async fn fold(&self) -> Result<Folded, DbErr> {
        let pace = &self.shared.folding;
        let (batches, links) = pace.limits();
        let folded = self.fold_part(batches, links).await;
        pace.note(&folded);
        folded
    }

    async fn fold_part(&self, batches: i64, links: i64) -> Result<Folded, DbErr> {
        let transaction = self.aside().begin(Isolation::ReadCommitted).await?;
        let limits = [batches.into(), links.into()];
        let fold = Statement::from_sql_and_values(DbBackend::Postgres, FOLD, limits);
        let row = transaction.query_one_raw(fold).await?;
        let (taken, waiting): (i64, i64) = match row {
            Some(row) => (row.try_get_by_index(0)?, row.try_get_by_index(1)?),
            None => (0, 0),
        };
        transaction.commit().await?;
        let is_all = taken == waiting && waiting < batches;
        Ok(Folded { rows: u64::try_from(taken).unwrap_or(0), is_all })
    }

    /// Appends a batch, unless that has been done.
    pub(in crate::store) async fn append(&self, batch: &Batch) -> Result<(), DbErr> {
        let mut lane = self.shared.clicks.lock().await;
        let mut attempt = 1;
        loop {
            let access = self.access()?;
            match access.guard(append_in(&mut lane, &access, batch)).await {
                Err(error) if self.is_worth_retrying(&error, attempt).await => attempt += 1,
                result => return result,
            }
        }
    }
}

async fn append_in(lane: &mut Dedicated, access: &Access, batch: &Batch) -> Result<(), DbErr> {
    let mut connection = lane.take(access, REST).await?;
    append(&mut connection, &access.up.route, batch).await.map_err(failed)?;
    lane.keep(access, connection);
    Ok(())
}

async fn append(
    connection: &mut PgConnection,
    route: &Route,
    batch: &Batch,
) -> Result<(), sqlx::Error> {
    let links: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.link_id).collect();
    let counts: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.count).collect();
    let statement = sqlx::query(APPEND)
        .bind(batch.writer)
        .bind(batch.sequence)
        .bind(route.clock.now().millis())
        .bind(links)
        .bind(counts);
    if route.is_pooled {
        // What is prepared holds for as long as the server's connection is ours.
        let mut transaction = route.begin(connection).await?;
        statement.persistent(false).execute(&mut *transaction).await?;
        transaction.commit().await
    } else {
        statement.execute(connection).await?;
        Ok(())
    }
}
