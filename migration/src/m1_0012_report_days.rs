//! The clicks by day of links that are deleted, by which reports of a range add up to what was billed.

use crate::step::Step;

/// Migration that adds a table of clicks per owner and day.
pub(crate) const STEP: Step =
    Step { name: "m1_0012_report_days", both: BOTH, sqlite: &[], postgres: &[] };

const BOTH: &[&str] = &["CREATE TABLE deleted_click_days (
            day bigint NOT NULL,
            owner_id bigint NOT NULL,
            clicks bigint NOT NULL,
            PRIMARY KEY (day, owner_id)
        )"];
