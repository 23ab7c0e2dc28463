//! Imports links from a file of Terse or of another service.
//!
//! One thread reads the file and checks its rows. A task writes the rows to the database in file
//! order, one chunk at a time. An import stores nothing but links. It recognises an already
//! imported row by its code or, for a row without a code, by the code that it generates.
//! A [`Report`] receives its progress and results.

mod reader;
mod row;
mod write;

use std::fs::File;
use std::io;
use std::pin::{Pin, pin};

pub use formats::{
    DomainChoice, FileKind, FileNotices, FormatError, FormatHint, LocalZone, ReadOptions,
    Rejection, Rejects, RowLocation,
};
use formats::{LinkReader, Source};
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::oneshot;

use self::reader::{Chunk, CodeLines, Holder, open_file, read};
use self::row::Rules;
pub(super) use self::row::{FileValue, column_value};
use self::write::{RowOutcome, WrittenRow, write_rows};
use super::Error;
use super::links::LinkRules;
use super::owners::OwnerRef;
use crate::store::import::{ImportOutcome, ImportWriter};
use crate::store::{ImportDryRun, Store, StoreError, installation};
use crate::values::{ShortCode, Timestamp};

pub use self::reader::ImportProgress;

/// Options of an import.
#[derive(Debug)]
pub struct Options {
    /// Name of the owner of the links.
    pub owner: String,
    /// Rules for destinations. Rows that break them are invalid.
    pub rules: LinkRules,
    /// What the user has specified about the file. The import detects everything else.
    pub read: ReadOptions,
    /// Whether links with a code of their own answer in any letter case.
    pub ignores_case: bool,
    /// Whether the import only reports what it would do, and changes nothing.
    pub is_dry_run: bool,
    /// Time of creation for links whose rows have none.
    pub now: Timestamp,
}

/// Imports `input` until its end, or until `stop` is ready. It keeps `counts` up to date, even if
/// it fails.
///
/// # Errors
/// [`ImportError`]
pub async fn run(
    store: &Store,
    input: File,
    options: Options,
    stop: impl Future<Output = ()>,
    report: &mut impl Report,
    counts: &mut ImportCounts,
) -> Result<(), ImportError> {
    // Reset if the end of the file is reached.
    counts.is_interrupted = true;
    let Options { owner, rules, read: options, ignores_case, is_dry_run, now } = options;
    let found = OwnerRef::from(&owner).find(store.reader()).await?;
    if found.suspended_reason.is_some() {
        return Err(Error::OwnerSuspended(owner).into());
    }
    let owner_id = found.id;
    let secret = installation::secret(store.reader()).await?;
    let mut stop = pin!(stop);
    let records = tokio::select! {
        () = &mut stop => return Ok(()),
        records = open(input, options) => records?,
    };
    report.begin(&records.kind()).map_err(ImportError::Report)?;
    let mut writer = if is_dry_run {
        ImportDryRun::open(store, owner_id).await?
    } else {
        store.importer(owner_id).await?
    };
    let source = records.kind().source.unwrap_or(Source::Terse);
    let rules = Rules { links: rules, owner_id, secret, now, ignores_case, source };
    // While one chunk is written, a second one waits in the channel, and a third one is read.
    let (sender, mut chunks) = mpsc::channel(1);
    std::thread::spawn(move || read(records, &rules, &sender));
    let written = write(&mut chunks, &mut *writer, stop, report, counts).await;
    // The writer finishes even after an error, because the links created before it remain and must
    // be flushed.
    let finished = writer.finish().await;
    counts.is_interrupted = !written?;
    Ok(finished?)
}

/// Reads the beginning of the file. It runs on a thread, because reading from a terminal blocks.
async fn open(input: File, options: ReadOptions) -> Result<LinkReader, FormatError> {
    let (sender, opened) = oneshot::channel();
    std::thread::spawn(move || drop(sender.send(open_file(input, options))));
    opened.await.map_err(|_| FormatError::Read(io::ErrorKind::Other.into()))?
}

/// Writes all chunks. Returns true if it reached the end of the file before `stop` was ready.
async fn write(
    chunks: &mut Receiver<io::Result<Chunk>>,
    writer: &mut dyn ImportWriter,
    mut stop: Pin<&mut impl Future<Output = ()>>,
    report: &mut impl Report,
    counts: &mut ImportCounts,
) -> Result<bool, ImportError> {
    let mut lines = CodeLines::default();
    loop {
        let chunk = tokio::select! {
            biased;
            () = &mut stop => return Ok(false),
            chunk = chunks.recv() => chunk,
        };
        let lost = || io::Error::other("the reading thread exited");
        let Chunk { rows, others, progress, notices } =
            chunk.ok_or_else(lost).flatten().map_err(FormatError::Read)?;
        others.into_iter().for_each(|row| lines.note_other(row));
        let (results, written) = write_rows(writer, rows, &mut lines).await;
        // Rows are counted before the report, because they are written even if the report fails.
        results.iter().for_each(|(row, outcome)| counts.add(row, outcome));
        let reported = report_rejected(&results, report);
        written?;
        reported.map_err(ImportError::Report)?;
        report.progress(progress);
        if let Some(notices) = notices {
            report.notices(&notices);
            return Ok(true);
        }
    }
}

