//! Reports of an import on stderr and in the rejects file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use super::super::error::CommandError;
use super::super::output::eprint_line;
use super::super::progress::{ProgressLine, ProgressState};
use super::{ImportFormat, cannot_write};
use crate::domain::import::{FileKind, ImportProgress, Rejection, Rejects, Report, RowLocation};
use crate::values::ShortCode;

/// Maximum number of rejected rows, and of unknown columns, that the command shows one by one.
const MAX_SHOWN: u32 = 20;

/// Shows the progress and the rejected rows of an import, and writes the rejects file.
pub(super) struct ImportReporter {
    pub(super) progress: ProgressLine,
    bytes: Option<u64>,
    rejected: u64,
    /// The rejects file, until the columns of the input are known and `rejects` takes it over.
    file: Option<RejectsFile>,
    rejects: Option<Rejects<BufWriter<File>>>,
    pub(super) format: Option<ImportFormat>,
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
                let file = File::options().write(true).create(true).truncate(false).open(&path)?;
                Ok(Self { file, path, is_new: false })
            }
            Err(error) => Err(error),
        }
    }
}

impl ImportReporter {
    pub(super) fn new(bytes: Option<u64>, rejects: Option<PathBuf>) -> Result<Self, CommandError> {
        let file = rejects.map(|path| {
            let name = path.display().to_string();
            RejectsFile::new(path).map_err(|error| cannot_write(&name, &error))
        });
        let (progress, file) = (ProgressLine::new(), file.transpose()?);
        Ok(Self { progress, bytes, rejected: 0, file, rejects: None, format: None })
    }

    pub(super) fn end(self) -> io::Result<()> {
        if self.rejected > MAX_SHOWN.into() {
            eprint_line(&format!("and {} more", self.rejected - u64::from(MAX_SHOWN)));
        }
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
        self.format = Some(ImportFormat::new(kind));
        let unknown = kind.unknown_columns();
        for column in unknown.iter().take(MAX_SHOWN as usize) {
            // The name of a column may contain control sequences for the terminal.
            let column = column.trim().escape_debug();
            eprint_line(&format!("unknown column '{column}' ignored"));
        }
        if let Some(more) = unknown.len().checked_sub(MAX_SHOWN as usize).filter(|more| *more > 0) {
            eprint_line(&format!("and {more} more unknown columns"));
        }
        let Some(RejectsFile { file, .. }) = self.file.take() else { return Ok(()) };
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        self.rejects = Some(Rejects::begin(BufWriter::new(file), kind)?);
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> io::Result<()> {
        self.rejected += 1;
        if self.rejected <= MAX_SHOWN.into() {
            self.progress.clear();
            eprint_line(&format!("{}: {}", rejection.location, rejection.reason));
        }
        self.rejects.as_mut().map_or(Ok(()), |rejects| rejects.write(rejection))
    }

    fn without_case(&mut self, location: RowLocation, code: &ShortCode) -> io::Result<()> {
        self.progress.clear();
        eprint_line(&format!(
            "{location}: '{code}' answers only as it is written, because another link has this code \
             in any letter case"
        ));
        Ok(())
    }

    fn progress(&mut self, progress: ImportProgress) {
        let ImportProgress { rows, bytes } = progress;
        self.progress.show(&ProgressState {
            count: rows,
            what: "rows",
            part: self.bytes.map(|whole| (bytes, whole)),
        });
    }
}
