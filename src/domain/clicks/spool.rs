//! Spool files with clicks that a server has not stored. During an outage, a server keeps its file up
//! to date and locks it. After the server has ended, its next start stores the clicks, or another
//! server of the same database does so. While the database is a standby, clicks are in a journal in
//! the same directory instead. This module also has the operations on the files of the directory.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;

use super::spool_file::{BatchPlace, SpoolFile, SpoolFileError};
use crate::domain::partial_file::remove_file;
use crate::store::clicks::{Batch, LinkClicks};
use crate::store::{ClickJournal, Store, StoreError, links};
use crate::values::Timestamp;

const SUFFIX: &str = ".json";
/// Endings of files that exist for moments, unless their server is killed.
const SHORT_LIVED: [&str; 2] = [".tmp", ".trial"];
/// Age in milliseconds from which such a file is a leftover.
const MAX_AGE: i64 = 60 * 60 * 1_000;
/// Beginning of the names of all files.
pub(super) const PREFIX: &str = "terse-clicks-";

/// The spool files and the journal of one database.
#[derive(Debug)]
pub struct Spool {
    directory: PathBuf,
    installation_id: String,
    own_file: Mutex<OwnFile>,
    journal: ClickJournal,
    /// The files that stay, each with the time of its last change when the log reported it.
    staying: Mutex<HashMap<PathBuf, ChangeTime>>,
}

/// The file of this server.
#[derive(Debug, Default)]
struct OwnFile {
    /// Its path, once the server has written it.
    path: Option<PathBuf>,
    /// The same file, locked so that no other server stores its clicks while this one runs.
    locked: Option<File>,
}

/// Seconds and nanoseconds.
type ChangeTime = (i64, i64);

impl Spool {
    /// Creates the spool in `directory` for the database with this secret.
    pub fn new(directory: PathBuf, secret: &str) -> Self {
        let installation_id = installation_id(secret);
        let journal = ClickJournal::new(directory.join(format!("{PREFIX}{installation_id}.db")));
        Self {
            directory,
            installation_id,
            journal,
            own_file: Mutex::default(),
            staying: Mutex::default(),
        }
    }

    /// Returns the directory of the spool files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the journal in the same directory.
    pub fn journal(&self) -> &ClickJournal {
        &self.journal
    }

    /// Writes the clicks that this server has not stored into its file, in place of an earlier version.
    /// No server stores them while this one runs.
    ///
    /// # Errors
    /// If the directory cannot be written to. An earlier version then stays.
    pub(super) fn save(&self, batches: &[Batch]) -> io::Result<()> {
        let mut own = self.own_file.lock();
        let file = self.replace(&mut own, BatchPlace::Database, batches, File::try_lock)?;
        // The lock of the earlier version ends only now.
        own.locked = Some(file);
        Ok(())
    }

