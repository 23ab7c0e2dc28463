//! Creates many links in one transaction, which locks their owners only for a short time.

mod insert;
mod keys;

use std::time::Duration;

use sea_orm::sqlx;

use super::connector::statement_error;
use super::database::Postgres;
use super::dedicated::Session;
use super::lease::Lease;
use crate::store::create_links::{CreateOutcome, NewLink};
use crate::store::error::StoreError;

/// Idle time after which the connection for creations is pinged before its next use.
///
/// It is short because creations on a broken connection are not retried: their requests return 503.
const PING_AFTER_IDLE: Duration = Duration::from_millis(100);

impl Postgres {
    /// Creates links in one transaction. It retries until it has a connection, but does not retry a
    /// statement, because a failed statement may have created the links.
    pub(in crate::store) async fn create_links(
        &self,
        links: &[&NewLink],
    ) -> Result<Vec<CreateOutcome>, StoreError> {
        self.check_commits()?;
        let mut dedicated = self.shared.creation_connection.lock().await;
        let mut attempt = 1;
        let (lease, mut session) = loop {
            let lease = self.lease()?;
            match lease.with_deadline(dedicated.take(&lease, PING_AFTER_IDLE)).await {
                Ok(session) => break (lease, session),
                Err(error) if self.should_retry(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error.into()),
            }
        };
        let work = async { create(&mut session, &lease, links).await.map_err(statement_error) };
        let outcomes = lease.with_deadline(work).await?;
        dedicated.put_back(&lease, session);
        Ok(outcomes)
    }
}

async fn create(
    Session { connection, process_id }: &mut Session,
    lease: &Lease,
    links: &[&NewLink],
) -> Result<Vec<CreateOutcome>, sqlx::Error> {
    let connector = &lease.pools.connector;
    let has_keys = links.iter().any(|link| link.idempotent.is_some());
    let is_persistent = !connector.is_pooled;
    if is_persistent && !has_keys {
        let commit = lease.begin_commit(*process_id);
        let outcomes = insert::create(connection, links, is_persistent).await?;
        commit.succeeded();
        return Ok(outcomes);
    }
    let mut transaction = connector.begin(connection).await?;
    let outcomes = if has_keys {
        keys::create(&mut transaction, links, is_persistent).await?
    } else {
        insert::create(&mut transaction, links, is_persistent).await?
    };
    lease.commit(transaction, *process_id).await?;
    Ok(outcomes)
}
