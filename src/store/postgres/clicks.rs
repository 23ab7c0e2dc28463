//! Appends batches of clicks, and rolls them up into the counts of links.

use std::time::Duration;

use sea_orm::sqlx;
use sea_orm::{ConnectionTrait as _, DbBackend, DbErr, Statement};

use super::connector::{Isolation, statement_error};
use super::database::Postgres;
use super::dedicated::{DedicatedConnection, Session};
use super::lease::Lease;
use crate::store::clicks::{Batch, RollupResult};
use crate::store::error::StoreError;

/// Appends a batch, unless its sequence number shows that it is already stored.
///
/// A producer sends its batches in the order of their sequence numbers, and may repeat the last
/// batch.
const APPEND: &str = "
    WITH producer AS (
        INSERT INTO click_writers (producer_id, sequence) VALUES ($1, $2)
        ON CONFLICT (producer_id) DO UPDATE
            SET sequence = excluded.sequence
            WHERE click_writers.sequence < excluded.sequence
        RETURNING producer_id
    )
    INSERT INTO pending_click_batches (link_ids, counts)
    SELECT CAST($3 AS bigint[]), CAST($4 AS bigint[]) FROM producer";

/// Moves batches into `click_counts`. One statement deletes the batches and adds their clicks, so
/// that no click is lost or counted twice. It discards the clicks of deleted links.
///
/// It skips batches that another instance has locked, and updates links in the order of their
/// identifiers, so that concurrent rollups cannot deadlock.
fn rollup(notes_links: bool) -> String {
    let noted = if notes_links { NOTED } else { "" };
    format!(
        "
    WITH pending AS (
        SELECT id, cardinality(link_ids) AS links FROM pending_click_batches
        ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
    ), deleted AS (
        DELETE FROM pending_click_batches WHERE id = ANY (ARRAY(
            SELECT id
            FROM (SELECT id, SUM(links) OVER (ORDER BY id) - links AS before FROM pending) AS summed
            WHERE before < $2))
        RETURNING link_ids, counts
    ), added AS (
        INSERT INTO click_counts (link_id, count, is_open)
        SELECT link_id, CAST(SUM(count) AS bigint), TRUE
        FROM deleted, unnest(link_ids, counts) AS batch (link_id, count)
        WHERE NOT EXISTS (SELECT FROM links WHERE links.id = link_id AND owner_id IS NULL)
        GROUP BY link_id ORDER BY link_id
        ON CONFLICT (link_id) DO UPDATE
            SET count = click_counts.count + excluded.count, is_open = TRUE
    ){noted}
    SELECT (SELECT COUNT(*) FROM deleted), (SELECT COUNT(*) FROM pending)"
    )
}

/// Part of the rollup that notes links whose owners have webhooks, in the same order as the counts.
const NOTED: &str = ", noted AS (
        INSERT INTO webhook_clicks (link_id, owner_id)
        SELECT links.id, links.owner_id FROM links
        WHERE links.id IN (SELECT unnest(link_ids) FROM deleted)
            AND links.owner_id IN (SELECT owner_id FROM webhooks WHERE is_enabled)
        ORDER BY links.id
        ON CONFLICT (link_id) DO NOTHING
    )";

/// Takes a lock that lets other rollups run, but no deletion of links: see `lock_rollups`.
const LOCK_ROLLUPS_SHARED: &str = "SELECT pg_advisory_xact_lock_shared(8386658464824649841)";

/// Idle time after which the connection for appends is pinged before its next use.
const PING_AFTER_IDLE: Duration = Duration::from_secs(1);

/// Maximum number of batches per rollup. Larger rollups update the count of a link less often.
const MAX_ROLLUP_BATCHES: i64 = 1_000;

/// Maximum number of links in the batches of one rollup. Each link may need an update of another
/// row. A statement can update this many rows on an ordinary disk well within its timeout.
const MAX_ROLLUP_LINKS: i64 = 40_000;

impl Postgres {
    /// Moves the clicks of the oldest batches into counts, in one transaction. If `notes_links`, it notes
    /// links whose owners have webhooks.
    pub(in crate::store) async fn roll_up(
        &self,
        notes_links: bool,
    ) -> Result<RollupResult, StoreError> {
        let limit = &self.shared.rollup_limit;
        let (batches, links) = (limit.apply(MAX_ROLLUP_BATCHES), limit.apply(MAX_ROLLUP_LINKS));
        let result = self.roll_up_some(batches, links, notes_links).await;
        limit.record(&result);
        result
    }

    async fn roll_up_some(
        &self,
        max_batches: i64,
        max_links: i64,
        notes_links: bool,
    ) -> Result<RollupResult, StoreError> {
        self.check_commits()?;
        let transaction = self.for_background_tasks().begin(Isolation::ReadCommitted).await?;
        // The lock needs a statement of its own, so that the rollup sees what a deletion has
        // committed.
        transaction.execute_unprepared(LOCK_ROLLUPS_SHARED).await?;
        let limits = [max_batches.into(), max_links.into()];
        let rollup =
            Statement::from_sql_and_values(DbBackend::Postgres, rollup(notes_links), limits);
        let row = transaction.query_one_raw(rollup).await?;
        let (deleted, pending): (i64, i64) = match row {
            Some(row) => (row.try_get_by_index(0)?, row.try_get_by_index(1)?),
            None => (0, 0),
        };
        transaction.commit().await?;
        let is_complete = deleted == pending && pending < max_batches;
        Ok(RollupResult { rows: u64::try_from(deleted).unwrap_or(0), is_complete })
    }

    /// Appends a batch, unless it is already stored. Returns whether the first attempt succeeded.
    pub(in crate::store) async fn append(&self, batch: &Batch) -> Result<bool, StoreError> {
        self.check_commits()?;
        let mut dedicated = self.shared.click_connection.lock().await;
        let mut attempt = 1;
        loop {
            self.check_commits()?;
            let lease = self.lease()?;
            match lease.with_deadline(append(&mut dedicated, &lease, batch)).await {
                Err(error) if self.should_retry(&error, attempt).await => attempt += 1,
                result => return Ok(result.map(|()| attempt == 1)?),
            }
        }
    }
}

async fn append(
    dedicated: &mut DedicatedConnection,
    lease: &Lease,
    batch: &Batch,
) -> Result<(), DbErr> {
    let mut session = dedicated.take(lease, PING_AFTER_IDLE).await?;
    execute(&mut session, lease, batch).await.map_err(statement_error)?;
    dedicated.put_back(lease, session);
    Ok(())
}

async fn execute(session: &mut Session, lease: &Lease, batch: &Batch) -> Result<(), sqlx::Error> {
    let connector = &lease.pools.connector;
    let links: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.link_id).collect();
    let counts: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.count).collect();
    let statement = sqlx::query(APPEND)
        .bind(batch.producer_id)
        .bind(batch.sequence)
        .bind(links)
        .bind(counts)
        .persistent(!connector.is_pooled);
    if connector.is_pooled {
        let mut transaction = connector.begin(&mut session.connection).await?;
        statement.execute(&mut *transaction).await?;
        lease.commit(transaction, session.process_id).await
    } else {
        let commit = lease.begin_commit(session.process_id);
        statement.execute(&mut session.connection).await?;
        commit.succeeded();
        Ok(())
    }
}
