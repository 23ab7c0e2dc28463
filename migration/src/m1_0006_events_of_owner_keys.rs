//! An index of the events that owners' keys recorded, by which the server finds old ones.

use sea_orm_migration::prelude::*;

/// Migration that adds an index to events.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// Returns true, because SeaORM would otherwise run migrations of SQLite without a transaction.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index = "CREATE INDEX events_owner_key_at_idx ON events (at)
                     WHERE actor_type = 'owner_key'";
        manager.get_connection().execute_unprepared(index).await?;
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("a migration is never reverted".into()))
    }
}
