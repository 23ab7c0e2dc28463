//! What the interfaces of version 1.0 show of keys, suspensions and long changes.

use crate::step::Step;

/// Migration that adds columns to keys, owners, events and idempotency keys, and the table of
/// instances.
pub(crate) const STEP: Step =
    Step { name: "m1_0011_contract", both: STATEMENTS, sqlite: &[], postgres: &[] };

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
