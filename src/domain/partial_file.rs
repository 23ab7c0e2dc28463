//! New files that get their names only when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

use crate::store::with_suffix;

/// End of the names of incomplete files.
pub const SUFFIX: &str = ".partial";

/// A new file, whose name ends in [`SUFFIX`] until it is complete. Dropping an incomplete file
/// deletes it; a killed process leaves it behind.
///
/// Only the file's owner can read it. While the process runs, no other process can replace or
/// delete the file by means of this module.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
    file: File,
}

impl PartialFile {
    /// Creates the incomplete file, or replaces the one of a killed process.
    ///
    /// # Errors
    /// If `path` exists, another process writes the same file, or the directory is not writable.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        if path.symlink_metadata().is_ok() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists"));
        }
        let partial = with_suffix(&path, SUFFIX);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&partial)?;
        // Without a lock, for example on a network file system, only the names protect the file.
        if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
            || !is_same(&file, &partial)
        {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                format!("another process is writing {}", partial.display()),
            ));
        }
        file.set_len(0)?;
        Ok(Self { path, partial, file })
    }

    /// Returns the name that the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the current name of the file.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    /// Returns the open file, for writing.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Gives the complete file its name. When this function returns, the file is durable across a
    /// power loss.
    ///
    /// # Errors
    /// If a file has this name already, or the disk fails.
    pub fn complete(self) -> io::Result<()> {
        self.file.sync_all()?;
        match renameat_with(CWD, &self.partial, CWD, &self.path, RenameFlags::NOREPLACE) {
            // Some file systems cannot refuse to replace a file.
            Err(Errno::INVAL | Errno::NOSYS) => fs::rename(&self.partial, &self.path)?,
            renamed => renamed?,
        }
        File::open(directory_of(&self.path))?.sync_all()
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // This fails if the file is complete, because it then has another name.
        let _ = fs::remove_file(&self.partial);
    }
}

/// Deletes an incomplete file that no process writes any more. Returns whether the file is gone.
///
/// # Errors
/// If the file cannot be deleted.
pub fn remove_abandoned(partial: &Path) -> io::Result<bool> {
    let file = OpenOptions::new().write(true).open(partial)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
        return Ok(false);
    }
    fs::remove_file(partial)?;
    Ok(true)
}

/// Deletes a file. It is not an error if the file is gone.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Returns the directory of a file, which is `.` if the path is only a file name.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns whether the path still leads to the open file. Its writer may have completed it in the
/// meantime.
fn is_same(file: &File, path: &Path) -> bool {
    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    let opened = file.metadata().map(identity).ok();
    opened.is_some() && opened == path.symlink_metadata().map(identity).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn file_has_its_name_only_when_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let partial = PartialFile::create(path.clone()).unwrap();
        partial.file().write_all(b"content").unwrap();
        assert!(!path.exists());
        partial.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"content");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        assert!(PartialFile::create(path).is_err(), "it exists");
    }

    #[test]
    fn file_in_progress_is_protected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let partial = PartialFile::create(path.clone()).unwrap();
        assert!(PartialFile::create(path.clone()).is_err());
        assert!(!remove_abandoned(partial.partial_path()).unwrap());
        let abandoned = partial.partial_path().to_owned();
        drop(partial);
        assert!(!abandoned.exists());
        fs::write(&abandoned, "rest").unwrap();
        let replaced = PartialFile::create(path).unwrap();
        assert_eq!(replaced.file().metadata().unwrap().len(), 0);
        drop(replaced);
        fs::write(&abandoned, "rest").unwrap();
        assert!(remove_abandoned(&abandoned).unwrap());
    }
}
