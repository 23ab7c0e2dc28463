//! How one link's clicks are counted: those who ask while others' are, share the next transaction.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::lookup::{self, Lookup};
use crate::store::StoreError;
use crate::store::links::{COUNT_ONE, CountedLink};
use crate::values::ShortCode;

/// Links a transaction, which keeps one of the threads that answer requests.
const LINKS: usize = 32;

type Answer = Result<Option<CountedLink>, Arc<StoreError>>;

/// Counts for whoever asks.
#[derive(Debug)]
pub(super) struct Counter {
    /// As many as there are requests.
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

impl Counter {
    /// Has a task of its own: whoever asks may go away, and others wait with them.
    pub(super) fn start(lookup: Lookup, patience: Duration) -> Self {
        let (asked, waiting) = mpsc::unbounded_channel();
        tokio::spawn(count(lookup, waiting));
        Self { asked, patience }
    }

    /// The owner's link of that code with all its clicks, as the database has it at a moment after
    /// this call.
    pub(super) async fn count_one(&self, owner_id: i64, code: &ShortCode) -> Answer {
        let (who, answer) = oneshot::channel();
        // The runtime is ending where nobody answers.
        let _ = self.asked.send(Asked { owner_id, code: code.clone(), who });
        let answer = timeout(self.patience, answer).await.map_err(|_| StoreError::Busy)?;
        answer.unwrap_or_else(|_| Err(StoreError::Away.into()))
    }
}

async fn count(lookup: Lookup, mut waiting: UnboundedReceiver<Asked>) {
    let mut together = Vec::with_capacity(LINKS);
    // The transaction begins when all of them have asked.
    while waiting.recv_many(&mut together, LINKS).await > 0 {
        together.retain(|asked| !asked.who.is_closed());
        match lookup.read(|connection| count_all(connection, &together)) {
            Ok(found) => {
                for (Asked { who, .. }, link) in together.drain(..).zip(found) {
                    // Whoever went away needs no answer.
                    let _ = who.send(Ok(link));
                }
            }
            Err(error) => {
                let error = Arc::new(StoreError::from(error));
                for Asked { who, .. } in together.drain(..) {
                    let _ = who.send(Err(Arc::clone(&error)));
                }
            }
        }
        // Those who ask without a pause would otherwise take this thread from visitors.
        yield_now().await;
    }
}

/// In one transaction, which takes and leaves the lock of a reader once.
fn count_all(
    connection: &Connection,
    together: &[Asked],
) -> rusqlite::Result<Vec<Option<CountedLink>>> {
    connection.prepare_cached("BEGIN")?.execute([])?;
    let mut query = connection.prepare_cached(&lookup::as_here(COUNT_ONE))?;
    let found = together
        .iter()
        .map(|Asked { owner_id, code, .. }| {
            query.query_one((owner_id, code.as_str()), lookup::counted).optional()
        })
        .collect::<Result<_, _>>()?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(found)
}
