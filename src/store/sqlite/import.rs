//! Many links at once, on a connection without a thread of its own, in transactions so small that
//! whoever else writes to the file does not wait long.

use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Sqlite;
use super::connection::{Opener, transaction};
use super::file::OpenFile;
use crate::store::StoreError;
use crate::store::import::{Fate, ROOM, Wanted};

/// How long to wait for others who write: a server under load does it all the time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// Links a transaction while nobody else writes, and how long others have between two.
const ROWS_ALONE: usize = 2_000;
const PAUSE_ALONE: Duration = Duration::from_millis(1);
/// Links a transaction while others write, who then have three times as long as it took: a process
/// that is interrupted in its transaction on a busy machine keeps everybody waiting.
const ROWS_BESIDE: usize = 100;
const SHARE_BESIDE: u32 = 3;
const PAUSES_BESIDE: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(50)];
/// How long after another's last write it counts as writing.
const BESIDE: Duration = Duration::from_secs(1);
/// Links after which the log is moved into the file.
const ROWS_CHECKPOINT: usize = 20_000;
/// Memory for pages, in KiB: links with random codes touch pages all over the index.
const CACHE: i64 = 65_536;

/// Where the links of one owner go.
#[derive(Debug)]
pub(in crate::store) struct Importer {
    file: OpenFile,
    connection: Connection,
    owner_id: i64,
    /// What tells that another connection has written.
    version: i64,
    others_until: Option<Instant>,
    since_checkpoint: usize,
}

impl Sqlite {
    pub(in crate::store) fn importer(&self, owner_id: i64) -> Result<Importer, StoreError> {
        let file = self.shared.file.clone();
        let connection = open(&self.shared.opener)?;
        let version = version(&connection)?;
        let (others_until, since_checkpoint) = (None, 0);
        Ok(Importer { file, connection, owner_id, version, others_until, since_checkpoint })
    }
}

impl Importer {
    pub(in crate::store) async fn put(
        &mut self,
        links: &[Wanted],
    ) -> Result<Vec<Fate>, StoreError> {
        if self.since_checkpoint >= ROWS_CHECKPOINT {
            self.since_checkpoint = 0;
            checkpoint(&self.connection)?;
        }
        let version = version(&self.connection)?;
        if version != self.version {
            self.version = version;
            self.others_until = Some(Instant::now() + BESIDE);
        }
        let is_beside = self.others_until.is_some_and(|until| Instant::now() < until);
        let rows = if is_beside { ROWS_BESIDE } else { ROWS_ALONE };
        let links = &links[..rows.min(links.len())];
        self.file.check()?;
        let begun = Instant::now();
        let fates = self.transaction(links)?;
        let took = begun.elapsed();
        self.since_checkpoint += links.len();
        let [least, most] = PAUSES_BESIDE;
        let pause_beside = (took * SHARE_BESIDE).clamp(least, most);
        tokio::time::sleep(if is_beside { pause_beside } else { PAUSE_ALONE }).await;
        Ok(fates)
    }

    /// What was committed is with the operating system; flushing the log once makes all of it last.
    pub(in crate::store) async fn finish(self) -> Result<(), StoreError> {
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection
            .execute("UPDATE owners SET link_count = link_count WHERE id = ?1", [self.owner_id])?;
        checkpoint(&self.connection)?;
        // What went into another's place is not there.
        self.file.check()
    }

    fn transaction(&self, links: &[Wanted]) -> rusqlite::Result<Vec<Fate>> {
        transaction(&self.connection, |db| insert_all(db, self.owner_id, links))
    }
}

fn open(opener: &Opener) -> rusqlite::Result<Connection> {
    let connection = opener.open(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    // The owner is looked up in the same transaction.
    connection.pragma_update(None, "foreign_keys", false)?;
    Ok(connection)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_one([], |row| row.get(0))
}

/// As far as readers let it.
fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

fn insert_all(
    connection: &Connection,
    owner_id: i64,
    links: &[Wanted],
) -> rusqlite::Result<Vec<Fate>> {
    let room: i64 = connection.prepare_cached(ROOM)?.query_one([owner_id], |row| row.get(0))?;
    let mut made = 0;
    let mut fates = Vec::with_capacity(links.len());
    for link in links {
        let is_made = made < room && insert(connection, owner_id, link)?;
        made += i64::from(is_made);
        let fate = if is_made { Fate::Made } else { fate(connection, owner_id, link)? };
        fates.push(fate);
    }
    if made > 0 {
        connection
            .prepare_cached("UPDATE owners SET link_count = link_count + ?1 WHERE id = ?2")?
            .execute([made, owner_id])?;
    }
    Ok(fates)
}

/// False where somebody has the code.
fn insert(connection: &Connection, owner_id: i64, link: &Wanted) -> rusqlite::Result<bool> {
    let Wanted { code, destination, title, campaign, clicks, is_active, has_qr, created_at } = link;
    let inserted = connection
        .prepare_cached(
            "INSERT INTO links (owner_id, short_code, destination_url, title, campaign, is_active,
                 has_qr, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (short_code) DO NOTHING",
        )?
        .execute(params![
            owner_id,
            code.as_str(),
            destination,
            title,
            campaign,
            is_active,
            has_qr,
            created_at.millis()
        ])?;
    if inserted > 0 && *clicks > 0 {
        connection
            .prepare_cached("INSERT INTO click_counts (link_id, count) VALUES (?1, ?2)")?
            .execute([connection.last_insert_rowid(), *clicks])?;
    }
    Ok(inserted > 0)
}

/// What becomes of a link that was not made.
fn fate(connection: &Connection, owner_id: i64, link: &Wanted) -> rusqlite::Result<Fate> {
    let is_same: Option<bool> = connection
        .prepare_cached(
            "SELECT owner_id = ?1 AND destination_url = ?2 FROM links WHERE short_code = ?3",
        )?
        .query_one(params![owner_id, link.destination, link.code.as_str()], |row| row.get(0))
        .optional()?;
    Ok(match is_same {
        Some(true) => Fate::Known,
        Some(false) => Fate::Taken,
        None => Fate::NoPlace,
    })
}
