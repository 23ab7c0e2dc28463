//! The click journal: clicks on the disk of a server whose database is a standby.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use rusqlite::{Connection, ErrorCode};

use super::connection::{BUSY_TIMEOUT, Opener};
use super::file::{OPERATION_TIMEOUT, OpenFile, StallDetector, is_missing};
use crate::store::clicks::{Batch, LinkClicks};
use crate::store::error::StoreError;
use crate::store::files::check_private;
use crate::store::url::with_suffix;

/// Changes no row if the addition is in the file already.
const NOTE_NUMBER: &str = "
    INSERT INTO writers (id, number) VALUES (?1, ?2)
    ON CONFLICT (id) DO UPDATE SET number = excluded.number WHERE number < excluded.number";

/// Takes the number of the next batch. The first batch of a handle renews the identity: otherwise, a
/// copy of the file, as in the image of a machine, would repeat the numbers of the original, and the
/// database would ignore its clicks. The sequence goes on, so that it alone identifies a batch here.
const TAKE_NUMBER: &str = "
    UPDATE journal SET sequence = sequence + 1,
        producer_id = CASE WHEN ?1 THEN random() ELSE producer_id END";

const ADD: &str = "
    INSERT INTO clicks (link_id, count) VALUES (?1, ?2)
    ON CONFLICT (link_id) DO UPDATE SET count = count + excluded.count";

/// A file of clicks that a server stores before it sends their redirects.
///
/// The file is a producer of batches of its own. A batch keeps its content and its number until a
/// database has it, so that the database stores it once, whatever happens to the server and to the
/// connection. Several servers may share the file.
#[derive(Debug)]
pub struct ClickJournal {
    path: PathBuf,
    /// Random identifier of this handle, in the table `writers`.
    writer_id: i64,
    state: Mutex<JournalState>,
    /// Whether this handle has given the file a new identity as a producer.
    has_renewed: AtomicBool,
    /// Number of clicks in the file, as of the last use.
    undelivered: AtomicU64,
    stall_detector: StallDetector,
}

/// The file, which is opened at its first use and again after each failure.
#[derive(Debug, Default)]
struct JournalState {
    open: Option<OpenJournal>,
    /// Whether all that the file has is on the disk. It is not known at first, because an earlier
    /// process may have failed.
    is_flushed: bool,
}

impl ClickJournal {
    /// Maximum number of links in a batch, which PostgreSQL stores as one row.
    pub const MAX_BATCH_LINKS: u16 = 2_000;

