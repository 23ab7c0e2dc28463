//! Usage of owners by month, and the clicks of links by month.

use crate::step::Step;

/// Migration that adds the tables of usage, and fills them with what the database knows: the clicks of
/// the days that are stored, and the links that exist.
pub(crate) const STEP: Step =
    Step { name: "m1_0008_usage", both: STATEMENTS, sqlite: &[], postgres: &[] };

const STATEMENTS: &[&str] = &[
    // What an owner used in a month, a number such as 202601. The name of the owner and the number of
    // links are null until the month is closed or the owner is deleted. Of an open month, owners has
    // a part of links_created, usage_requests the requests, and the clicks are those of closed days
    // and deleted links.
    "CREATE TABLE usage_months (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        owner {name},
        requests bigint NOT NULL DEFAULT 0,
        links_created bigint NOT NULL DEFAULT 0,
        links bigint,
        clicks bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (month, owner_id)
    ) {compact}",
    // Clicks of links on the closed days of a month. The key begins with month and owner, so that a
    // report reads only rows that it shows. A deleted link has no rows; its clicks are what the clicks
    // of the owner exceed those of the owner's links by.
    "CREATE TABLE click_months (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        link_id bigint NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (month, owner_id, link_id)
    ) {compact}",
    // The requests that an instance has counted in a month: a sum, which the instance replaces, so
    // that it can repeat a store. The identifier is random.
    "CREATE TABLE usage_requests (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        instance_id bigint NOT NULL,
        requests bigint NOT NULL,
        PRIMARY KEY (month, owner_id, instance_id)
    ) {compact}",
    // The statements that take long come before those that lock tables.
    //
    // On PostgreSQL, keeps other instances from changing counts and days. See `lock_rollups`.
    "{lock_rollups}",
    "WITH RECURSIVE days (day) AS (
        SELECT MIN(day) FROM click_days
        UNION ALL
        SELECT (SELECT MIN(day) FROM click_days WHERE click_days.day > days.day)
        FROM days WHERE days.day IS NOT NULL
     ), months AS (
        SELECT day, {month_of_day} AS month FROM days WHERE day IS NOT NULL
     )
     INSERT INTO click_months (month, owner_id, link_id, count)
     SELECT months.month, links.owner_id, links.id, SUM(click_days.count)
     FROM months JOIN click_days ON click_days.day = months.day
     JOIN links ON links.id = click_days.link_id
     WHERE links.owner_id IS NOT NULL
     GROUP BY months.month, links.owner_id, links.id",
    "INSERT INTO usage_months (month, owner_id, clicks)
     SELECT month, owner_id, SUM(count) FROM click_months GROUP BY month, owner_id",
    // The times of imported links are those of their creation elsewhere, but no link is older than
    // its owner.
    "INSERT INTO usage_months (month, owner_id, links_created)
     SELECT {month_of_day}, owner_id, SUM(links)
     FROM (
         SELECT links.owner_id, {greatest}(links.created_at, owners.created_at) / 86400000 AS day,
             COUNT(*) AS links
         FROM links JOIN owners ON owners.id = links.owner_id
         GROUP BY links.owner_id, {greatest}(links.created_at, owners.created_at) / 86400000
     ) AS created
     GROUP BY {month_of_day}, owner_id
     ON CONFLICT (month, owner_id) DO UPDATE SET links_created = excluded.links_created",
    // Every owner has a row of zeros in the other months of which anything is known.
    "INSERT INTO usage_months (month, owner_id)
     SELECT months.month, days.id
     FROM (SELECT DISTINCT month FROM usage_months) AS months
     CROSS JOIN (SELECT id, created_at / 86400000 AS day FROM owners) AS days
     WHERE {month_of_day} <= months.month AND months.month < {open_month}
     ON CONFLICT (month, owner_id) DO NOTHING",
    "UPDATE usage_months SET owner = sums.name, links = sums.links
     FROM (
         SELECT month, owner_id, owners.name,
             SUM(links_created) OVER (PARTITION BY owner_id ORDER BY month) AS links
         FROM usage_months JOIN owners ON owners.id = owner_id
     ) AS sums
     WHERE usage_months.month = sums.month AND usage_months.owner_id = sums.owner_id
         AND usage_months.month < {open_month}",
    // The first month that is not closed. All earlier ones never change.
    "ALTER TABLE day_close ADD COLUMN open_month bigint NOT NULL DEFAULT 0",
    "UPDATE day_close SET open_month = {open_month}",
    // Like created_day and created_today: the number of links that the owner created in created_month
    // and that usage_months does not include. A month that is closed is never created_month.
    "ALTER TABLE owners ADD COLUMN created_month bigint NOT NULL DEFAULT 0",
    "ALTER TABLE owners ADD COLUMN created_in_month bigint NOT NULL DEFAULT 0",
    "UPDATE owners SET created_month = (SELECT open_month FROM day_close)",
    // True if the link may have clicks that are not closed. On PostgreSQL, an index of the counts
    // themselves would make each update of a count write to all indexes.
    "ALTER TABLE click_counts ADD COLUMN is_open boolean NOT NULL DEFAULT FALSE",
    "UPDATE click_counts SET is_open = TRUE WHERE count <> closed",
    "CREATE INDEX click_counts_open_idx ON click_counts (link_id) WHERE is_open",
];
