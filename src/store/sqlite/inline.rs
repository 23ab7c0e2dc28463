//! A connection without a thread of its own.
//!
//! The driver that everything else goes through runs each statement in another thread. To wake that
//! one and to be woken by it takes several times as long as to write a row to a file that the
//! operating system keeps in memory: so what is written often is written where it is asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::{Mutex, MutexGuard};

use super::lookup;
use super::questions::{Found, Questions};
use crate::values::ShortCode;

/// How long to wait until another process may have finished writing.
pub(super) const BUSY_INTERVAL: Duration = Duration::from_millis(1);

/// The connection; made anew where it had to be given up. Whoever uses it has the turn to write.
#[derive(Debug, Clone)]
pub(super) struct Inline {
    path: Arc<PathBuf>,
    page_bytes: u64,
    kept: Arc<Mutex<Option<Connection>>>,
    questions: Arc<Questions>,
}

impl Inline {
    pub(super) fn open(path: &Path, page_bytes: u64) -> rusqlite::Result<Self> {
        let kept = Arc::new(Mutex::new(Some(open(path, page_bytes)?)));
        let path = Arc::new(path.to_owned());
        Ok(Self { path, page_bytes, kept, questions: Arc::default() })
    }

    /// Waits for those who read.
    pub(super) async fn take(&self) -> Taken<'_> {
        Taken { inline: self, place: Some(self.kept.lock().await) }
    }

    /// The same for what takes long, on a thread that may wait.
    pub(super) fn take_blocking(&self) -> Taken<'_> {
        self.questions.close();
        Taken { inline: self, place: Some(self.kept.blocking_lock()) }
    }

    /// Where the link of that code leads; none where somebody has the connection for long or many
    /// wait for it. What it remembers of the file outlives what it writes itself, where other
    /// connections forget all that they have read with each batch.
    pub(super) async fn find(&self, code: &ShortCode) -> Option<Found> {
        if let Ok(place) = self.kept.try_lock() {
            let found = place.as_ref().map(|connection| lookup::find(connection, code));
            drop(place);
            self.answer_questions();
            return found;
        }
        let answer = self.questions.ask(code)?;
        // Whoever had the connection may have left before the question was there.
        self.answer_questions();
        answer.await.ok()
    }

    /// To be called by whoever has had the connection, and by whoever asks: so one of them finds the
    /// question there and the connection free.
    fn answer_questions(&self) {
        while !self.questions.is_empty() {
            let Ok(mut place) = self.kept.try_lock() else { return };
            let asked = self.questions.take();
            // Without a connection they ask elsewhere.
            if let Some(connection) = place.take() {
                let answers = asked.answer(&connection);
                keep(&mut place, connection);
                drop(place);
                answers.tell();
            }
        }
    }
}

/// The connection for oneself.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    inline: &'a Inline,
    /// Until the end.
    place: Option<MutexGuard<'a, Option<Connection>>>,
}

impl Taken<'_> {
    /// Does all of the work or nothing, to survive this process, and fails at once where another
    /// process is writing.
    pub(super) fn transaction<T>(
        mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let connection = match self.place.as_mut().and_then(|place| place.take()) {
            Some(connection) => connection,
            None => open(&self.inline.path, self.inline.page_bytes)?,
        };
        let committed = commit(&connection, "BEGIN IMMEDIATE", work);
        if let Some(place) = &mut self.place {
            keep(place, connection);
        }
        committed
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.inline.questions.open();
        drop(self.place.take());
        self.inline.answer_questions();
    }
}

/// Leaves the connection to the next one; one that could not even roll back is given up.
fn keep(place: &mut Option<Connection>, connection: Connection) {
    if connection.is_autocommit() {
        *place = Some(connection);
    }
}

fn open(path: &Path, page_bytes: u64) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Checkpoints happen elsewhere.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    // Negative: KiB, not pages.
    let kibibytes = i64::try_from(page_bytes >> 10).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -kibibytes)?;
    // What is sorted while counts are put away is small.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // In WAL mode nothing is flushed at a commit then: what was written is with the operating system,
    // which outlives the process. Who needs more flushes afterwards.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Does all of the work or nothing.
pub(super) fn commit<T>(
    connection: &Connection,
    begin: &str,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.prepare_cached(begin)?.execute([])?;
    let committed = work(connection).and_then(|result| {
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(result)
    });
    if committed.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    committed
}