    /// Creates a handle of the journal at `path`. The file is created with the first click.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            writer_id: UnwrapErr(SysRng).random(),
            state: Mutex::default(),
            has_renewed: AtomicBool::new(false),
            undelivered: AtomicU64::new(0),
            stall_detector: StallDetector::default(),
        }
    }

    /// Returns the path of the file, which may not exist.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the identifier by which the file recognises the additions of this handle.
    pub fn writer_id(&self) -> i64 {
        self.writer_id
    }

    /// Returns the number of clicks that no database has confirmed, as of the last use.
    pub fn undelivered(&self) -> u64 {
        self.undelivered.load(Ordering::Relaxed)
    }

    /// Checks that the disk responds.
    ///
    /// # Errors
    /// [`StoreError::CannotCommit`]
    pub fn check_disk(&self) -> Result<(), StoreError> {
        self.stall_detector.check()
    }

    /// Adds clicks in one transaction, unless they were added with the same number before. Later
    /// additions must have higher numbers. It blocks the thread until the clicks are on disk.
    ///
    /// # Errors
    /// [`StoreError::Journal`], which says whether the clicks may be in the file nevertheless. The
    /// caller may repeat the call.
    pub fn add<'c>(
        &self,
        number: i64,
        clicks: impl IntoIterator<Item = &'c LinkClicks> + Clone,
    ) -> Result<(), StoreError> {
        let add = || self.add_of(self.writer_id, number, clicks);
        self.stall_detector.watch(OPERATION_TIMEOUT, add)
    }

    /// Adds clicks of the handle with this identifier, which may have added them.
    ///
    /// # Errors
    /// The same as those of [`Self::add`].
    pub fn add_of<'c>(
        &self,
        writer_id: i64,
        number: i64,
        clicks: impl IntoIterator<Item = &'c LinkClicks> + Clone,
    ) -> Result<(), StoreError> {
        self.change(|db| {
            if db.prepare_cached(NOTE_NUMBER)?.execute((writer_id, number))? == 0 {
                return Ok(());
            }
            let (mut add, mut sum) = (db.prepare_cached(ADD)?, 0);
            for LinkClicks { link_id, count } in clicks.clone() {
                add.execute((link_id, count))?;
                sum += count;
            }
            db.execute("UPDATE journal SET undelivered = undelivered + ?1", [sum])?;
            Ok(())
        })
    }

    /// Returns the next batch to deliver, which stays the next one until [`Self::note_delivered`].
    /// Returns `None` if there are no clicks. It blocks the thread.
    ///
    /// # Errors
    /// If the file cannot be read or written to.
    pub fn next_batch(&self) -> Result<Option<Batch>, StoreError> {
        if self.is_missing() {
            return Ok(None);
        }
        let may_renew = !self.has_renewed.load(Ordering::Relaxed);
        let next = self.change(|db| {
            let is_new = !db.prepare_cached("SELECT 1 FROM batch")?.exists([])?;
            if is_new {
                let take =
                    "INSERT INTO batch SELECT link_id, count FROM clicks ORDER BY link_id LIMIT ?1";
                if db.execute(take, [Self::MAX_BATCH_LINKS])? == 0 {
                    return Ok(None);
                }
                db.execute("DELETE FROM clicks WHERE link_id IN (SELECT link_id FROM batch)", [])?;
                db.execute(TAKE_NUMBER, [may_renew])?;
            }
            let mut find =
                db.prepare_cached("SELECT link_id, count FROM batch ORDER BY link_id")?;
            let clicks = find
                .query_map([], |row| Ok(LinkClicks { link_id: row.get(0)?, count: row.get(1)? }))?;
            let clicks = clicks.collect::<rusqlite::Result<_>>()?;
            let identity = "SELECT producer_id, sequence FROM journal";
            let (producer_id, sequence) =
                db.query_one(identity, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Some((Batch { producer_id, sequence, clicks }, is_new)))
        })?;
        let Some((batch, is_new)) = next else { return Ok(None) };
        self.has_renewed.fetch_or(is_new, Ordering::Relaxed);
        if batch.clicks.iter().all(LinkClicks::is_possible) {
            return Ok(Some(batch));
        }
        let reason = "it contains a number of clicks or an identifier that cannot be";
        Err(StoreError::of_journal(&self.path, &foreign(&self.path, &reason), false))
    }

    /// Deletes the batch with this sequence number, which a database has. It blocks the thread.
    ///
    /// # Errors
    /// If the file cannot be written to. The batch then stays, and may be delivered again.
    pub fn note_delivered(&self, sequence: i64) -> Result<(), StoreError> {
        self.change(|db| {
            // Another server may have delivered the batch and taken the next one.
            let subtract = "UPDATE journal SET undelivered = undelivered -
                    (SELECT COALESCE(SUM(count), 0) FROM batch) WHERE sequence = ?1";
            if db.execute(subtract, [sequence])? > 0 {
                db.execute("DELETE FROM batch", [])?;
            }
            Ok(())
        })
    }

    /// Runs `work` as one transaction, which is on disk when this function returns.
    fn change<T>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut result = self.try_change(&work);
        if let Err(FailedChange { error: StoreError::DiskFull, .. }) = result {
            // The log, which is written from its beginning now, may suffice.
            result = self.try_change(&work);
        }
        result.map_err(|FailedChange { error, may_be_stored }| {
            StoreError::of_journal(&self.path, &error, may_be_stored)
        })
    }

    fn try_change<T>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, FailedChange> {
        let mut state = self.state.lock();
        let result = state.change(&self.path, work);
        state.is_flushed = match &result {
            // The file has nothing that it did not have before.
            Err(FailedChange { error: StoreError::DiskFull, .. }) => state.is_flushed,
            result => result.is_ok(),
        };
        let (result, undelivered) = result?;
        self.undelivered.store(undelivered, Ordering::Relaxed);
        Ok(result)
    }

    /// Returns whether there is no file, and none is open.
    fn is_missing(&self) -> bool {
        self.state.lock().open.is_none() && is_missing(&self.path)
    }
}

