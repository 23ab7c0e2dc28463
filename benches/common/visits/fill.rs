//! Inserts links to visit into Terse's database.

use crate::Result;
use crate::database::Database;
use crate::visits::traffic::{CODE_LENGTH, HOST, MODULUS, MULTIPLIER, destination};

/// Inserts this number of links of the only owner with one statement.
pub fn fill(database: &Database, links: u32) -> Result<()> {
    let postgres = [
        format!("generate_series(CAST(0 AS bigint), {links} - 1) AS numbers (number)"),
        format!("lpad(to_hex(number * {MULTIPLIER} % {MODULUS}), {CODE_LENGTH}, '0')"),
    ];
    let sqlite = [
        format!(
            "(WITH RECURSIVE numbers (number) AS (
                  SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < {links} - 1
              ) SELECT number FROM numbers) AS numbers"
        ),
        format!("printf('%0{CODE_LENGTH}x', number * {MULTIPLIER} % {MODULUS})"),
    ];
    let [numbers, code] = if database.is_postgres() { postgres } else { sqlite };
    let destination = destination("' || code || '");
    database.execute(&format!(
        "INSERT INTO links
             (owner_id, short_code, destination_url, destination_host, title, campaign, created_at)
         SELECT (SELECT id FROM owners), code, '{destination}', '{HOST}', 'Article ' || code,
             'letter', 0
         FROM (SELECT {code} AS code, number FROM {numbers}) AS codes ORDER BY number"
    ))?;
    database.execute(&format!("UPDATE owners SET link_count = {links}"))
}
