//! Deleted links in the usage of owners.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::placeholders::for_backend;

/// Migration that adds the number of deleted links to months that are not closed.
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
    // Null in months that were closed before, and in open months without deletions.
    "ALTER TABLE usage_months ADD COLUMN links_deleted bigint",
    // The open month begins with what is missing from the last closed one.
    "INSERT INTO usage_months (month, owner_id, links_deleted)
     SELECT (SELECT open_month FROM day_close), id, gone FROM (
         SELECT owners.id, created_in_month - link_count
             + COALESCE((SELECT links FROM usage_months
                 WHERE owner_id = owners.id AND month < (SELECT open_month FROM day_close)
                 ORDER BY month DESC LIMIT 1), 0)
             + COALESCE((SELECT CAST(SUM(links_created) AS bigint) FROM usage_months
                 WHERE owner_id = owners.id AND month >= (SELECT open_month FROM day_close)), 0)
             AS gone
         FROM owners
     ) AS missing WHERE gone > 0
     ON CONFLICT (month, owner_id) DO UPDATE SET links_deleted = excluded.links_deleted",
];
