//! The plan of each owner at the end of a month, and an index of the events about owners.

use crate::step::Step;

/// Migration that adds a column to the usage by month, and an index to events.
pub(crate) const STEP: Step =
    Step { name: "m1_0015_plans_and_events", both: STATEMENTS, sqlite: &[], postgres: &[] };

const STATEMENTS: &[&str] = &[
    // Null in months that were closed before.
    "ALTER TABLE usage_months ADD COLUMN plan {name}",
    "CREATE INDEX events_owner_id_idx ON events (owner_id, id) WHERE owner_id IS NOT NULL",
];
