//! Insert rate of the database alone.

use std::time::{Duration, Instant};

use bench_common::Result;
use bench_common::database::Database;

/// Inserts rows like those of a load for `time`, with this number of rows per transaction, and updates
/// the owner's counter. Returns the rows per second and the number of rows.
pub(crate) fn insert(
    database: &Database,
    rows: u64,
    first: u64,
    time: Duration,
) -> Result<(f64, u64)> {
    let rows = rows.max(1);
    let random = if database.is_postgres() {
        "translate(encode(decode(md5(CAST(number AS text) || random()), 'hex'), 'base64'), '+/=', 'abc')"
    } else {
        "hex(randomblob(8))"
    };
    let numbers = if database.is_postgres() {
        format!("generate_series(1, {rows}) AS numbers (number)")
    } else {
        format!(
            "(WITH RECURSIVE numbers (number) AS (
                  SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {rows}
              ) SELECT number FROM numbers)"
        )
    };
    let batch = format!(
        "BEGIN;
         INSERT INTO links
             (owner_id, short_code, destination_url, destination_host, title, campaign, created_at)
         SELECT (SELECT id FROM owners), {random},
             'https://example.org/articles/' || (100000000 + {first} + number)
                 || '?utm_source=newsletter&utm_medium=email', 'example.org', 'Article', 'letter', 0
         FROM {numbers};
         UPDATE owners SET link_count = link_count + {rows};
         COMMIT"
    );
    let (started, mut inserted) = (Instant::now(), 0);
    while started.elapsed() < time {
        database.execute(&batch)?;
        inserted += rows;
    }
    Ok((inserted as f64 / started.elapsed().as_secs_f64(), inserted))
}
