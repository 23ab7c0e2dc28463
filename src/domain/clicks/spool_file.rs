//! The format of spool files.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::store::clicks::{Batch, LinkClicks};
use crate::store::{PrivateFileError, check_private};

const VERSION: u32 = 1;
/// Version of a file whose batches belong into the journal. Earlier programs leave it alone.
const JOURNAL_VERSION: u32 = 2;
/// Maximum size in bytes of a file. The clicks of 30 million links take less.
const MAX_BYTES: u64 = 1 << 30;

/// Where batches belong, because they may be there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchPlace {
    /// The database, which recognises their producer.
    #[default]
    Database,
    /// The journal in the same directory, which recognises their writer.
    Journal,
}

/// Content of a spool file.
#[derive(Serialize, Deserialize)]
pub(super) struct SpoolFile {
    version: u32,
    /// Identifier of the installation to which the links belong. Other databases have other links
    /// with the same identifiers.
    pub(super) installation_id: String,
    /// SHA-256 hash of `batches` in hexadecimal digits.
    sha256: String,
    batches: Vec<SpooledBatch>,
}

#[derive(Serialize, Deserialize)]
struct SpooledBatch {
    producer_id: i64,
    sequence: i64,
    /// Identifiers of links, each with its number of clicks.
    clicks: Vec<(i64, i64)>,
}

/// Reason why the clicks of a spool file are not stored.
#[derive(Debug, thiserror::Error)]
pub(super) enum SpoolFileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The server that writes the file is running.
    #[error("a running server uses it")]
    InUse,
    #[error(transparent)]
    Private(#[from] PrivateFileError),
    #[error("it is larger than 1 GiB")]
    TooLarge,
    #[error("it is incomplete or damaged: {0}")]
    Json(#[from] serde_json::Error),
    #[error("its version {0} is unknown")]
    Version(u32),
    #[error("its checksum is wrong")]
    Checksum,
    #[error("it contains a number of clicks or an identifier that cannot be")]
    Number,
}

impl SpoolFile {
    pub(super) fn new(
        installation_id: &str,
        place: BatchPlace,
        batches: &[Batch],
    ) -> io::Result<Self> {
        let batches = batches.iter().map(SpooledBatch::from).collect();
        let version = match place {
            BatchPlace::Database => VERSION,
            BatchPlace::Journal => JOURNAL_VERSION,
        };
        let installation_id = installation_id.to_owned();
        let mut file = Self { version, installation_id, sha256: String::new(), batches };
        file.sha256 = file.checksum()?;
        Ok(file)
    }

    pub(super) fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&serde_json::to_vec(self)?)
    }

    /// Reads a file. A file that another user could have written is not read, because its clicks
    /// would be counted.
    ///
    /// # Errors
    /// [`SpoolFileError`]
    pub(super) fn read(path: &Path) -> Result<Self, SpoolFileError> {
        let mut options = OpenOptions::new();
        // Opening a pipe would otherwise wait for a writer.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        let opened = options.read(true).custom_flags(flags).open(path)?;
        let metadata = opened.metadata()?;
        if is_in_use(&opened, &metadata, path)? {
            return Err(SpoolFileError::InUse);
        }
        check_private(&metadata)?;
        if metadata.len() > MAX_BYTES {
            return Err(SpoolFileError::TooLarge);
        }
        let mut bytes = Vec::new();
        opened.take(MAX_BYTES).read_to_end(&mut bytes)?;
        let file: Self = serde_json::from_slice(&bytes)?;
        file.check()?;
        Ok(file)
    }

    fn check(&self) -> Result<(), SpoolFileError> {
        if ![VERSION, JOURNAL_VERSION].contains(&self.version) {
            return Err(SpoolFileError::Version(self.version));
        }
        if self.sha256 != self.checksum()? {
            return Err(SpoolFileError::Checksum);
        }
        let all_valid = |batch: &SpooledBatch| {
            let clicks = batch.clicks.iter();
            let mut clicks = clicks.map(|&(link_id, count)| LinkClicks { link_id, count });
            batch.sequence > 0 && clicks.all(|clicks| clicks.is_possible())
        };
        if self.batches.iter().all(all_valid) { Ok(()) } else { Err(SpoolFileError::Number) }
    }

    fn checksum(&self) -> io::Result<String> {
        let hash = Sha256::digest(serde_json::to_vec(&self.batches)?);
        Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns where the batches belong.
    pub(super) fn place(&self) -> BatchPlace {
        if self.version == JOURNAL_VERSION { BatchPlace::Journal } else { BatchPlace::Database }
    }

    pub(super) fn into_batches(self) -> impl Iterator<Item = Batch> {
        self.batches.into_iter().map(Batch::from)
    }
}

