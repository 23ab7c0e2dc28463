//! The file that rejected rows are written to.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::cli::error::CommandError;
use crate::store::DatabaseUrl;

/// A rejects file before its first row.
pub(super) struct RejectsFile {
    pub(super) file: File,
    pub(super) path: PathBuf,
    /// Whether this command created the file.
    pub(super) is_new: bool,
}

impl RejectsFile {
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        // The rows contain destinations, which may be secret.
        match File::options().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => Ok(Self { file, path, is_new: true }),
            // An existing file is truncated only when the import begins.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut options = File::options();
                // Elsewhere, another user may have placed the link.
                if !is_stream(&path) {
                    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
                    options.custom_flags(flags);
                }
                let file = options.write(true).open(&path).map_err(|error| {
                    let is_link = error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
                    if is_link { io::Error::other("it is a symbolic link") } else { error }
                })?;
                Ok(Self { file, path, is_new: false })
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns whether the system provides the path as a link to what the process has open.
fn is_stream(path: &Path) -> bool {
    path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd")
}

/// Checks that the rejects file would overwrite neither the database nor the input.
pub(super) fn check_rejects(
    rejects: &Path,
    input: &Path,
    database: &DatabaseUrl,
) -> Result<(), CommandError> {
    // `-` would mean standard output, where the summary goes.
    if rejects.as_os_str() == "-" {
        let advice = "--rejects needs a file name; write `./-` for a file of that name";
        return Err(CommandError::Usage(advice.to_owned()));
    }
    let fail = |what| {
        let rejects = rejects.display();
        let text = format!("{rejects} is {what}; write rejected rows to another file");
        Err(CommandError::Usage(text))
    };
    // The database may create some of its files later.
    let is_database = |file: &PathBuf| {
        full_path(file).is_some_and(|file| Some(file) == full_path(rejects))
            || is_same(rejects, std::fs::metadata(file))
    };
    if database.files().iter().any(is_database) {
        return fail("a file of the database");
    }
    let input = if input.as_os_str() == "-" {
        io::stdin().as_fd().try_clone_to_owned().and_then(|input| File::from(input).metadata())
    } else {
        std::fs::metadata(input)
    };
    if is_same(rejects, input) { fail("the file to import") } else { Ok(()) }
}

/// Returns the absolute path of a file, which does not have to exist, or `None` if its directory
/// does not exist.
fn full_path(file: &Path) -> Option<PathBuf> {
    let directory = std::path::absolute(file).ok()?.parent()?.canonicalize().ok()?;
    Some(directory.join(file.file_name()?))
}

/// Returns whether `path` leads, even through links, to the file with this metadata.
fn is_same(path: &Path, file: io::Result<Metadata>) -> bool {
    let identity = |data: Metadata| data.is_file().then(|| (data.dev(), data.ino()));
    let [path, file] = [std::fs::metadata(path), file].map(|data| data.ok().and_then(identity));
    path.is_some() && path == file
}
