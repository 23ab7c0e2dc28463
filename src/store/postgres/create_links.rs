//! Creates many links in one transaction, which locks their owners only for a short time.

mod insert;
mod keys;

use std::time::Duration;

use sea_orm::sqlx::{self, PgConnection};

use super::connector::{PgConnector, statement_error};
use super::database::Postgres;
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
        let (lease, mut connection) = loop {
            let lease = self.lease()?;
            match lease.with_deadline(dedicated.take(&lease, PING_AFTER_IDLE)).await {
                Ok(connection) => break (lease, connection),
                Err(error) if self.should_retry(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error.into()),
            }
        };
        let work = async {
            create(&mut connection, &lease.pools.connector, links).await.map_err(statement_error)
        };
        let outcomes = lease.with_commit(work).await?;
        dedicated.put_back(&lease, connection);
        Ok(outcomes)
    }
}

async fn create(
    connection: &mut PgConnection,
    connector: &PgConnector,
    links: &[&NewLink],
) -> Result<Vec<CreateOutcome>, sqlx::Error> {
    let has_keys = links.iter().any(|link| link.idempotent.is_some());
    let is_persistent = !connector.is_pooled;
    if is_persistent && !has_keys {
        return insert::create(connection, links, is_persistent).await;
    }
    let mut transaction = connector.begin(connection).await?;
    let outcomes = if has_keys {
        keys::create(&mut transaction, links, is_persistent).await?
    } else {
        insert::create(&mut transaction, links, is_persistent).await?
    };
    transaction.commit().await?;
    Ok(outcomes)
}