    /// Deletes the file of this server.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub(super) fn discard(&self) -> io::Result<()> {
        let mut own = self.own_file.lock();
        if let Some(path) = &own.path {
            remove_file(path)?;
            // The database may forget the producer now, so the file must not come back.
            flush(&self.directory);
        }
        own.locked = None;
        Ok(())
    }

    /// Writes batches that belong into this place into the file of this server, flushes it to disk,
    /// and returns its path. Any server may then store the clicks. The next file of this server is
    /// another one.
    ///
    /// # Errors
    /// If the directory cannot be written to.
    pub fn write(&self, place: BatchPlace, batches: &[Batch]) -> io::Result<PathBuf> {
        let mut own = self.own_file.lock();
        self.replace(&mut own, place, batches, |_| Ok(()))?;
        let path = std::mem::take(&mut *own).path;
        Ok(path.unwrap_or_default())
    }

    /// Writes the file of this server, locked by `lock`, and flushes it to disk.
    fn replace(
        &self,
        own: &mut OwnFile,
        place: BatchPlace,
        batches: &[Batch],
        lock: impl FnOnce(&File) -> Result<(), TryLockError>,
    ) -> io::Result<File> {
        let producer_id = batches.first().map_or(0, |batch| batch.producer_id);
        let name = || self.directory.join(format!("{PREFIX}{producer_id:016x}{SUFFIX}"));
        let path = &*own.path.get_or_insert_with(name);
        let content = SpoolFile::new(&self.installation_id, place, batches)?;
        // The file gets its final name only when it is complete.
        let unfinished = path.with_extension("tmp");
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        let written = lock(&file).map_err(io::Error::from).and_then(|()| {
            content.write_to(&mut file)?;
            file.sync_all()?;
            fs::rename(&unfinished, path)
        });
        if let Err(error) = written {
            // The file would take up space on a full disk.
            let _ = remove_file(&unfinished);
            return Err(error);
        }
        // Another server may read the file from now on, so this must not fail any more.
        flush(&self.directory);
        Ok(file)
    }

    /// Stores the clicks of all spool files of this installation, and deletes the files.
    ///
    /// The clicks of a file count only once, even if two instances read the file, or an instance is
    /// killed meanwhile. A file that is unreadable or belongs to another installation stays, and
    /// the log reports it.
    ///
    /// # Errors
    /// If the database fails. Files whose clicks were not stored stay.
    pub async fn restore(&self, store: &Store) -> Result<(), StoreError> {
        let files = match self.prepare().await.and_then(|()| self.files()) {
            Ok(files) => files,
            // The clicks of a file that cannot be deleted would count again once the database has
            // forgotten the producer.
            Err(error) => {
                let directory = self.directory.display();
                tracing::error!(%directory, %error, "the spool directory cannot be used");
                return Ok(());
            }
        };
        for path in files {
            let Some(changed) = change_time(&path) else { continue };
            if self.is_staying(&path, changed) {
                continue;
            }
            let file = path.display();
            match SpoolFile::read(&path) {
                Ok(content) if content.installation_id == self.installation_id => {
                    self.restore_file(store, &path, content).await?;
                    continue;
                }
                Ok(_) => {
                    tracing::warn!(%file, "spool file belongs to another database; it stays there");
                }
                Err(SpoolFileError::InUse) => continue,
                // Another instance has stored the clicks and deleted the file.
                Err(SpoolFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::error!(%file, %error, "spool file cannot be used; it stays there");
                }
            }
            self.note_staying(path, changed);
        }
        Ok(())
    }

    /// Stores the batches of a file and deletes it.
    async fn restore_file(
        &self,
        store: &Store,
        path: &Path,
        content: SpoolFile,
    ) -> Result<(), StoreError> {
        let (file, place) = (path.display(), content.place());
        let (mut count, mut orphans) = (0, 0);
        for batch in content.into_batches() {
            match place {
                BatchPlace::Database => {
                    let stored = append_once(store, batch).await?;
                    (count, orphans) = (count + stored.clicks, orphans + stored.orphans);
                }
                BatchPlace::Journal => {
                    let Batch { producer_id, sequence, clicks } = batch;
                    self.journal.add_of(producer_id, sequence, &clicks)?;
                    count += sum(&clicks);
                }
            }
        }
        warn_of_orphans(path, orphans);
        match remove_file(path) {
            Ok(()) => tracing::info!(%file, clicks = count, "spooled clicks stored"),
            Err(error) => {
                tracing::warn!(%file, %error, "spooled clicks are stored, but their file cannot be deleted");
            }
        }
        Ok(())
    }

    /// Checks the directory, and deletes what killed servers have left in it, on a thread that may
    /// wait for the disk. On a full disk, such a file is empty.
    async fn prepare(&self) -> Result<(), SpoolDirectoryError> {
        let directory = self.directory.clone();
        let prepare = move || {
            check_directory(&directory)?;
            let now = Timestamp::now().millis();
            for suffix in SHORT_LIVED {
                for path in files_ending_in(&directory, suffix)? {
                    let modified =
                        fs::symlink_metadata(&path).map(|metadata| metadata.mtime() * 1_000);
                    if modified.is_ok_and(|modified| modified < now - MAX_AGE) {
                        // If this fails, the next start tries again.
                        let _ = remove_file(&path);
                    }
                }
            }
            Ok(())
        };
        spawn_blocking(prepare).await.unwrap_or(Ok(()))
    }

    fn is_staying(&self, path: &Path, changed: ChangeTime) -> bool {
        let staying = self.staying.lock();
        staying.get(path) == Some(&changed)
    }

    fn note_staying(&self, path: PathBuf, changed: ChangeTime) {
        let mut staying = self.staying.lock();
        staying.insert(path, changed);
    }

    /// Returns the paths of all spool files in the directory, sorted by name.
    ///
    /// # Errors
    /// If the directory exists, but cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>, SpoolDirectoryError> {
        files_ending_in(&self.directory, SUFFIX)
    }

    /// Returns the same paths, and that of the journal if it exists: whatever has clicks that the database
    /// lacks.
    ///
    /// # Errors
    /// If the directory exists, but cannot be read.
    pub fn all_files(&self) -> Result<Vec<PathBuf>, SpoolDirectoryError> {
        let mut files = self.files()?;
        let journal = self.journal.path();
        if journal.exists() {
            files.push(journal.to_owned());
        }
        Ok(files)
    }
}