/// Whether another process is writing.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::store::{DatabaseUrl, Limits, Missing, Store};

    /// With links of the codes `code0`, `code1`, …, all of them elsewhere.
    async fn with_links(directory: &Path, count: u32) -> Inline {
        let path = directory.join("t.db");
        let url: DatabaseUrl = format!("sqlite://{}", path.display()).parse().unwrap();
        let store = Store::open(&url, Missing::Create, &Limits::default()).await.unwrap();
        store.migrate().await.unwrap();
        let inline = Inline::open(&path, 1 << 20).unwrap();
        let owner = "INSERT INTO owners (id, name, plan, created_at) VALUES (1, 'o', 'free', 0)";
        inline.take().await.transaction(|db| db.execute(owner, [])).unwrap();
        for number in 0..count {
            inline.take().await.transaction(|db| insert(db, number)).unwrap();
        }
        inline
    }

    fn insert(db: &Connection, number: u32) -> rusqlite::Result<usize> {
        db.execute(
            "INSERT INTO links (owner_id, short_code, destination_url, created_at)
             VALUES (1, 'code' || ?1, 'https://example.org/' || ?1, 0)",
            [number],
        )
    }

    fn code(number: u32) -> ShortCode {
        ShortCode::parse(&format!("code{number}")).unwrap()
    }

    /// Where it leads.
    fn there(found: Option<Found>) -> Option<String> {
        found.unwrap().unwrap().map(|target| target.destination_url)
    }

    async fn soon<T>(future: impl Future<Output = T>) -> T {
        tokio::time::timeout(Duration::from_secs(20), future).await.unwrap()
    }

    #[tokio::test]
    async fn who_asks_during_a_batch_sees_what_it_wrote() {
        let directory = tempfile::tempdir().unwrap();
        let inline = with_links(directory.path(), 1).await;
        let taken = inline.take().await;
        let asked = async {
            let codes = (code(0), code(1));
            let found = tokio::join!(inline.find(&codes.0), inline.find(&codes.1));
            (there(found.0), there(found.1))
        };
        let writing = async { taken.transaction(|db| insert(db, 1)).unwrap() };
        let (found, _) = soon(async { tokio::join!(asked, writing) }).await;
        let of = |number| Some(format!("https://example.org/{number}"));
        assert_eq!(found, (of(0), of(1)));
    }

    #[tokio::test]
    async fn nobody_waits_for_what_takes_long_or_behind_many() {
        let directory = tempfile::tempdir().unwrap();
        let inline = with_links(directory.path(), 1).await;
        let long = {
            let inline = inline.clone();
            tokio::task::spawn_blocking(move || {
                let taken = inline.take_blocking();
                let waits = inline.questions.ask(&code(0)).is_some();
                drop(taken);
                waits
            })
        };
        assert!(!long.await.unwrap());

        let taken = inline.take().await;
        let asked: Vec<_> = (0..9).map(|_| inline.questions.ask(&code(0))).collect();
        assert_eq!(asked.iter().flatten().count(), 8);
        assert!(inline.find(&code(0)).await.is_none());
        drop(taken);
        for answer in asked.into_iter().flatten() {
            assert!(soon(answer).await.unwrap().unwrap().is_some());
        }
    }

    #[tokio::test]
    async fn without_a_connection_they_ask_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let inline = with_links(directory.path(), 1).await;
        let mut place = inline.kept.lock().await;
        let connection = place.take();
        let answer = inline.questions.ask(&code(0)).unwrap();
        drop(place);
        assert!(soon(inline.find(&code(0))).await.is_none());
        assert!(soon(answer).await.is_err());
        *inline.kept.lock().await = connection;
        assert!(there(soon(inline.find(&code(0))).await).is_some());
    }

    /// Everybody is answered, however they meet: nobody is woken twice for a question.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_question_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let inline = with_links(directory.path(), 50).await;
        let is_over = AtomicBool::new(false);
        let mut asking = tokio::task::JoinSet::new();
        for number in 0..16 {
            let inline = inline.clone();
            asking.spawn(async move {
                for round in 0..2_000 {
                    let number = (number * 7 + round) % 60;
                    if let Some(found) = inline.find(&code(number)).await {
                        assert_eq!(found.unwrap().is_some(), number < 50, "{number}");
                    }
                }
            });
        }
        let writing = async {
            while !is_over.load(Ordering::Relaxed) {
                let count = "UPDATE owners SET link_count = link_count + 1";
                inline.take().await.transaction(|db| db.execute(count, [])).unwrap();
                tokio::task::yield_now().await;
            }
        };
        let all = async {
            while let Some(asked) = asking.join_next().await {
                asked.unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        };
        soon(async { tokio::join!(all, writing) }).await;
    }

    /// Also where nobody comes after them who would see their question.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_last_question_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let inline = with_links(directory.path(), 1).await;
        for _ in 0..20_000 {
            let find = || {
                let inline = inline.clone();
                tokio::spawn(async move { there(inline.find(&code(0)).await).is_some() })
            };
            let (one, other) = soon(async { tokio::join!(find(), find()) }).await;
            assert!(one.unwrap() && other.unwrap());
        }
    }
}
