//! Keys of the operator's programs.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::placeholders::for_backend;

/// Migration that adds the operator keys.
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
        for statement in TABLES {
            let statement = for_backend(statement, is_postgres);
            manager.get_connection().execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("a migration is never reverted".into()))
    }
}

const TABLES: &[&str] = &[
    // Like API keys, but of no owner. The hash is SHA-256.
    "CREATE TABLE operator_keys (
        id {id},
        name {name} NOT NULL,
        hash {bytes} NOT NULL UNIQUE,
        role text NOT NULL,
        created_at bigint NOT NULL,
        revoked_at bigint,
        last_used_at bigint
    )",
    // A name is free again once its key is revoked, so that a key can be replaced under its name.
    "CREATE UNIQUE INDEX operator_keys_name_idx ON operator_keys (name) WHERE revoked_at IS NULL",
];
