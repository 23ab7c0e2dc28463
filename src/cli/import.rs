//! `terse import`

mod notices;
mod rejects_file;

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use self::rejects_file::{RejectsFile, check_rejects};
use super::database;
use super::error::CommandError;
use super::output::{Output, eprint_line, pluralize};
use super::progress::{ProgressLine, ProgressState};
use super::signals;
use crate::config::Settings;
use crate::domain::import::{
    self, DomainChoice, FileKind, FileNotices, FormatError, FormatHint, ImportCounts, ImportError,
    ImportProgress, LocalZone, Options, ReadOptions, Rejection, Rejects, Report, RowLocation,
};
use crate::store::{IfMissing, Limits, Store};
use crate::values::ShortCode;

/// Maximum pause between two statements of a transaction. The rows are read before a transaction
/// begins, so only a suspended or disconnected process makes a longer pause.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of rejected rows that the command shows one by one.
const MAX_SHOWN: u32 = 20;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The file to import; - is stdin
    file: PathBuf,
    /// Owner of the imported links
    #[arg(long, value_name = "NAME")]
    owner: String,
    /// Input format [default: detected from the columns]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<FormatHint>,
    /// Encoding of the file, a WHATWG label such as windows-1252 [default: UTF-8, or UTF-16 with a
    /// byte order mark]
    #[arg(long, value_name = "LABEL")]
    encoding: Option<String>,
    /// Column or field that holds the short codes
    #[arg(long, value_name = "NAME")]
    code_column: Option<String>,
    /// Column or field to ignore, even if it restricts links; can be repeated
    #[arg(long = "ignore-column", value_name = "NAME")]
    ignored_columns: Vec<String>,
    /// Import the links of this domain alone; default means those without one
    #[arg(long, value_name = "HOST|default")]
    domain: Option<String>,
    /// Time zone of times without one, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE")]
    timezone: Option<LocalZone>,
    /// Let links with a code in the file answer in any letter case of it; exact codes go first
    #[arg(long)]
    ignore_case: bool,
    /// Report what the import would do, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// File for rejected rows, with line numbers and reasons; correct it and import it again
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

impl Arguments {
    /// Returns what the arguments say about the file. `now` is in milliseconds since 1970.
    fn read_options(self, now: i64) -> ReadOptions {
        let Self { format, encoding, code_column, ignored_columns, domain, timezone, .. } = self;
        ReadOptions {
            hint: format.unwrap_or_default(),
            encoding,
            code_column,
            ignored_columns,
            domain: domain.as_deref().map(DomainChoice::from_text),
            zone: timezone.unwrap_or_default(),
            now,
        }
    }
}

/// Accepts the names of formats.
fn format_parser() -> impl TypedValueParser<Value = FormatHint> {
    PossibleValuesParser::new(FormatHint::names())
        .map(|name| FormatHint::from_name(&name).unwrap_or_default())
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), CommandError> {
    let Arguments { file, owner, ignore_case, dry_run: is_dry_run, rejects, .. } = &arguments;
    let (owner, is_dry_run, rejects) = (owner.clone(), *is_dry_run, rejects.clone());
    let ignores_case = *ignore_case;
    // Statements need no timeout. Pauses within a transaction need one, because link creations wait
    // for the transaction, and the process may be suspended or disconnected.
    let pause_timeout = Some(PAUSE_TIMEOUT);
    let limits = Limits { statement_timeout: None, pause_timeout, ..settings.command_limits() };
    let url = database::parse(&settings.database_url)?;
    let store = Store::open(&url, IfMissing::Fail, &limits).await?;
    store.check_schema().await?;
    let name = file.display().to_string();
    let (input, bytes) = source(file).map_err(|error| cannot_read(&name, &error))?;
    if let Some(rejects) = &rejects {
        check_rejects(rejects, file, &url)?;
    }
    let rejects_name = rejects.as_ref().map_or_else(String::new, |path| path.display().to_string());
    let now = store.now();
    let read = arguments.read_options(now.millis());
    let rules = super::link::rules(settings, &store).await?;
    let options = Options { owner, rules, read, ignores_case, is_dry_run, now };
    let (interrupts, status) = (signals::listen()?, Cell::new(0));
    let mut report = ImportReporter::new(bytes, rejects)?;
    let stop = async { status.set(interrupts.await) };
    let mut counts = ImportCounts::default();
    let imported = import::run(&store, input, options, stop, &mut report, &mut counts).await;
    report.progress.clear();
    let notices = report.notices.clone();
    let has_begun = report.has_begun;
    let summary = ImportSummary {
        counts,
        has_begun,
        notices,
        format: report.format,
        name,
        rejects_name,
        is_dry_run,
    };
    let ended = report.end();
    // If the import fails, its error is reported rather than a later error of the rejects file.
    if let Err(error) = imported {
        let error = summary.into_error(error, output);
        return Err(store.check_confirmed().err().map_or(error, CommandError::from));
    }
    let confirmed = store.check_confirmed();
    store.close().await?;
    summary.report(ended, status.get(), output)?;
    Ok(confirmed?)
}

