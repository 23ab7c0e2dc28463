//! Keys that were created under an idempotency key, and idempotency keys of the operator.

use crate::step::Step;

/// Migration that adds `api_key_id` and `nonce` to idempotency keys, and lets them belong to no
/// owner.
pub(crate) const STEP: Step =
    Step { name: "m1_0005_derived_keys", both: &[], sqlite: SQLITE, postgres: POSTGRES };

/// SQLite can drop the reference to owners only by a new table.
const SQLITE: &[&str] = &[
    // nonce is the value from which, together with the credential of the request, the secret of the
    // created key is derived. owner_id is 0 for the keys of the operator.
    "CREATE TABLE new_idempotency_keys (
        id {id},
        owner_id bigint NOT NULL,
        key {name} NOT NULL,
        fingerprint {bytes} NOT NULL,
        short_code {name} NOT NULL,
        base_url text NOT NULL,
        created_at bigint NOT NULL,
        api_key_id bigint,
        nonce {bytes},
        UNIQUE (owner_id, key)
    )",
    "INSERT INTO new_idempotency_keys
        (id, owner_id, key, fingerprint, short_code, base_url, created_at)
     SELECT id, owner_id, key, fingerprint, short_code, base_url, created_at
     FROM idempotency_keys ORDER BY id",
    "DROP TABLE idempotency_keys",
    "ALTER TABLE new_idempotency_keys RENAME TO idempotency_keys",
    "CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)",
];

const POSTGRES: &[&str] = &[
    "ALTER TABLE idempotency_keys ADD COLUMN api_key_id bigint",
    "ALTER TABLE idempotency_keys ADD COLUMN nonce {bytes}",
];
