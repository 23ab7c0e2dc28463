//! `terse import`

mod reporter;
mod summary;

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use self::reporter::{ImportReporter, check_rejects};
use self::summary::{ImportSummary, cannot_read};
use super::database;
use super::error::{CommandError, Result};
use super::output::{Output, eprint_line};
use super::signals;
use crate::config::Settings;
use crate::domain::import::{
    self, DomainChoice, FormatHint, ImportCounts, LocalZone, Options, ReadOptions,
};
use crate::store::{IfMissing, Limits};

/// Maximum pause between two statements of a transaction. The rows are read before a transaction
/// begins, so only a suspended or disconnected process makes a longer pause.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(2);

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

pub(super) async fn run(arguments: Arguments, settings: &Settings, output: Output) -> Result {
    let Arguments { file, owner, ignore_case, dry_run: is_dry_run, rejects, .. } = &arguments;
    let (owner, is_dry_run, rejects) = (owner.clone(), *is_dry_run, rejects.clone());
    let ignores_case = *ignore_case;
    // Statements need no timeout. Pauses within a transaction need one, because link creations wait
    // for the transaction, and the process may be suspended or disconnected.
    let pause_timeout = Some(PAUSE_TIMEOUT);
    let limits = Limits { statement_timeout: None, pause_timeout, ..settings.command_limits() };
    let url = database::url(settings)?;
    let store = database::open_at(&url, "--database-url", IfMissing::Fail, &limits).await?;
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
    let warning = summary::domain_of_another(&store, read.domain.as_ref(), &owner).await?;
    warning.iter().for_each(|line| eprint_line(line));
    let options = Options { owner, rules, read, ignores_case, is_dry_run, now };
    let (interrupts, status) = (signals::listen()?, Cell::new(0));
    let mut report = ImportReporter::new(bytes, rejects)?;
    let stop = async { status.set(interrupts.await) };
    let mut counts = ImportCounts::default();
    let imported = import::run(&store, input, options, stop, &mut report, &mut counts).await;
    report.progress.clear();
    let summary = ImportSummary {
        counts,
        has_begun: report.has_begun,
        notices: report.notices.clone(),
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