/// Data for the summary of an import that has ended.
struct ImportSummary {
    counts: ImportCounts,
    /// Format of the file. `None` if the import did not begin.
    format: Option<&'static str>,
    /// What the file has beyond links.
    notices: FileNotices,
    /// Name of the imported file.
    name: String,
    /// Name of the rejects file; empty if there is none.
    rejects_name: String,
    is_dry_run: bool,
    /// Whether the import has read the beginning of the file.
    has_begun: bool,
}

impl ImportSummary {
    /// Prints the summary of an import that failed, and returns the error of the command.
    fn into_error(self, error: ImportError, output: Output) -> CommandError {
        let failure = failure(&self.name, &self.rejects_name, error);
        if !self.has_begun {
            return failure;
        }
        let _ = self.show(output);
        CommandError::Other(format!("{failure}; {}", self.interruption_text()))
    }

    /// Prints the summary of an import that reached the end of its file, or that a signal stopped.
    /// `status` is the exit code of the signal.
    fn report(self, ended: io::Result<()>, status: u8, output: Output) -> Result<(), CommandError> {
        // The exit code does not depend on whether the summary can be written.
        let shown = self.show(output);
        ended.map_err(|error| cannot_write(&self.rejects_name, &error))?;
        if self.counts.is_interrupted {
            return Err(CommandError::Interrupted { text: self.interruption_text(), status });
        }
        if let Err(error) = shown
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return Err(error.into());
        }
        let ImportCounts { rejected, rows, .. } = self.counts;
        if rejected > 0 {
            let (of, were) = (pluralize(rows, "row"), if rejected == 1 { "was" } else { "were" });
            return Err(CommandError::Other(format!("{rejected} of {of} {were} rejected")));
        }
        if rows == 0 && self.notices.other_domains > 0 {
            let domains = notices::domains(&self.notices.names_of_others);
            let reason = format!("no link has the domain that --domain names; there are {domains}");
            return Err(CommandError::Other(format!("{}: {reason}", self.name)));
        }
        Ok(())
    }

    fn interruption_text(&self) -> String {
        let rows = pluralize(self.counts.rows, "row");
        let stays = if self.is_dry_run {
            ""
        } else {
            "; what was imported stays, and is recognised in the next run"
        };
        format!("{}: interrupted after {rows}{stays}", self.name)
    }

    fn show(&self, output: Output) -> io::Result<()> {
        let ImportCounts {
            rows,
            imported,
            existing,
            rejected,
            campaigns_dropped,
            titles_shortened,
            destinations_trimmed,
            without_case,
            rules_dropped,
            is_interrupted,
        } = self.counts;
        let would = if self.is_dry_run { "would be " } else { "" };
        let mut text = format!(
            "{}: {} {would}imported, {existing} existing, {rejected} rejected",
            pluralize(rows, "row"),
            pluralize(imported, "link"),
        );
        for (count, how) in [
            (campaigns_dropped, "without a campaign (more than one tag)"),
            (titles_shortened, "with a title on one line of 255 characters"),
            (destinations_trimmed, "without blanks or invisible characters around the destination"),
            (rules_dropped, "without rules that lead some visitors elsewhere"),
        ] {
            if count > 0 {
                text.push_str(&format!("\n{} {would}imported {how}", pluralize(count, "link")));
            }
        }
        if without_case > 0 {
            let links = pluralize(without_case, "link");
            text.push_str(&format!(
                "\n{links} for the exact code only (another link has the code in any letter case)"
            ));
        }
        let FileNotices { partial, ignored, other_domains, .. } = &self.notices;
        if let Some(format) = self.format.filter(|format| !["csv", "jsonl"].contains(format)) {
            text.push_str(&format!("\nread as format {format}"));
        }
        if *other_domains > 0 {
            text.push_str(&format!("\n{} of other domains", pluralize(*other_domains, "row")));
        }
        let value = serde_json::json!({
            "format": self.format,
            "rows": rows,
            "imported": imported,
            "existing": existing,
            "rejected": rejected,
            "campaigns_dropped": campaigns_dropped,
            "titles_shortened": titles_shortened,
            "destinations_trimmed": destinations_trimmed,
            "without_case": without_case,
            "rules_dropped": rules_dropped,
            "other_domains": other_domains,
            "ignored_columns": ignored,
            "is_partial": partial.is_some(),
            "dry_run": self.is_dry_run,
            "interrupted": is_interrupted,
        });
        output.show(&text, &value)
    }
}

