//! An index of the events that owners' keys recorded, by which the server finds old ones.

use crate::step::Step;

/// Migration that adds an index to events.
pub(crate) const STEP: Step =
    Step { name: "m1_0006_events_of_owner_keys", both: BOTH, sqlite: &[], postgres: &[] };

const BOTH: &[&str] = &["CREATE INDEX events_owner_key_at_idx ON events (at)
                     WHERE actor_type = 'owner_key'"];
