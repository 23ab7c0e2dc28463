//! Clicks that were added up lately, on SQLite apart from all others.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres};

/// The fourth step.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        execute(manager, if is_postgres(manager) { POSTGRES } else { SQLITE }).await
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("the fourth step cannot be taken back: it would lose clicks".into()))
    }
}

const SQLITE: &[&str] = &[
    // What a link's count has grown by since it was last put into click_counts. It is small, so that
    // what is added all the time changes few pages however many links there are; SQLite writes a
    // changed page whole.
    "CREATE TABLE recent_counts (
        link_id integer PRIMARY KEY,
        count bigint NOT NULL
    )",
    // How often a part of the ledger was added up. It is read before anybody waits for what is
    // written then, and tells whether another process has done it meanwhile: the ledger's own numbers
    // begin again when it is empty.
    "CREATE TABLE fold_counter (
        id integer PRIMARY KEY,
        number bigint NOT NULL
    )",
    "INSERT INTO fold_counter (id, number) VALUES (1, 0)",
];

/// PostgreSQL logs what has changed in a page, and has it in click_counts at once. Queries name both
/// tables on either database; this one is nothing to the planner.
///
/// Of a page of counts a fifth is enough to leave free: few of its links are clicked between two
/// looks of the vacuum's.
const POSTGRES: &[&str] = &[
    "CREATE VIEW recent_counts AS SELECT link_id, count FROM click_counts WHERE FALSE",
    "ALTER TABLE click_counts SET (fillfactor = 80)",
];
