//! The spool directory and the operations on its files.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Beginning of the names of all files.
pub(super) const PREFIX: &str = "terse-clicks-";

/// The spool directory is missing, or this process cannot read or write it.
#[derive(Debug, thiserror::Error)]
#[error("the spool directory {} must exist, and be readable and writable: {error}", path.display())]
pub struct SpoolDirectoryError {
    path: PathBuf,
    error: io::Error,
}

/// Returns the paths of the spool's files whose names end with this, sorted by name. A missing
/// directory has none.
pub(super) fn files_ending_in(
    directory: &Path,
    suffix: &str,
) -> Result<Vec<PathBuf>, SpoolDirectoryError> {
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

/// Deletes a file. It is not an error if another instance has already deleted the file.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Flushes the names of a directory's files to disk. If this fails, they exist nevertheless, and only a
/// power loss can undo the last changes. Some file systems cannot flush a directory.
pub(super) fn flush(directory: &Path) {
    if let Err(error) = File::open(directory).and_then(|directory| directory.sync_all()) {
        let directory = directory.display();
        tracing::debug!(%directory, %error, "the spool directory cannot be flushed");
    }
}