/// Opens the input. Also returns its size in bytes if it is a file.
fn source(file: &Path) -> io::Result<(File, Option<u64>)> {
    let opened = if file.as_os_str() == "-" {
        File::from(io::stdin().as_fd().try_clone_to_owned()?)
    } else {
        File::open(file)?
    };
    let bytes = opened.metadata().ok().filter(Metadata::is_file).map(|data| data.len());
    Ok((opened, bytes))
}

fn cannot_read(name: &str, error: &io::Error) -> CommandError {
    CommandError::Other(format!("{name} cannot be read: {error}"))
}

fn cannot_write(name: &str, error: &io::Error) -> CommandError {
    CommandError::Other(format!("{name} cannot be written: {error}"))
}

fn failure(name: &str, rejects_name: &str, error: ImportError) -> CommandError {
    match error {
        ImportError::File(FormatError::File(reason)) => {
            CommandError::Other(format!("{name}: {reason}"))
        }
        ImportError::File(FormatError::Read(error)) => cannot_read(name, &error),
        ImportError::Report(error) => cannot_write(rejects_name, &error),
        ImportError::Domain(error) => error.into(),
        ImportError::Store(error) => error.into(),
    }
}

/// Shows the progress and the rejected rows of an import, and writes the rejects file.
struct ImportReporter {
    progress: ProgressLine,
    bytes: Option<u64>,
    rejected: u64,
    /// The rejects file, until the columns of the input are known and `rejects` takes it over.
    file: Option<RejectsFile>,
    rejects: Option<Rejects<BufWriter<File>>>,
    has_begun: bool,
    format: Option<&'static str>,
    notices: FileNotices,
}

impl ImportReporter {
    fn new(bytes: Option<u64>, rejects: Option<PathBuf>) -> Result<Self, CommandError> {
        let file = rejects.map(|path| {
            let name = path.display().to_string();
            RejectsFile::new(path).map_err(|error| cannot_write(&name, &error))
        });
        let (progress, file) = (ProgressLine::new(), file.transpose()?);
        Ok(Self {
            progress,
            bytes,
            rejected: 0,
            file,
            rejects: None,
            has_begun: false,
            format: None,
            notices: FileNotices::default(),
        })
    }

    fn end(self) -> io::Result<()> {
        if self.rejected > MAX_SHOWN.into() {
            eprint_line(&format!("and {} more", self.rejected - u64::from(MAX_SHOWN)));
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
