//! Identifiers that clients give to links and owners, and who created and last changed a link.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::placeholders::for_backend;

/// Migration that adds columns to links and owners, and two unique indexes.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// Returns true, because SeaORM would otherwise run migrations of SQLite without a transaction.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let is_postgres = manager.get_database_backend() == DbBackend::Postgres;
        for statement in STATEMENTS {
            let statement = for_backend(statement, is_postgres);
            manager.get_connection().execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("a migration is never reverted".into()))
    }
}

const STATEMENTS: &[&str] = &[
    "ALTER TABLE links ADD COLUMN external_id {name}",
    // The owner's key that created the link, or 0 for an import. Null in links from before.
    "ALTER TABLE links ADD COLUMN created_by bigint",
    // Null until what the owner can write changes.
    "ALTER TABLE links ADD COLUMN updated_at bigint",
    "CREATE UNIQUE INDEX links_external_id_key ON links (owner_id, external_id)
     WHERE external_id IS NOT NULL",
    "ALTER TABLE owners ADD COLUMN external_id {name}",
    "CREATE UNIQUE INDEX owners_external_id_key ON owners (external_id)
     WHERE external_id IS NOT NULL",
];
