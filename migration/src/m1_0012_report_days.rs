//! The clicks by day of links that are deleted, by which reports of a range add up to what was billed.

use sea_orm_migration::prelude::*;

/// Migration that adds a table of clicks per owner and day.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// Returns true, because SeaORM would otherwise run migrations of SQLite without a transaction.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = "CREATE TABLE deleted_click_days (
            day bigint NOT NULL,
            owner_id bigint NOT NULL,
            clicks bigint NOT NULL,
            PRIMARY KEY (day, owner_id)
        )";
        manager.get_connection().execute_unprepared(table).await?;
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("a migration is never reverted".into()))
    }
}
