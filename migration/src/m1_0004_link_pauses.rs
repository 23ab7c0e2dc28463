//! Links that their owners have paused.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// Migration that adds `is_paused` to links.
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
        let own = if is_postgres { POSTGRES } else { SQLITE };
        for statement in LINKS.iter().chain(own) {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("reverting this migration would make paused links redirect".into()))
    }
}

/// The indexes of links that may be inactive get the paused ones too. Their names and the beginning
/// of their condition stay, so that queries of earlier versions can use them.
const LINKS: &[&str] = &[
    "ALTER TABLE links ADD COLUMN is_paused int NOT NULL DEFAULT 0",
    "DROP INDEX links_owner_id_inactive_idx",
    "CREATE INDEX links_owner_id_inactive_idx ON links (owner_id, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1",
    "DROP INDEX links_owner_id_campaign_inactive_idx",
];

const SQLITE: &[&str] = &[
    "CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1",
    // The checksum covers the new column.
    "DROP TRIGGER links_forget_checksum",
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url,
         forward_query, is_paused
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
];

const POSTGRES: &[&str] =
    &["CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1"];
