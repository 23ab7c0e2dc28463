//! Identifiers that clients give to links and owners, and who created and last changed a link.

use crate::step::Step;

/// Migration that adds columns to links and owners, and two unique indexes.
pub(crate) const STEP: Step =
    Step { name: "m1_0014_external_ids", both: STATEMENTS, sqlite: &[], postgres: &[] };

const STATEMENTS: &[&str] = &[
    "ALTER TABLE links ADD COLUMN external_id {name}",
    // The owner's key that created the link, or 0 for an import. Null in links from before.
    "ALTER TABLE links ADD COLUMN created_by bigint",
    // Null until what the owner can write changes.
    "ALTER TABLE links ADD COLUMN updated_at bigint",
    "CREATE UNIQUE INDEX links_external_id_key ON links (owner_id, external_id)
     WHERE external_id IS NOT NULL",
    "ALTER TABLE owners ADD COLUMN external_id {name}",
    "CREATE UNIQUE INDEX owners_external_id_key ON owners (external_id)
     WHERE external_id IS NOT NULL",
];
