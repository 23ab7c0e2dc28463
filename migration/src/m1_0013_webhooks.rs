//! Webhooks of owners, and their deliveries.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::placeholders::for_backend;

/// Migration that adds the tables of webhooks.
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
    // An older version of Terse deletes an owner without knowing the webhooks.
    "CREATE TABLE webhooks (
        id {id},
        owner_id bigint NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
        url text NOT NULL,
        types text NOT NULL,
        description text,
        is_enabled boolean NOT NULL,
        disabled_reason text,
        secret text NOT NULL,
        secret_at bigint NOT NULL,
        previous_secret text,
        created_at bigint NOT NULL,
        last_success_at bigint,
        last_failure_at bigint,
        failing_since bigint,
        dropped bigint NOT NULL
    )",
    "CREATE INDEX webhooks_owner_id_idx ON webhooks (owner_id)",
    // Without a reference, because a change must not fail if the webhook was deleted a moment ago.
    "CREATE TABLE webhook_deliveries (
        id {id},
        webhook_id bigint NOT NULL,
        type text NOT NULL,
        link_id bigint,
        event_id bigint,
        content text,
        created_at bigint NOT NULL,
        status text NOT NULL,
        next_attempt_at bigint,
        attempts text NOT NULL,
        attempt_count bigint NOT NULL
    )",
    "CREATE INDEX webhook_deliveries_webhook_id_idx ON webhook_deliveries (webhook_id, id)",
    "CREATE INDEX webhook_deliveries_waiting_idx
         ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'waiting'",
    "CREATE INDEX webhook_deliveries_link_id_idx
         ON webhook_deliveries (link_id) WHERE link_id IS NOT NULL",
    // Links that were clicked and whose owners have not been told yet.
    "CREATE TABLE webhook_clicks (link_id {key}, owner_id bigint NOT NULL)",
    // The only row: which instance delivers, until when, and when links.clicked was last made.
    "CREATE TABLE webhook_lease (
        id {key},
        holder bigint NOT NULL,
        expires_at bigint NOT NULL,
        clicks_at bigint NOT NULL
    )",
    "INSERT INTO webhook_lease (id, holder, expires_at, clicks_at) VALUES (1, 0, 0, 0)",
];
