//! Who appends clicks, up to which batch, and which database this is.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres};

/// The second step.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        execute(manager, STATEMENTS).await?;
        execute(manager, if is_postgres(manager) { POSTGRES } else { SQLITE }).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        execute(manager, &["DROP TABLE click_writers", "DROP TABLE installation"]).await
    }
}

const STATEMENTS: &[&str] = &[
    // The last batch of clicks that each writer has appended: one that is appended again, because
    // nobody knows whether it was, is known by its number.
    "CREATE TABLE click_writers (
        writer bigint PRIMARY KEY,
        sequence bigint NOT NULL,
        written_at bigint NOT NULL
    )",
    // One row. What is kept outside of the database for it, such as clicks that could not be
    // stored, must not find its way into another. A copy of the database is the same installation.
    "CREATE TABLE installation (
        id integer PRIMARY KEY,
        name text NOT NULL
    )",
];

const SQLITE: &[&str] =
    &["INSERT INTO installation (id, name) VALUES (1, lower(hex(randomblob(16))))"];

const POSTGRES: &[&str] = &[
    "INSERT INTO installation (id, name) VALUES (1, replace(gen_random_uuid()::text, '-', ''))",
    // Both are updated all the time, in place where a page has room.
    "ALTER TABLE click_writers SET (fillfactor = 50)",
    "ALTER TABLE click_counts SET (fillfactor = 50)",
    // The ledger is filled and emptied all the time: what was folded is to be cleared away soon and
    // at once, however large the table was when statistics were last taken.
    "ALTER TABLE click_batches SET (
        autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
    )",
];
