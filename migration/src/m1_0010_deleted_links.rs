//! Deleted links in the usage of owners.

use crate::step::Step;

/// Migration that adds the number of deleted links to months that are not closed.
pub(crate) const STEP: Step =
    Step { name: "m1_0010_deleted_links", both: STATEMENTS, sqlite: &[], postgres: &[] };

const STATEMENTS: &[&str] = &[
    // Null in months that were closed before, and in open months without deletions.
    "ALTER TABLE usage_months ADD COLUMN links_deleted bigint",
    // The open month begins with what is missing from the last closed one.
    "INSERT INTO usage_months (month, owner_id, links_deleted)
     SELECT (SELECT open_month FROM day_close), id, gone FROM (
         SELECT owners.id, created_in_month - link_count
             + COALESCE((SELECT links FROM usage_months
                 WHERE owner_id = owners.id AND month < (SELECT open_month FROM day_close)
                 ORDER BY month DESC LIMIT 1), 0)
             + COALESCE((SELECT CAST(SUM(links_created) AS bigint) FROM usage_months
                 WHERE owner_id = owners.id AND month >= (SELECT open_month FROM day_close)), 0)
             AS gone
         FROM owners
     ) AS missing WHERE gone > 0
     ON CONFLICT (month, owner_id) DO UPDATE SET links_deleted = excluded.links_deleted",
];
