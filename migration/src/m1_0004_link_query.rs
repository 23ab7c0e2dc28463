//! The query of a request in a redirect, and a destination for visitors of an owner's expired links.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// Migration that adds `forward_query` to links and `fallback_url` to owners.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let is_postgres = manager.get_database_backend() == DbBackend::Postgres;
        let own: &[&str] = if is_postgres { &[] } else { SQLITE };
        for statement in COLUMNS.iter().chain(own) {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("reverting this migration would drop properties of links".into()))
    }
}

const COLUMNS: &[&str] = &[
    "ALTER TABLE links ADD COLUMN forward_query int NOT NULL DEFAULT 0",
    "ALTER TABLE owners ADD COLUMN fallback_url text",
];

/// The checksum covers the column.
const SQLITE: &[&str] = &[
    "DROP TRIGGER links_forget_checksum",
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url,
         forward_query
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
];
