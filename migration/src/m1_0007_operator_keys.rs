//! Keys of the operator's programs.

use crate::step::Step;

/// Migration that adds the operator keys.
pub(crate) const STEP: Step =
    Step { name: "m1_0007_operator_keys", both: TABLES, sqlite: &[], postgres: &[] };

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
