//! The block file. Its patterns are in force even without the database.

use std::fs::{self, OpenOptions};
use std::io::{self, BufReader};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::OFlags;
use tokio::time::{MissedTickBehavior, interval};

use super::blocklist::Blocklist;
use super::import::{DotlessHosts, read_patterns};
use super::pattern_list::{BlockRule, PatternList};
use crate::values::{Reason, ValidationError};

/// Interval between two checks of the file's stamp. A change must take effect within a second. A
/// program may still be writing a changed file, so the server usually reads it only after two checks
/// in a row have found the same stamp.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum number of invalid lines that the log reports one by one.
const MAX_LOGGED: usize = 20;
/// Maximum number of consecutive checks that find another change. The server then reads the file
/// anyway, so that even a file that changes all the time takes effect.
const MAX_UNSTABLE_POLLS: u32 = 5;
/// Source of the patterns of the block file. No list can be imported under this name.
pub const BLOCK_FILE_SOURCE: &str = "block-file";

/// Error of a block file that cannot be read when the server starts.
#[derive(Debug, thiserror::Error)]
#[error("the block file {path} cannot be read: {error}")]
pub struct BlockFileError {
    /// Path of the file.
    pub path: PathBuf,
    /// Error of the operating system.
    pub error: io::Error,
}

/// A block file whose patterns are in force.
#[derive(Debug)]
pub struct BlockFile {
    path: Arc<Path>,
    /// Stamp of the content that the server last read or tried to read.
    seen: Option<FileStamp>,
    /// Number of patterns in the first content.
    patterns: usize,
    /// Invalid lines of the first content.
    invalid_lines: InvalidLines,
}

/// Invalid lines of a block file.
#[derive(Debug, Default)]
struct InvalidLines {
    /// The first invalid lines, each with its number and the reason.
    first: Vec<(u64, String)>,
    /// Number of further invalid lines.
    more: u64,
}

impl InvalidLines {
    fn add(&mut self, line: u64, reason: &ValidationError) {
        if self.first.len() < MAX_LOGGED {
            self.first.push((line, reason.to_string()));
        } else {
            self.more += 1;
        }
    }

    fn log(&self, path: &Path) {
        let file = path.display();
        for (line, reason) in &self.first {
            tracing::warn!(%file, line, reason, "invalid line of the block file skipped");
        }
        if self.more > 0 {
            let lines = self.more;
            tracing::warn!(%file, lines, "further invalid lines of the block file skipped");
        }
    }
}

/// Properties of a file by which the server recognises that the content has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    fn from_path(path: &Path) -> io::Result<Self> {
        let data = fs::metadata(path)?;
        Ok(Self {
            device: data.dev(),
            inode: data.ino(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }
}

impl BlockFile {
    /// Reads a block file and puts its patterns in force.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path, blocklist: &Blocklist) -> Result<Self, BlockFileError> {
        let read = || {
            let stamp = FileStamp::from_path(path)?;
            Ok((stamp, read(path)?))
        };
        let (stamp, (list, invalid_lines)) =
            read().map_err(|error| BlockFileError { path: path.to_owned(), error })?;
        let patterns = list.count();
        blocklist.replace_file(list);
        Ok(Self { path: path.into(), seen: Some(stamp), patterns, invalid_lines })
    }

    /// Logs the number of patterns, and invalid lines.
    pub fn log(&self) {
        let file = self.path.display();
        tracing::info!(%file, patterns = self.patterns, "block file read");
        self.invalid_lines.log(&self.path);
    }

    /// Reads the file again whenever it changes. If the server cannot read it, the last patterns
    /// stay in force. It runs until it is dropped.
    pub async fn watch(self, blocklist: Arc<Blocklist>) {
        let Self { path, mut seen, .. } = self;
        let mut unstable_polls = 0;
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut previous = seen.clone();
        loop {
            ticks.tick().await;
            let stamp = FileStamp::from_path(&path).ok();
            unstable_polls = if stamp == previous { 0 } else { unstable_polls + 1 };
            previous.clone_from(&stamp);
            if stamp == seen || (1..MAX_UNSTABLE_POLLS).contains(&unstable_polls) {
                continue;
            }
            unstable_polls = 0;
            seen = stamp;
            let read_path = Arc::clone(&path);
            let list = tokio::task::spawn_blocking(move || read(&read_path)).await;
            let file = path.display();
            match list.map_err(io::Error::from).flatten() {
                Ok((list, invalid_lines)) => {
                    tracing::info!(%file, patterns = list.count(), "block file read again");
                    invalid_lines.log(&path);
                    let is_empty = list.count() == 0;
                    let before = blocklist.replace_file(list);
                    if is_empty && before > 0 {
                        tracing::warn!(
                            %file, before,
                            "the block file has no patterns any more; its blocks are lifted"
                        );
                    }
                }
                Err(error) => {
                    tracing::warn!(
                        %file, %error,
                        "the block file cannot be read; its last patterns stay in force"
                    );
                }
            }
        }
    }
}

/// Reads the patterns of a block file, and its invalid lines.
fn read(path: &Path) -> io::Result<(PatternList, InvalidLines)> {
    // Opening a pipe would otherwise wait for a writer.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut invalid_lines = InvalidLines::default();
    let input = BufReader::new(opened);
    let patterns = read_patterns(input, DotlessHosts::Accepted, |line, reason| {
        invalid_lines.add(line, reason);
    })?;
    if patterns.invalid > patterns.valid {
        return Err(io::Error::other("it has more invalid lines than patterns"));
    }
    let mut list = PatternList::new(Some(BLOCK_FILE_SOURCE), BlockRule::block(Reason::Other));
    patterns.parts.into_iter().for_each(|part| list.push_part(part));
    Ok((list, invalid_lines))
}
