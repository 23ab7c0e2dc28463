//! Webhooks of owners, and their deliveries.

use crate::step::Step;

/// Migration that adds the tables of webhooks.
pub(crate) const STEP: Step =
    Step { name: "m1_0013_webhooks", both: STATEMENTS, sqlite: &[], postgres: &[] };

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
