//! Owners' domains, and the origin of short URLs in stored responses.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::placeholders::for_backend;

/// Migration that adds the table of domains, and `origin` to stored responses.
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
    // The default domain of an owner is the one that was made it last or, if none was, the oldest.
    // An older version of Terse deletes an owner without knowing the domains.
    "CREATE TABLE domains (
        host {name} PRIMARY KEY,
        owner_id bigint NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
        home_url text,
        default_at bigint,
        created_at bigint NOT NULL
    ) {compact}",
    "CREATE INDEX domains_owner_id_idx ON domains (owner_id)",
    // What stands before the code in the short URL; null if it is base_url.
    "ALTER TABLE idempotency_keys ADD COLUMN origin text",
];