impl JournalState {
    fn change<T>(
        &mut self,
        path: &Path,
        work: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<(T, u64), FailedChange> {
        let journal = match self.open.take() {
            Some(journal) => journal,
            None => OpenJournal::open(path, self.is_flushed)?,
        };
        let result = journal.run(work);
        match &result {
            Ok(_) => self.open = Some(journal),
            // The next use opens the file again.
            Err(_) => journal.close(),
        }
        result
    }
}

const VERSION: i64 = 1;
/// Size in bytes of the page cache.
const CACHE_BYTES: u64 = 2 << 20;
/// Number of pages in the write-ahead log at which SQLite moves them into the file.
const CHECKPOINT_PAGES: u32 = 1_000;

/// Tables of the journal: `journal` has its identity as a producer, `batch` the batch that is being
/// delivered, `clicks` all later clicks, and `writers` the last number of each server's additions.
const SCHEMA: &str = "
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        producer_id INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        undelivered INTEGER NOT NULL
    ) STRICT;
    INSERT INTO journal (id, producer_id, sequence, undelivered) VALUES (1, random(), 0, 0);
    CREATE TABLE clicks (link_id INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    CREATE TABLE batch (link_id INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    CREATE TABLE writers (id INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
    PRAGMA user_version = 1;";

/// Returns the error of a file that this program does not use.
fn foreign(path: &Path, reason: &dyn Display) -> StoreError {
    StoreError::ForeignClicks(format!("{}: {reason}", path.display()))
}

/// A connection to the file.
#[derive(Debug)]
struct OpenJournal {
    connection: Connection,
    file: OpenFile,
}

/// A transaction that failed.
#[derive(Debug)]
struct FailedChange {
    error: StoreError,
    /// Whether the file may have the changes nevertheless.
    may_be_stored: bool,
}

impl FailedChange {
    /// SQLite writes a commit before it flushes it, so a later reader may find it.
    fn of_commit(error: rusqlite::Error) -> Self {
        // Without space, SQLite could not write the commit.
        let may_be_stored = error.sqlite_error_code() != Some(ErrorCode::DiskFull);
        Self { error: error.into(), may_be_stored }
    }
}

impl<E: Into<StoreError>> From<E> for FailedChange {
    fn from(error: E) -> Self {
        Self { error: error.into(), may_be_stored: false }
    }
}

impl OpenJournal {
    /// Opens or creates the file at `path`, and flushes it unless that is done. A file that another
    /// user could have written is not used, because its clicks would be counted.
    fn open(path: &Path, is_flushed: bool) -> Result<Self, StoreError> {
        for path in ["", "-wal", "-shm"].map(|suffix| with_suffix(path, suffix)) {
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            check_private(&metadata).map_err(|reason| foreign(&path, &reason))?;
        }
        let connection = Opener::new(path, true).create_writer(CACHE_BYTES)?;
        // A commit returns after the flush of the log, and so survives a power loss.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection
            .pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let version: i64 = connection.query_one("PRAGMA user_version", [], |row| row.get(0))?;
        match version {
            0 => connection.execute_batch(SCHEMA)?,
            VERSION => {}
            _ => {
                return Err(foreign(path, &"its version is unknown"));
            }
        }
        connection.execute_batch("COMMIT")?;
        // SQLite then writes the log from its beginning, which needs no space on a full disk.
        let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if !is_flushed {
            // The log may have what an unsuccessful flush has left in memory. Another flush of the
            // log would not write it, but the checkpoint does.
            moved?;
        }
        let file = OpenFile::new(path).map_err(StoreError::Flush)?;
        Ok(Self { connection, file })
    }

    /// Runs `work` as one transaction. Also returns the number of clicks that are in the file then.
    fn run<T>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<(T, u64), FailedChange> {
        self.file.check()?;
        let db = &self.connection;
        db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let result = work(db)?;
        let undelivered: i64 =
            db.query_one("SELECT undelivered FROM journal", [], |row| row.get(0))?;
        db.prepare_cached("COMMIT")?.execute([]).map_err(FailedChange::of_commit)?;
        Ok((result, u64::try_from(undelivered).unwrap_or(0)))
    }

    /// Closes the file, of which this process has no other connection.
    fn close(self) {
        drop(self.connection);
        self.file.close();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::store::ClickJournal;
    use crate::store::clicks::LinkClicks;

    #[derive(Debug, Clone)]
    enum Step {
        /// The clicks are added this number of times, as after an error.
        Add(BTreeMap<i64, i64>, u32),
        /// The next batch is delivered this number of times, and then noted or not.
        Deliver(u32, bool),
        Reopen,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (prop::collection::btree_map(1..9_i64, 1..5_i64, 1..5), 1..4_u32)
                .prop_map(|(counts, times)| Step::Add(counts, times)),
            (1..3_u32, any::<bool>()).prop_map(|(times, noted)| Step::Deliver(times, noted)),
            Just(Step::Reopen),
        ]
    }

    /// A database that stores a batch once.
    #[derive(Default)]
    struct Target {
        /// The last sequence number of each producer.
        writers: BTreeMap<i64, i64>,
        counted: BTreeMap<i64, i64>,
    }

    impl Target {
        fn append(&mut self, batch: &Batch) {
            let last = self.writers.entry(batch.producer_id).or_default();
            if batch.sequence > *last {
                *last = batch.sequence;
                for LinkClicks { link_id, count } in &batch.clicks {
                    *self.counted.entry(*link_id).or_default() += count;
                }
            }
        }
    }

    fn deliver_all(journal: &ClickJournal, target: &mut Target) {
        while let Some(batch) = journal.next_batch().unwrap() {
            target.append(&batch);
            journal.note_delivered(batch.sequence).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn each_click_is_delivered_once(steps in prop::collection::vec(step(), 0..20)) {
            let directory = tempfile::tempdir().unwrap();
            let open = || ClickJournal::new(directory.path().join("j.db"));
            // Two servers share the file.
            let (mut journal, other) = (open(), open());
            let (mut target, mut expected) = (Target::default(), BTreeMap::new());
            for (number, step) in (1..).zip(steps) {
                match step {
                    Step::Add(counts, times) => {
                        let clicks: Vec<_> = counts.iter().map(|(&link_id, &count)| {
                            *expected.entry(link_id).or_default() += count;
                            LinkClicks { link_id, count }
                        }).collect();
                        for _ in 0..times {
                            journal.add(number, &clicks).unwrap();
                        }
                    }
                    Step::Deliver(times, noted) => {
                        let mut last = None;
                        for _ in 0..times {
                            last = other.next_batch().unwrap();
                            last.iter().for_each(|batch| target.append(batch));
                        }
                        if let (Some(batch), true) = (last, noted) {
                            other.note_delivered(batch.sequence).unwrap();
                            // A server that is late.
                            target.append(&batch);
                            journal.note_delivered(batch.sequence).unwrap();
                        }
                    }
                    Step::Reopen => journal = open(),
                }
            }
            deliver_all(&journal, &mut target);
            prop_assert_eq!(journal.undelivered(), 0);
            prop_assert_eq!(target.counted, expected);
        }
    }

    #[test]
    fn file_that_was_replaced_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let journal = ClickJournal::new(directory.path().join("j.db"));
        let clicks = [LinkClicks { link_id: 1, count: 1 }];
        journal.add(1, &clicks).unwrap();
        std::fs::remove_file(journal.path()).unwrap();
        assert!(journal.add(2, &clicks).is_err());
    }

    #[test]
    fn copy_of_a_file_delivers_its_own_clicks() {
        let directories = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let path = |number: usize| directories[number].path().join("j.db");
        let (mut target, clicks) = (Target::default(), [LinkClicks { link_id: 1, count: 1 }]);
        let original = ClickJournal::new(path(0));
        original.add(1, &clicks).unwrap();
        deliver_all(&original, &mut target);
        for (copy, suffix) in [(1, ""), (1, "-wal"), (2, ""), (2, "-wal")] {
            let name = |number| format!("{}{suffix}", path(number).display());
            std::fs::copy(name(0), name(copy)).unwrap();
        }
        for number in 0..3 {
            let journal = ClickJournal::new(path(number));
            journal.add(2, &clicks).unwrap();
            deliver_all(&journal, &mut target);
        }
        assert_eq!(target.counted, BTreeMap::from([(1, 4)]));
    }

    /// Clicks that another user may have written are not counted.
    #[test]
    fn only_private_regular_files_of_possible_clicks_are_used() {
        let directory = tempfile::tempdir().unwrap();
        let clicks = [LinkClicks { link_id: 1, count: 1 }];
        let written = |name: &str| {
            let path = directory.path().join(name);
            ClickJournal::new(path.clone()).add(1, &clicks).unwrap();
            path
        };
        let assert_unused = |path: PathBuf, reason: &str| {
            let journal = ClickJournal::new(path);
            for error in [journal.add(1, &clicks).unwrap_err(), journal.next_batch().unwrap_err()] {
                assert!(error.to_string().contains(reason), "{error}");
            }
        };
        let (link, target) = (directory.path().join("link.db"), written("target.db"));
        symlink(&target, &link).unwrap();
        assert_unused(link, "it is not a regular file");
        for suffix in ["", "-wal", "-shm"] {
            let path = written(&format!("writable{suffix}.db"));
            let file = PathBuf::from(format!("{}{suffix}", path.display()));
            fs::set_permissions(&file, Permissions::from_mode(0o620)).unwrap();
            assert_unused(path, "other users may write to it");
        }
        for (link_id, count) in [(1, -5), (1, 0), (1, i64::MAX), (-1, 1)] {
            let path = directory.path().join(format!("{link_id}{count}.db"));
            let journal = ClickJournal::new(path.clone());
            journal.add(1, &[LinkClicks { link_id, count }]).unwrap();
            for _ in 0..2 {
                let error = journal.next_batch().unwrap_err().to_string();
                assert!(error.contains("cannot be") && error.contains("journal"), "{error}");
            }
        }
    }
}