/// Returns the installation ID: the first 16 hexadecimal digits of the SHA-256 hash of the secret.
fn installation_id(secret: &str) -> String {
    Sha256::digest(secret)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns when a file was last changed, or `None` if it is gone.
fn change_time(path: &Path) -> Option<ChangeTime> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.ctime(), metadata.ctime_nsec()))
}

/// Numbers of the clicks of a batch.
pub(super) struct Stored {
    /// Clicks that the database has.
    pub(super) clicks: i64,
    /// Clicks of links that the database lacks.
    pub(super) orphans: i64,
}

/// Stores a batch that may be stored already.
pub(super) async fn append_once(store: &Store, mut batch: Batch) -> Result<Stored, StoreError> {
    let orphans = remove_orphans(store, &mut batch).await?;
    store.append_once(&batch).await?;
    Ok(Stored { clicks: sum(&batch.clicks), orphans })
}

/// Logs that clicks of this file were dropped.
pub(super) fn warn_of_orphans(path: &Path, clicks: i64) {
    if clicks > 0 {
        let file = path.display();
        tracing::warn!(
            %file,
            clicks,
            "clicks of missing links are dropped; the database may be an older copy"
        );
    }
}

/// Removes the clicks of links that do not exist, and returns their number. In a database restored
/// from a backup, new links will get the identifiers of these links.
async fn remove_orphans(store: &Store, batch: &mut Batch) -> Result<i64, StoreError> {
    let ids: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.link_id).collect();
    let existing = links::existing(store.reader(), &ids).await?;
    let before = sum(&batch.clicks);
    batch.clicks.retain(|clicks| existing.contains(&clicks.link_id));
    Ok(before - sum(&batch.clicks))
}

fn sum(clicks: &[LinkClicks]) -> i64 {
    clicks.iter().map(|clicks| clicks.count).sum()
}

/// The spool directory is missing, or this process cannot read or write it.
#[derive(Debug, thiserror::Error)]
#[error("the spool directory {} must exist, and be readable and writable: {error}", path.display())]
pub struct SpoolDirectoryError {
    path: PathBuf,
    error: io::Error,
}

/// Returns the paths of the spool's files whose names end with this, sorted by name. A missing
/// directory has none.
fn files_ending_in(directory: &Path, suffix: &str) -> Result<Vec<PathBuf>, SpoolDirectoryError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries,
    };
    let paths = entries.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> =
        paths.map_err(|error| SpoolDirectoryError { path: directory.to_owned(), error })?;
    let is_spool = |name: &str| name.starts_with(PREFIX) && name.ends_with(suffix);
    paths.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(is_spool));
    paths.sort();
    Ok(paths)
}

/// Checks that this process can create and delete files in a spool directory.
///
/// # Errors
/// If the directory is missing or not writable.
pub fn check_directory(directory: &Path) -> Result<(), SpoolDirectoryError> {
    let trial = directory.join(format!("{PREFIX}{}.trial", std::process::id()));
    let mut options = OpenOptions::new();
    let created = options.write(true).create(true).truncate(true).mode(0o600).open(&trial);
    created
        .and_then(|_| remove_file(&trial))
        .map_err(|error| SpoolDirectoryError { path: directory.to_owned(), error })
}

