//! Owners' domains, and the origin of short URLs in stored responses.

use crate::step::Step;

/// Migration that adds the table of domains, and `origin` to stored responses.
pub(crate) const STEP: Step =
    Step { name: "m1_0009_domains", both: STATEMENTS, sqlite: &[], postgres: &[] };

const STATEMENTS: &[&str] = &[
    // The default domain of an owner is the one that was made it last or, if none was, the oldest.
    // An older version of Terse deletes an owner without knowing the domains.
    "CREATE TABLE domains (
        host {name} PRIMARY KEY,
        owner_id bigint NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
        home_url text,
        default_at bigint,
        created_at bigint NOT NULL
    ) {compact}",
    "CREATE INDEX domains_owner_id_idx ON domains (owner_id)",
    // What stands before the code in the short URL; null if it is base_url.
    "ALTER TABLE idempotency_keys ADD COLUMN origin text",
];
