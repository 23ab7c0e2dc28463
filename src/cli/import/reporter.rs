//! Reports an import while it runs, and writes the file of rejected rows.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::summary;
use super::summary::cannot_write;
use crate::cli::error::{CommandError, Result};
use crate::cli::output::eprint_line;
use crate::cli::stderr::ProgressLine;
use crate::domain::import::{
    FileKind, FileNotices, ImportProgress, Rejection, Rejects, Report, RowLocation,
};
use crate::store::DatabaseUrl;
use crate::values::ShortCode;

/// Maximum number of rejected rows that the command shows one by one.
const MAX_SHOWN: u32 = 20;

/// Shows the progress and the rejected rows of an import, and writes the rejects file.
pub(super) struct ImportReporter {
    pub(super) progress: ProgressLine,
    bytes: Option<u64>,
    rejected: u64,
    shown: u32,
    /// Whether a row that is not UTF-8 was shown. The notices count all of them.
    has_shown_encoding: bool,
    /// The rejects file, until the columns of the input are known and `rejects` takes it over.
    file: Option<RejectsFile>,
    rejects: Option<Rejects<BufWriter<File>>>,
    pub(super) has_begun: bool,
    pub(super) format: Option<&'static str>,
    pub(super) notices: FileNotices,
}

impl ImportReporter {
    pub(super) fn new(bytes: Option<u64>, rejects: Option<PathBuf>) -> Result<Self> {
        let file = rejects.map(|path| {
            let name = path.display().to_string();
            RejectsFile::new(path).map_err(|error| cannot_write(&name, &error))
        });
        let (progress, file) = (ProgressLine::new("rows"), file.transpose()?);
        Ok(Self {
            progress,
            bytes,
            rejected: 0,
            shown: 0,
            has_shown_encoding: false,
            file,
            rejects: None,
            has_begun: false,
            format: None,
            notices: FileNotices::default(),
        })
    }

    /// Ends the report: shows the notices, and completes the rejects file.
    pub(super) fn end(self) -> io::Result<()> {
        let more = self.rejected - u64::from(self.shown);
        if more > 0 {
            eprint_line(&format!("and {more} more"));
        }
        summary::notice_lines(&self.notices).iter().for_each(|line| eprint_line(line));
        if let Some(rejects) = self.rejects {
            let file = rejects.into_inner().into_inner().map_err(io::IntoInnerError::into_error)?;
            // Pipes cannot be synced.
            if file.metadata()?.is_file() {
                file.sync_all()?;
            }
        }
        // The import did not begin, so its new rejects file is deleted.
        if let Some(RejectsFile { path, is_new: true, .. }) = self.file {
            std::fs::remove_file(path)?;
        }
        Ok(())
    }
}

impl Report for ImportReporter {
    fn begin(&mut self, kind: &FileKind<'_>) -> io::Result<()> {
        (self.has_begun, self.format) = (true, kind.format());
        let Some(RejectsFile { file, .. }) = self.file.take() else { return Ok(()) };
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        self.rejects = Some(Rejects::begin(BufWriter::new(file), kind)?);
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> io::Result<()> {
        self.rejected += 1;
        let is_known =
            rejection.is_not_utf8() && std::mem::replace(&mut self.has_shown_encoding, true);
        if self.shown < MAX_SHOWN && !is_known {
            self.shown += 1;
            self.progress.clear();
            eprint_line(&format!("{}: {}", rejection.location, rejection.reason));
        }
        self.rejects.as_mut().map_or(Ok(()), |rejects| rejects.write(rejection))
    }

    fn without_case(&mut self, location: RowLocation, code: &ShortCode) -> io::Result<()> {
        self.progress.clear();
        eprint_line(&format!(
            "{location}: '{code}' answers only as it is written, because another link has this code \
             in any letter case or without invisible characters"
        ));
        Ok(())
    }

    fn notices(&mut self, notices: &FileNotices) {
        self.notices = notices.clone();
    }

    fn progress(&mut self, ImportProgress { rows, bytes }: ImportProgress) {
        self.progress.show(rows, bytes, self.bytes.unwrap_or(0));
    }
}

/// A rejects file before its first row.
struct RejectsFile {
    file: File,
    path: PathBuf,
    /// Whether this command created the file.
    is_new: bool,
}

impl RejectsFile {
    fn new(path: PathBuf) -> io::Result<Self> {
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
pub(super) fn check_rejects(rejects: &Path, input: &Path, database: &DatabaseUrl) -> Result {
    // `-` would mean standard output, where the summary goes.
    if rejects.as_os_str() == "-" {
        let advice = "--rejects needs a file name; write `./-` for a file of that name";
        return Err(CommandError::usage(advice));
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