/// Flushes the names of a directory's files to disk. If this fails, they exist nevertheless, and only a
/// power loss can undo the last changes. Some file systems cannot flush a directory.
pub(super) fn flush(directory: &Path) {
    if let Err(error) = File::open(directory).and_then(|directory| directory.sync_all()) {
        let directory = directory.display();
        tracing::debug!(%directory, %error, "the spool directory cannot be flushed");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;
    use crate::domain::owners;
    use crate::store::clicks::LinkClicks;
    use crate::store::create_links::{CustomCodeRequest, NewLink};
    use crate::store::links::{LinkRef, NewProperties};
    use crate::values::{Destination, Name, ShortCode};

    fn batch(clicks: &[(i64, i64)]) -> Batch {
        let clicks = clicks.iter().map(|&(link_id, count)| LinkClicks { link_id, count });
        Batch { producer_id: 7, sequence: 1, clicks: clicks.collect() }
    }

    #[test]
    fn file_is_private_and_hides_the_secret() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_owned();
        let file = Spool::new(path, "the secret")
            .write(BatchPlace::Database, &[batch(&[(1, 2)])])
            .unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let content = fs::read_to_string(&file).unwrap();
        assert!(content.contains("\"installation_id\":\"368a693d784c7d19\""), "{content}");
        assert!(!content.contains("the secret"), "{content}");
    }

    #[tokio::test]
    async fn file_of_another_database_stays() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let path = directory.path().to_owned();
        let file = Spool::new(path.clone(), "one")
            .write(BatchPlace::Database, &[batch(&[(1, 2)])])
            .unwrap();
        Spool::new(path.clone(), "another").restore(&store).await.unwrap();
        assert!(file.exists());
        Spool::new(path, "one").restore(&store).await.unwrap();
        assert!(!file.exists());
    }

    #[tokio::test]
    async fn file_of_a_running_server_stays() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let spool = |path: &Path| Spool::new(path.to_owned(), "one");
        let (running, other) = (spool(directory.path()), spool(directory.path()));
        for count in [1, 2] {
            running.save(&[batch(&[(1, count)])]).unwrap();
            other.restore(&store).await.unwrap();
            assert_eq!(other.files().unwrap().len(), 1);
        }
        drop(running);
        other.restore(&store).await.unwrap();
        assert_eq!(other.files().unwrap().len(), 0);
    }

    /// Otherwise the next link of a database restored from a backup would get these clicks.
    #[tokio::test]
    async fn clicks_of_missing_links_are_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let (now, mut rng) = (Timestamp::now(), UnwrapErr(SysRng));
        let name = Name::parse("owner").unwrap();
        owners::add_first(&store, &name, now, &mut rng).await.unwrap();
        let destination = Destination::parse("https://example.org/").unwrap();
        let link = |rng: &mut UnwrapErr<SysRng>| NewLink {
            owner_id: 1,
            custom_code: CustomCodeRequest::None,
            demands_custom_code: false,
            generated_code: ShortCode::generate(rng),
            properties: NewProperties::new(destination.clone(), now),
            idempotent: None,
        };
        let (first, second) = (link(&mut rng), link(&mut rng));
        store.create_links(&[&first], None).await.unwrap();
        let spooled = tempfile::tempdir().unwrap();
        let spool = Spool::new(spooled.path().to_owned(), "secret");
        spool.write(BatchPlace::Database, &[batch(&[(1, 2), (2, 3)])]).unwrap();
        spool.restore(&store).await.unwrap();
        assert_eq!(spool.files().unwrap(), Vec::<PathBuf>::new());
        store.create_links(&[&second], None).await.unwrap();
        let mut counted = Vec::new();
        for link in [&first, &second] {
            let found = store
                .find_with_clicks(LinkRef { owner_id: Some(1), code: link.generated_code.clone() })
                .await
                .unwrap();
            counted.push(found.map(|found| (found.id, found.clicks)));
        }
        assert_eq!(counted, [Some((1, 2)), Some((2, 0))]);
    }
}
