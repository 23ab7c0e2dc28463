//! Brings the schema up to date.

use std::sync::Arc;

use migration::{Migrator, MigratorTrait as _, schema_status};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{
    ConnectionTrait as _, Database, DbBackend, DbErr, ExecResult, ProxyDatabaseTrait,
    ProxyExecResult, ProxyRow, Statement,
};

use super::readers::Readers;
use super::writer::{SqliteTransaction, WriterConnection};
use crate::store::durability::Durability;
use crate::store::error::StoreError;
use crate::store::schema::needs_migration;

/// Begins of the transaction, each of which waits for five seconds: another process may be at the same
/// migration, and an index of many links takes its time.
const MAX_ATTEMPTS: u32 = 60;

/// Applies what is missing in one transaction that keeps other processes from writing.
pub(super) async fn migrate(
    readers: &Readers,
    writer: &WriterConnection,
) -> Result<(), StoreError> {
    if !needs_migration(schema_status(readers).await?)? {
        return Ok(());
    }
    let transaction = Arc::new(begin(writer).await?);
    // Another process may have migrated meanwhile.
    if !needs_migration(schema_status(&*transaction).await?)? {
        return Ok(());
    }
    // On a proxy SeaORM's migrator neither begins nor commits: this transaction has all of it.
    let proxy: Box<dyn ProxyDatabaseTrait> = Box::new(MigrationProxy(Arc::clone(&transaction)));
    let database = Database::connect_proxy(DbBackend::Sqlite, Arc::new(proxy)).await?;
    Migrator::up(&database, None).await?;
    transaction.commit().await
}

async fn begin(writer: &WriterConnection) -> Result<SqliteTransaction, StoreError> {
    let mut attempts = 1..MAX_ATTEMPTS;
    loop {
        match writer.begin(Durability::PowerLoss).await {
            Err(StoreError::Busy) if attempts.next().is_some() => {
                tracing::warn!("waiting for another process that is writing to the database");
            }
            result => return result,
        }
    }
}

/// What SeaORM's migrator runs its statements on.
#[derive(Debug)]
struct MigrationProxy(Arc<SqliteTransaction>);

#[async_trait]
impl ProxyDatabaseTrait for MigrationProxy {
    async fn query(&self, statement: Statement) -> Result<Vec<ProxyRow>, DbErr> {
        let rows = self.0.query_all_raw(statement).await?;
        Ok(rows.iter().filter_map(|row| row.try_as_proxy_row().cloned()).collect())
    }

    async fn execute(&self, statement: Statement) -> Result<ProxyExecResult, DbErr> {
        let result: ExecResult = if statement.values.is_none() {
            // Of several statements in one text, a prepared one would be the first alone.
            self.0.execute_unprepared(&statement.sql).await?
        } else {
            self.0.execute_raw(statement).await?
        };
        Ok(result.into())
    }
}