/// Returns whether a running server has locked a file or replaced it by a new version.
fn is_in_use(file: &File, metadata: &Metadata, path: &Path) -> io::Result<bool> {
    // A running server uses no file on a file system that has no locks.
    if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Ok(true);
    }
    // The server releases the lock of a version only after it has replaced it.
    let current = std::fs::symlink_metadata(path)?;
    Ok((current.dev(), current.ino()) != (metadata.dev(), metadata.ino()))
}

impl From<&Batch> for SpooledBatch {
    fn from(batch: &Batch) -> Self {
        let Batch { producer_id, sequence, clicks } = batch;
        let clicks = clicks.iter().map(|clicks| (clicks.link_id, clicks.count)).collect();
        Self { producer_id: *producer_id, sequence: *sequence, clicks }
    }
}

impl From<SpooledBatch> for Batch {
    fn from(SpooledBatch { producer_id, sequence, clicks }: SpooledBatch) -> Self {
        let clicks = clicks.into_iter().map(|(link_id, count)| LinkClicks { link_id, count });
        Self { producer_id, sequence, clicks: clicks.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::store::clicks::MAX_CLICKS;

    fn written(directory: &Path, count: i64) -> std::path::PathBuf {
        let batch =
            Batch { producer_id: 7, sequence: 1, clicks: vec![LinkClicks { link_id: 1, count }] };
        let path = directory.join("file");
        let mut output = OpenOptions::new();
        let mut output =
            output.write(true).create(true).truncate(true).mode(0o600).open(&path).unwrap();
        SpoolFile::new("id", BatchPlace::Database, &[batch])
            .unwrap()
            .write_to(&mut output)
            .unwrap();
        path
    }

    fn read_error(path: &Path) -> String {
        SpoolFile::read(path).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn file_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 5);
        let batches: Vec<Batch> = SpoolFile::read(&path).unwrap().into_batches().collect();
        let clicks = vec![LinkClicks { link_id: 1, count: 5 }];
        assert_eq!(batches, [Batch { producer_id: 7, sequence: 1, clicks }]);
    }

    #[test]
    fn each_changed_byte_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 5);
        let bytes = fs::read(&path).unwrap();
        let intact = SpoolFile::read(&path).unwrap();
        for position in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= 1;
            fs::write(&path, &changed).unwrap();
            // The installation ID has no checksum: with another one, the file belongs to another
            // database.
            if let Ok(file) = SpoolFile::read(&path) {
                assert_ne!(file.installation_id, intact.installation_id, "byte {position}");
            }
            fs::write(&path, &bytes[..position]).unwrap();
            assert!(SpoolFile::read(&path).is_err(), "{position} bytes");
        }
    }

    #[test]
    fn deep_and_repeated_content_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 5);
        let start = r#"{"version":1,"installation_id":"id","sha256":"","batches":["#;
        for piece in
            ["[", "{\"a\":", "[[", "\"", "\\", "1", "1,", "{", "\"a\":[],", "\u{feff}", "\0"]
        {
            for start in ["", "{\"a\":", start] {
                fs::write(&path, start.to_owned() + &piece.repeat(300_000)).unwrap();
                assert!(SpoolFile::read(&path).is_err(), "{start}{piece}");
            }
        }
    }

    #[test]
    fn impossible_numbers_of_clicks_are_rejected() {
        let directory = tempfile::tempdir().unwrap();
        for count in [-999, 0, MAX_CLICKS + 1] {
            let path = written(directory.path(), count);
            assert!(read_error(&path).contains("cannot be"), "{count}");
        }
    }

    #[test]
    fn only_private_regular_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 5);
        fs::set_permissions(&path, Permissions::from_mode(0o620)).unwrap();
        assert_eq!(read_error(&path), "other users may write to it");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let link = directory.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(SpoolFile::read(&link).is_err());
        let pipe = directory.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert_eq!(read_error(&pipe), "it is not a regular file");
        assert_eq!(read_error(directory.path()), "it is not a regular file");
    }
}
