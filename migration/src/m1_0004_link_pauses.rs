//! Links that their owners have paused.

use crate::step::Step;

/// Migration that adds `is_paused` to links.
pub(crate) const STEP: Step =
    Step { name: "m1_0004_link_pauses", both: LINKS, sqlite: SQLITE, postgres: POSTGRES };

/// The indexes of links that may be inactive get the paused ones too. Their names and the beginning
/// of their condition stay, so that queries of earlier versions can use them.
const LINKS: &[&str] = &[
    "ALTER TABLE links ADD COLUMN is_paused int NOT NULL DEFAULT 0",
    "DROP INDEX links_owner_id_inactive_idx",
    "CREATE INDEX links_owner_id_inactive_idx ON links (owner_id, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1",
    "DROP INDEX links_owner_id_campaign_inactive_idx",
];

const SQLITE: &[&str] = &[
    "CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1",
    // The checksum covers the new column.
    "DROP TRIGGER links_forget_checksum",
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url,
         forward_query, is_paused
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
];

const POSTGRES: &[&str] =
    &["CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1"];
