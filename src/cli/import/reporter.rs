//! Reports an import while it runs.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use super::failure::cannot_write;
use super::notices;
use super::rejects_file::RejectsFile;
use crate::cli::error::CommandError;
use crate::cli::output::eprint_line;
use crate::cli::progress::{ProgressLine, ProgressState};
use crate::domain::import::{
    FileKind, FileNotices, ImportProgress, Rejection, Rejects, Report, RowLocation,
};
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
    pub(super) fn new(bytes: Option<u64>, rejects: Option<PathBuf>) -> Result<Self, CommandError> {
        let file = rejects.map(|path| {
            let name = path.display().to_string();
            RejectsFile::new(path).map_err(|error| cannot_write(&name, &error))
        });
        let (progress, file) = (ProgressLine::new(), file.transpose()?);
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
        notices::lines(&self.notices).iter().for_each(|line| eprint_line(line));
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

    fn progress(&mut self, progress: ImportProgress) {
        let ImportProgress { rows, bytes } = progress;
        self.progress.show(&ProgressState {
            count: rows,
            what: "rows",
            part: self.bytes.map(|whole| (bytes, whole)),
        });
    }
}
