//! A destination for visitors of an expired link.

use crate::step::Step;

/// Migration that adds `fallback_url` to links.
pub(crate) const STEP: Step = Step {
    name: "m1_0002_link_fallback",
    both: &["ALTER TABLE links ADD COLUMN fallback_url text"],
    sqlite: SQLITE,
    postgres: &[],
};

/// Statements for SQLite: the checksum of a link covers the column.
const SQLITE: &[&str] = &[
    "DROP TRIGGER links_forget_checksum",
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
];
