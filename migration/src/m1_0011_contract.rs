//! What the interfaces of version 1.0 show of keys, suspensions and long changes.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::placeholders::for_backend;

/// Migration that adds columns to keys, owners, events and idempotency keys, and the table of
/// instances.
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
    // The last four characters of a key. Null in keys that earlier versions made.
    "ALTER TABLE api_keys ADD COLUMN hint text",
    "ALTER TABLE operator_keys ADD COLUMN hint text",
    "ALTER TABLE operator_keys ADD COLUMN expires_at bigint",
    // It counts only if there is a reason: an earlier version resumes an owner and leaves it.
    "ALTER TABLE owners ADD COLUMN suspended_at bigint",
    "UPDATE owners SET suspended_at = (
         SELECT MAX(events.at) FROM event_changes JOIN events ON events.id = event_changes.event_id
         WHERE event_changes.kind = 'owner' AND event_changes.subject = CAST(owners.id AS text)
             AND event_changes.before = '{\"suspended_reason\":null}'
     ) WHERE suspended_reason IS NOT NULL",
    // Null: done in the transaction that inserted the event. Otherwise running, done or stopped.
    "ALTER TABLE events ADD COLUMN status text",
    "ALTER TABLE events ADD COLUMN finished_at bigint",
    // The instance that runs the change.
    "ALTER TABLE events ADD COLUMN instance_id bigint",
    // What an undo skipped, as JSON: the first ones, and the number of all.
    "ALTER TABLE events ADD COLUMN skipped text",
    "ALTER TABLE events ADD COLUMN skipped_count bigint",
    "CREATE INDEX events_running_idx ON events (id) WHERE status = 'running'",
    // The event of the first response. Null without one, and in rows of earlier versions.
    "ALTER TABLE idempotency_keys ADD COLUMN event_id bigint",
    // Servers and commands that run, or did until a short time ago.
    "CREATE TABLE instances (
        id {key},
        kind text NOT NULL,
        version text NOT NULL,
        started_at bigint NOT NULL,
        seen_at bigint NOT NULL
    )",
];
