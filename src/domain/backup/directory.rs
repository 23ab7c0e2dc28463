//! The directory of backups: names, leftovers of interrupted backups, and retention.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rustix::fs::{Access, Mode, OFlags, access};

use super::{BackupError, manifest_path};
use crate::domain::partial_file::{self, remove_abandoned, remove_file};
use crate::store::free_space;
use crate::values::Timestamp;

const PREFIX: &str = "terse-";
const SUFFIX: &str = ".db";
/// Form of the time in a name. Each letter except `T` and `Z` stands for a digit.
const TIME: &str = "YYYYMMDDTHHMMSS.mmmZ";

/// A directory that exists and in which this process can create files.
#[derive(Debug, Clone)]
pub struct BackupDirectory {
    path: PathBuf,
}

impl BackupDirectory {
    /// Checks that the directory can be used.
    ///
    /// # Errors
    /// [`BackupError::Directory`]
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        let directory = Self { path: path.to_owned() };
        let opened = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, opened, Mode::empty())
            .and_then(|_| access(path, Access::WRITE_OK | Access::EXEC_OK))
            .map_err(|error| directory.error(error.into()))?;
        Ok(directory)
    }

    /// Fails if the disk has not enough space for `needed` bytes.
    pub(super) fn check_space(&self, needed: u64) -> Result<(), BackupError> {
        let free = free_space(&self.path).map_err(|error| self.error(error))?;
        if free >= needed {
            return Ok(());
        }
        Err(BackupError::DiskFull { directory: self.path.clone(), free, needed })
    }

    /// Returns an unused path for a backup that begins at `now`.
    pub(super) fn new_path(&self, now: Timestamp) -> PathBuf {
        let mut time = now;
        loop {
            let text: String =
                time.to_millis_text().chars().filter(|c| !matches!(c, '-' | ':')).collect();
            let path = self.path.join(format!("{PREFIX}{text}{SUFFIX}"));
            if path.symlink_metadata().is_err() && manifest_path(&path).symlink_metadata().is_err()
            {
                return path;
            }
            time = time.plus(std::time::Duration::from_millis(1));
        }
    }

    /// Deletes what interrupted backups have left. It keeps the files of backups in progress.
    pub(super) fn remove_leftovers(&self) -> Result<(), BackupError> {
        let names = self.names().map_err(|error| self.error(error))?;
        let mut in_progress = BTreeSet::new();
        for name in &names {
            let Some(stem) = backup_name_of(name) else { continue };
            let path = self.path.join(name);
            if name.ends_with(partial_file::SUFFIX)
                && !remove_abandoned(&path).map_err(BackupError::of_file(&path))?
            {
                in_progress.insert(stem);
            }
        }
        for name in &names {
            let Some(stem) = backup_name_of(name).filter(|stem| !in_progress.contains(stem)) else {
                continue;
            };
            // SQLite's log of an incomplete file, and a manifest without its backup.
            let is_log = name.contains(partial_file::SUFFIX);
            let is_orphan = name.ends_with(".json") && !names.contains(&stem);
            if is_log || is_orphan {
                self.remove(name)?;
            }
        }
        Ok(())
    }

    /// Deletes all complete backups but the new one and the `keep - 1` newest others, and returns
    /// the names of the deleted ones.
    pub(super) fn retain(&self, new: &Path, keep: u32) -> Result<Vec<String>, BackupError> {
        let names = self.names().map_err(|error| self.error(error))?;
        let is_backup = |name: &&String| {
            name.ends_with(SUFFIX)
                && backup_name_of(name).is_some()
                && names.contains(&*manifest_path(Path::new(name)).to_string_lossy())
                && new.file_name().is_some_and(|new| new != name.as_str())
        };
        let older: Vec<&String> = names.iter().filter(is_backup).collect();
        let surplus = (older.len() + 1).saturating_sub(usize::try_from(keep).unwrap_or(usize::MAX));
        let mut removed = Vec::new();
        for name in older.into_iter().take(surplus) {
            // The backup goes before its manifest, so that no backup is ever without one.
            self.remove(name)?;
            let manifest = manifest_path(Path::new(name));
            self.remove(&manifest.to_string_lossy())?;
            removed.push(name.clone());
        }
        Ok(removed)
    }

    /// Returns the names of all files in ascending order, which is the order of time for backups.
    fn names(&self) -> io::Result<BTreeSet<String>> {
        let entries = fs::read_dir(&self.path)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn remove(&self, name: &str) -> Result<(), BackupError> {
        let path = self.path.join(name);
        remove_file(&path).map_err(BackupError::of_file(&path))
    }

    fn error(&self, error: io::Error) -> BackupError {
        BackupError::Directory { path: self.path.clone(), error }
    }
}

/// Returns the name of the backup to which a file with this name belongs. Returns `None` if the
/// name does not have the form of a backup or a manifest.
fn backup_name_of(name: &str) -> Option<String> {
    let time = name.strip_prefix(PREFIX)?.get(..TIME.len())?;
    let rest = &name[PREFIX.len() + TIME.len()..];
    let fits = time.bytes().zip(TIME.bytes()).all(|(byte, form)| match form {
        b'T' | b'.' | b'Z' => byte == form,
        _ => byte.is_ascii_digit(),
    });
    let is_own = [SUFFIX, ".json"].iter().any(|suffix| {
        rest.strip_prefix(suffix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(partial_file::SUFFIX))
    });
    (fits && is_own).then(|| format!("{PREFIX}{time}{SUFFIX}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::partial_file::PartialFile;

    const OLD: &str = "terse-20261124T030000.000Z";
    const NEW: &str = "terse-20261125T030000.000Z";

    fn directory_with(names: &[&str]) -> (tempfile::TempDir, BackupDirectory) {
        let directory = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(directory.path().join(name), name).unwrap();
        }
        let opened = BackupDirectory::open(directory.path()).unwrap();
        (directory, opened)
    }

    fn names(directory: &BackupDirectory) -> Vec<String> {
        directory.names().unwrap().into_iter().collect()
    }

    #[test]
    fn leftovers_are_removed_and_other_files_stay() {
        let leftovers = [
            &format!("{NEW}.db.partial"),
            &format!("{NEW}.db.partial-wal"),
            &format!("{NEW}.json"),
            &format!("{OLD}.json.partial"),
        ];
        let others =
            [&format!("{OLD}.db"), &format!("{OLD}.json"), "notes.partial", "terse-x.json"];
        let (_files, directory) = directory_with(&leftovers.map(String::as_str));
        directory.remove_leftovers().unwrap();
        assert_eq!(names(&directory), Vec::<String>::new());
        let (_files, directory) = directory_with(&others);
        directory.remove_leftovers().unwrap();
        assert_eq!(names(&directory).len(), others.len());
    }

    #[test]
    fn backup_in_progress_stays() {
        let (files, directory) = directory_with(&[&format!("{NEW}.json")]);
        let partial = PartialFile::create(files.path().join(format!("{NEW}.db"))).unwrap();
        directory.remove_leftovers().unwrap();
        assert_eq!(names(&directory).len(), 2);
        drop(partial);
        directory.remove_leftovers().unwrap();
        assert_eq!(names(&directory).len(), 0);
    }

    #[test]
    fn new_backup_survives_a_clock_that_was_set_back() {
        let all = [OLD, NEW].map(|stem| [format!("{stem}.db"), format!("{stem}.json")]).concat();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let (files, directory) = directory_with(&all);
        directory.retain(&files.path().join(format!("{OLD}.db")), 1).unwrap();
        assert_eq!(names(&directory), [format!("{OLD}.db"), format!("{OLD}.json")]);
    }
}
