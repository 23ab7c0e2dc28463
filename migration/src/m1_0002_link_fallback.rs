//! A destination for visitors of an expired link.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// Migration that adds `fallback_url` to links.
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
        for statement in ["ALTER TABLE links ADD COLUMN fallback_url text"].iter().chain(own) {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("reverting this migration would drop fallback destinations".into()))
    }
}

/// Statements for SQLite: the checksum of a link covers the column.
const SQLITE: &[&str] = &[
    "DROP TRIGGER links_forget_checksum",
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
];
