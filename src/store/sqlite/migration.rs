//! Applies migrations of the schema in one transaction.

use std::sync::Arc;

use migration::{Migrator, MigratorTrait as _, schema_status};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{
    ConnectionTrait as _, Database, DbBackend, DbErr, ExecResult, ProxyDatabaseTrait,
    ProxyExecResult, ProxyRow, Statement,
};

use super::Sqlite;
use super::verify::verify;
use super::writer::{SqliteTransaction, WriterConnection};
use crate::store::error::{StoreError, missing_migrations};
use crate::store::options::Durability;

/// Maximum number of attempts to begin the transaction. Each attempt waits for up to five seconds,
/// because another process may apply the same migration, and an index of many links takes minutes.
const MAX_ATTEMPTS: u32 = 60;

impl Sqlite {
    /// Checks the file, applies missing migrations in one transaction, and returns their number. No other
    /// process can write meanwhile.
    pub(in crate::store) async fn migrate(&self) -> Result<usize, StoreError> {
        let guard = Arc::clone(&self.shared.startup_check).lock_owned().await;
        verify(self.readers.opener().clone(), self.writer().file().clone(), guard).await?;
        if missing_migrations(schema_status(&self.readers).await?)? == 0 {
            return Ok(0);
        }
        let transaction = Arc::new(begin(self.writer()).await?);
        // Another process may have migrated meanwhile.
        let missing = missing_migrations(schema_status(&*transaction).await?)?;
        if missing == 0 {
            return Ok(0);
        }
        // SeaORM's migrator neither begins nor commits transactions on a proxy. All migrations thus
        // belong to this transaction.
        let proxy: Box<dyn ProxyDatabaseTrait> = Box::new(MigrationProxy(Arc::clone(&transaction)));
        let database = Database::connect_proxy(DbBackend::Sqlite, Arc::new(proxy)).await?;
        Migrator::up(&database, None).await?;
        transaction.commit().await?;
        Ok(missing)
    }
}

async fn begin(writer: &WriterConnection) -> Result<SqliteTransaction, StoreError> {
    let mut attempts = 1..MAX_ATTEMPTS;
    loop {
        match writer.begin(Durability::PowerLoss).await {
            Err(StoreError::Busy) if attempts.next().is_some() => {
                tracing::warn!("another process is writing to the database; waiting for it");
            }
            result => return result,
        }
    }
}

/// Connection for SeaORM's migrator that runs all statements in one transaction.
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
            // The text may contain several statements. SQLite would prepare only the first.
            self.0.execute_unprepared(&statement.sql).await?
        } else {
            self.0.execute_raw(statement).await?
        };
        Ok(result.into())
    }
}