fn report_rejected(
    results: &[(WrittenRow, RowOutcome)],
    report: &mut impl Report,
) -> io::Result<()> {
    for (row, outcome) in results {
        let WrittenRow { location, origin, source, code, .. } = row;
        let reason = match outcome {
            Ok(
                ImportOutcome::Created | ImportOutcome::AlreadyExists | ImportOutcome::CaseAdded,
            ) => continue,
            Ok(ImportOutcome::CreatedWithoutCase | ImportOutcome::ExistsWithoutCase) => {
                if let Some(code) = code {
                    report.without_case(*location, code)?;
                }
                continue;
            }
            Ok(ImportOutcome::CodeInUse) => &code_in_use(row),
            Ok(ImportOutcome::ExternalIdInUse) => "the external identifier is in use",
            Ok(ImportOutcome::PlanLimitReached) => "the plan's link limit is reached",
            Err(reason) => reason,
        };
        report.reject(&Rejection { location: *location, origin: *origin, reason, source })?;
    }
    Ok(())
}

/// Words the reason of a row whose code is in use, with the row and domain that has it.
fn code_in_use(row: &WrittenRow) -> String {
    let mut reason = "the short code is in use".to_owned();
    if row.is_code_cleaned {
        reason = "the short code without its invisible characters is in use".to_owned();
    }
    if let Some(Holder { location, other_domain: None }) = &row.holder {
        reason.push_str(&format!(" by {location}"));
    }
    if let Some(domain) = &row.domain {
        reason.push_str(&format!(" (here of {domain}"));
        if let Some(Holder { location, other_domain: Some(other) }) = &row.holder {
            reason.push_str(&format!("; {location} has it of {other}"));
        }
        reason.push(')');
    } else if let Some(Holder { location, other_domain: Some(other) }) = &row.holder {
        reason.push_str(&format!(" ({location} has it of {other})"));
    }
    reason
}

/// Error that stops an import. Links that the import has already created remain.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FormatError),
    /// The [`Report`] failed.
    #[error("the report cannot be written: {0}")]
    Report(io::Error),
    /// The owner does not exist or is suspended, or the database failed.
    #[error(transparent)]
    Domain(#[from] Error),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Domain(error.into())
    }
}

/// Numbers of rows of an import, by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Rows whose results are known.
    pub rows: u64,
    /// Rows whose links were created.
    pub imported: u64,
    /// Rows whose links already existed.
    pub existing: u64,
    /// Rows that were rejected.
    pub rejected: u64,
    /// Links that were created without a campaign, because their rows had several tags.
    pub campaigns_dropped: u64,
    /// Links that were created with a title that was shortened or flattened.
    pub titles_shortened: u64,
    /// Links that were created without the blanks or invisible characters around the destination.
    pub destinations_trimmed: u64,
    /// Links that were created without the blanks or invisible characters of their codes.
    pub codes_cleaned: u64,
    /// Links that were created with the forwarding of queries by another service.
    pub queries_forwarded: u64,
    /// Links that answer only to their exact codes, although the import ignores letter case.
    pub without_case: u64,
    /// Links that existed, and that this import lets answer in any letter case.
    pub case_added: u64,
    /// Links that were created without their rules for some visitors.
    pub rules_dropped: u64,
    /// Whether the import ended before the end of the file.
    pub is_interrupted: bool,
}

impl ImportCounts {
    fn add(&mut self, row: &WrittenRow, outcome: &RowOutcome) {
        self.rows += 1;
        match *outcome {
            Ok(outcome @ (ImportOutcome::Created | ImportOutcome::CreatedWithoutCase)) => {
                self.imported += 1;
                self.campaigns_dropped += u64::from(row.losses.drops_campaign);
                self.titles_shortened += u64::from(row.losses.shortens_title);
                self.destinations_trimmed += u64::from(row.is_trimmed);
                self.codes_cleaned += u64::from(row.is_code_cleaned);
                self.queries_forwarded += u64::from(row.losses.changes_forwarding);
                self.without_case += u64::from(outcome == ImportOutcome::CreatedWithoutCase);
                self.rules_dropped += u64::from(row.losses.drops_rules);
            }
            Ok(
                outcome @ (ImportOutcome::AlreadyExists
                | ImportOutcome::CaseAdded
                | ImportOutcome::ExistsWithoutCase),
            ) => {
                self.existing += 1;
                self.case_added += u64::from(outcome == ImportOutcome::CaseAdded);
                self.without_case += u64::from(outcome == ImportOutcome::ExistsWithoutCase);
            }
            Ok(
                ImportOutcome::CodeInUse
                | ImportOutcome::ExternalIdInUse
                | ImportOutcome::PlanLimitReached,
            )
            | Err(_) => self.rejected += 1,
        }
    }
}

/// Receiver of the progress and results of an import. An error stops the import. It receives rejected
/// rows one at a time, because all rows of a file may be rejected, and memory must not grow with them.
pub trait Report {
    /// Receives the kind of the file, before its first row.
    ///
    /// # Errors
    /// If the import cannot be reported.
    fn begin(&mut self, kind: &FileKind<'_>) -> io::Result<()>;
    /// Receives a rejected row, in file order.
    ///
    /// # Errors
    /// If the row cannot be reported.
    fn reject(&mut self, rejection: &Rejection<'_>) -> io::Result<()>;
    /// Receives the code of a link that was created, but answers only to its exact code.
    ///
    /// # Errors
    /// If the row cannot be reported.
    fn without_case(&mut self, location: RowLocation, code: &ShortCode) -> io::Result<()>;
    /// Receives what the file has beyond links, at its end.
    fn notices(&mut self, notices: &FileNotices);
    /// Receives the progress after each chunk of rows.
    fn progress(&mut self, progress: ImportProgress);
}
