//! How one link's clicks are counted: all who ask while others' are being counted share the next
//! transaction.

use std::collections::HashMap;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::inline::is_busy;
use super::lookup::{self, Lookup};
use crate::store::StoreError;
use crate::store::links::CountedLink;
use crate::values::ShortCode;

/// At most so many links a transaction.
const LINKS: usize = 256;

const ADDED_UP: &str = "
    SELECT id, short_code, destination_url, campaign, is_active,
        COALESCE((SELECT count FROM click_counts WHERE link_id = links.id), 0)
            + COALESCE((SELECT count FROM recent_counts WHERE link_id = links.id), 0)
    FROM links WHERE owner_id = ?1 AND short_code = ?2";
/// Reads all of the ledger, which has no index: once for all links of a transaction, whose rows are
/// then picked out.
const NOT_ADDED_UP: &str = "SELECT link_id, count FROM clicks WHERE link_id BETWEEN ?1 AND ?2";

type Answer = Result<Option<CountedLink>, StoreError>;

/// Has a task that counts for whoever asks.
#[derive(Debug)]
pub(super) struct Counting {
    asked: UnboundedSender<Asked>,
    patience: Duration,
}

/// Who waits for which link.
#[derive(Debug)]
struct Asked {
    owner_id: i64,
    code: ShortCode,
    who: oneshot::Sender<Answer>,
}

impl Counting {
    pub(super) fn start(lookup: Lookup, patience: Duration) -> Self {
        let (asked, waiting) = mpsc::unbounded_channel();
        tokio::spawn(run(lookup, waiting));
        Self { asked, patience }
    }

    /// The owner's link of that code with all its clicks, as the database has it at a moment after
    /// this call.
    pub(super) async fn count_one(&self, owner_id: i64, code: &ShortCode) -> Answer {
        let (who, answer) = oneshot::channel();
        // Where nobody takes it the runtime is ending.
        let _ = self.asked.send(Asked { owner_id, code: code.clone(), who });
        let answer = timeout(self.patience, answer).await.map_err(|_| StoreError::Busy)?;
        answer.map_err(|_| StoreError::Away)?
    }
}

async fn run(lookup: Lookup, mut waiting: UnboundedReceiver<Asked>) {
    let mut next = Vec::new();
    // The transaction begins when all of them have asked.
    while waiting.recv_many(&mut next, LINKS).await > 0 {
        let together: Vec<Asked> = next.drain(..).filter(|asked| !asked.who.is_closed()).collect();
        let lookup = lookup.clone();
        // A long ledger takes longer than a look at one link.
        let counted = spawn_blocking(move || {
            let answers = count(&lookup, &together);
            (together, answers)
        });
        let (together, answers) = match counted.await {
            Ok(counted) => counted,
            // Whoever asked is told that the database does not answer.
            Err(error) => {
                tracing::error!(%error, "clicks were not counted");
                continue;
            }
        };
        for (Asked { who, .. }, answer) in together.into_iter().zip(answers) {
            // Whoever went away needs no answer.
            let _ = who.send(answer);
        }
    }
}

/// One answer for each. What fails for one link, such as a damaged row, does so for no other.
fn count(lookup: &Lookup, together: &[Asked]) -> Vec<Answer> {
    match lookup.read(|connection| count_all(connection, together)) {
        Ok(found) => found.into_iter().map(Ok).collect(),
        // To ask for each alone would wait for as long again each time.
        Err(error) if is_busy(&error) => together.iter().map(|_| Err(StoreError::Busy)).collect(),
        Err(_) if together.len() > 1 => {
            let (some, others) = together.split_at(together.len() / 2);
            [some, others].into_iter().flat_map(|half| count(lookup, half)).collect()
        }
        Err(error) => vec![Err(error.into())],
    }
}

fn count_all(
    connection: &Connection,
    together: &[Asked],
) -> rusqlite::Result<Vec<Option<CountedLink>>> {
    connection.prepare_cached("BEGIN")?.execute([])?;
    let mut added_up = connection.prepare_cached(ADDED_UP)?;
    let mut found = together
        .iter()
        .map(|Asked { owner_id, code, .. }| {
            added_up.query_one((owner_id, code.as_str()), lookup::counted_link).optional()
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut more: HashMap<i64, i64> = found.iter().flatten().map(|link| (link.id, 0)).collect();
    if let (Some(first), Some(last)) = (more.keys().min(), more.keys().max()) {
        let mut not_added_up = connection.prepare_cached(NOT_ADDED_UP)?;
        let mut rows = not_added_up.query((first, last))?;
        while let Some(row) = rows.next()? {
            if let Some(more) = more.get_mut(&row.get(0)?) {
                *more += row.get::<_, i64>(1)?;
            }
        }
    }
    for link in found.iter_mut().flatten() {
        link.clicks += more[&link.id];
    }
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::connection::Opener;
    use crate::store::{Limits, Store};

    #[tokio::test]
    async fn neither_a_damaged_link_nor_one_who_left_fails_those_who_asked_beside_them() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let _store = Store::new_in(directory.path()).await;
        Connection::open(&path)
            .unwrap()
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO links (id, owner_id, short_code, destination_url, created_at)
                 VALUES (1, 1, 'good', 'https://example.org/', 0),
                        (2, 1, 'damaged', CAST(x'ff' AS text), 0),
                        (3, 1, 'better', 'https://example.org/', 0);
                 INSERT INTO click_counts (link_id, count) VALUES (1, 1), (3, 100);
                 INSERT INTO recent_counts (link_id, count) VALUES (1, 10);
                 INSERT INTO clicks (link_id, count) VALUES (1, 100), (3, 5), (1, 1000), (2, 7)",
            )
            .unwrap();
        let lookup = Lookup::new(Opener::new(&path, true), &Limits::default());
        let counting = Counting::start(lookup, Duration::from_secs(5));
        let clicks = async |owner_id, code| {
            let found = counting.count_one(owner_id, &ShortCode::parse(code).unwrap()).await;
            found.map(|link| link.map(|link| link.clicks)).map_err(|error| error.to_string())
        };
        // They ask before the task has its turn. Who has no time leaves at once.
        let left = timeout(Duration::ZERO, clicks(1, "good"));
        let (left, good, damaged, unknown, others, better) = tokio::join!(
            left,
            clicks(1, "good"),
            clicks(1, "damaged"),
            clicks(1, "unknown"),
            clicks(2, "good"),
            clicks(1, "better"),
        );
        assert!(left.is_err());
        assert_eq!([good, unknown, others, better], [Some(1_111), None, None, Some(105)].map(Ok));
        assert!(damaged.unwrap_err().contains("utf-8"));
    }
}
