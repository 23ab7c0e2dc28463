//! `terse import`

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, BufWriter};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::database::parse as database;
use super::error::CommandError as Failure;
use super::output::{Output, eprint_line as tell, pluralize as so_many};
use super::progress::{ProgressLine as Progress, ProgressState as Done};
use super::signals;
use crate::config::Settings;
use crate::domain::import::{
    self, FileKind, ImportError, Options, Refusal, Rejects, Report, Summary, Syntax, Told,
};
use crate::store::{DatabaseUrl, IfMissing, Limits, Store};

/// How long a transaction may sit idle. What it imports is read before: only a suspended or
/// disconnected process takes longer.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Refused rows that are shown one by one.
const SHOWN: u32 = 20;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The file to import; - for standard input
    file: PathBuf,
    /// The owner who gets the links
    #[arg(long, value_name = "NAME")]
    owner: String,
    /// The format of the file; recognised by its columns unless given
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Change nothing, and report what would be done
    #[arg(long)]
    dry_run: bool,
    /// A file to write refused rows to, with their line numbers and the reasons, to be corrected
    /// and imported
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Terse's own CSV
    Csv,
    /// Terse's own JSON Lines
    Jsonl,
    /// Shlink's CSV, or the objects of its API
    Shlink,
    /// YOURLS's table as CSV, or the objects of its API
    Yourls,
    /// Kutt's table as CSV, or the objects of its API
    Kutt,
    /// Bitly's CSV, or the objects of its API
    Bitly,
}

impl From<Format> for Told {
    fn from(format: Format) -> Self {
        let (format, syntax) = match format {
            Format::Csv => (import::Format::Terse, Some(Syntax::Csv)),
            Format::Jsonl => (import::Format::Terse, Some(Syntax::Json)),
            Format::Shlink => (import::Format::Shlink, None),
            Format::Yourls => (import::Format::Yourls, None),
            Format::Kutt => (import::Format::Kutt, None),
            Format::Bitly => (import::Format::Bitly, None),
        };
        Self { format: Some(format), syntax }
    }
}

impl Format {
    /// What a file is, as it can be told.
    fn of(kind: &FileKind<'_>) -> Self {
        match kind.format {
            import::Format::Terse if kind.columns.is_some() => Self::Csv,
            import::Format::Terse => Self::Jsonl,
            import::Format::Shlink => Self::Shlink,
            import::Format::Yourls => Self::Yourls,
            import::Format::Kutt => Self::Kutt,
            import::Format::Bitly => Self::Bitly,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), Failure> {
    let Arguments { file, owner, format, dry_run: is_rehearsal, rejects } = arguments;
    // Nobody waits for an answer in the meantime, but creations wait for each transaction: one whose
    // process is suspended, or cut off, must not keep them waiting.
    let pause_timeout = Some(PAUSE_TIMEOUT);
    let limits = Limits { statement_timeout: None, pause_timeout, ..settings.limits() };
    let url = database(&settings.database_url)?;
    let store = Store::open(&url, IfMissing::Fail, &limits).await?;
    store.check_schema().await?;
    let name = file.display().to_string();
    let (input, bytes) = source(&file).map_err(|error| cannot_read(&name, &error))?;
    if let Some(rejects) = &rejects {
        check_rejects(rejects, &file, &url)?;
    }
    let list = rejects.as_ref().map_or_else(String::new, |path| path.display().to_string());
    let now = store.now();
    // The address that a server with the same settings has.
    let service = settings.base_url_at(settings.listen);
    let service = service.map_err(|reason| Failure::Usage(format!("the base URL {reason}")))?;
    let told = format.map(Told::from).unwrap_or_default();
    let options = Options { owner, service, told, is_rehearsal, now };
    let (interrupts, status) = (signals::listen()?, Cell::new(0));
    let mut report = Shown::new(bytes, rejects)?;
    let stop = async { status.set(interrupts.await) };
    let mut summary = Summary::default();
    let imported = import::run(&store, input, options, stop, &mut report, &mut summary).await;
    report.progress.clear();
    let ending = Ending { summary, format: report.format, name, list, is_rehearsal };
    let ended = report.end();
    // What went wrong first is what is told.
    if let Err(error) = imported {
        return Err(ending.broken_off(error, output));
    }
    store.close().await?;
    ending.tell(ended, status.get(), output)
}

/// How an import ended, for whoever started it.
struct Ending {
    summary: Summary,
    /// None where nothing was begun.
    format: Option<Format>,
    /// The file.
    name: String,
    /// The file of refused rows.
    list: String,
    is_rehearsal: bool,
}

impl Ending {
    /// It went on for as long as it could.
    fn broken_off(self, error: ImportError, output: Output) -> Failure {
        let failure = failure(&self.name, &self.list, error);
        if self.format.is_none() {
            return failure;
        }
        let _ = self.show(output);
        Failure::Other(format!("{failure}; {}", self.interrupted()))
    }

    /// It went through, or was stopped by a signal with that exit status.
    fn tell(self, ended: io::Result<()>, status: u8, output: Output) -> Result<(), Failure> {
        // How it went does not depend on whether somebody reads it.
        let shown = self.show(output);
        ended.map_err(|error| cannot_write(&self.list, &error))?;
        if self.summary.is_interrupted {
            return Err(Failure::Interrupted { text: self.interrupted(), status });
        }
        if let Err(error) = shown
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return Err(error.into());
        }
        let Summary { refused, rows, .. } = self.summary;
        let were = if refused == 1 { "was" } else { "were" };
        if refused > 0 {
            return Err(Failure::Other(format!("{refused} of {rows} rows {were} refused")));
        }
        Ok(())
    }

    fn interrupted(&self) -> String {
        let rows = so_many(self.summary.rows, "row");
        let stays = if self.is_rehearsal {
            ""
        } else {
            "; what was imported stays, and is recognised in the next run"
        };
        format!("{}: interrupted after {rows}{stays}", self.name)
    }

    fn show(&self, output: Output) -> io::Result<()> {
        let Summary { rows, imported, already_there, refused, several_tags, is_interrupted } =
            self.summary;
        let would = if self.is_rehearsal { "would be " } else { "" };
        let mut text = format!(
            "{}: {} {would}imported, {already_there} already there, {refused} refused",
            so_many(rows, "row"),
            so_many(imported, "link"),
        );
        if several_tags > 0 {
            let links = so_many(several_tags, "link");
            text.push_str(&format!("\nwithout a campaign, because of more than one tag: {links}"));
        }
        let value = serde_json::json!({
            "format": self.format.map(Format::name),
            "rows": rows,
            "imported": imported,
            "already_there": already_there,
            "refused": refused,
            "several_tags": several_tags,
            "dry_run": self.is_rehearsal,
            "interrupted": is_interrupted,
        });
        output.show(&text, &value)
    }
}

/// What is to be read, and how many bytes it has where that is known.
fn source(file: &PathBuf) -> io::Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    if file.as_os_str() == "-" {
        return Ok((Box::new(BufReader::with_capacity(256 << 10, io::stdin())), None));
    }
    let opened = File::open(file)?;
    let bytes = opened.metadata().ok().filter(Metadata::is_file).map(|data| data.len());
    Ok((Box::new(BufReader::with_capacity(256 << 10, opened)), bytes))
}

/// Refuses what must not be written over.
fn check_rejects(rejects: &Path, input: &Path, database: &DatabaseUrl) -> Result<(), Failure> {
    // It would be standard output to whoever writes it, and the summary goes there.
    if rejects.as_os_str() == "-" {
        let advice = "--rejects needs a file name; write `./-` for a file of that name";
        return Err(Failure::Usage(advice.to_owned()));
    }
    let refuse = |what| {
        let rejects = rejects.display();
        let text = format!("{rejects} is {what}; write refused rows to another file");
        Err(Failure::Usage(text))
    };
    // One that is not there may come to be.
    let is_database = |file: &PathBuf| {
        place(file).is_some_and(|file| Some(file) == place(rejects))
            || is_same(rejects, std::fs::metadata(file))
    };
    if database.files().iter().any(is_database) {
        return refuse("a file of the database");
    }
    let input = if input.as_os_str() == "-" {
        io::stdin().as_fd().try_clone_to_owned().and_then(|input| File::from(input).metadata())
    } else {
        std::fs::metadata(input)
    };
    if is_same(rejects, input) { refuse("the file to import") } else { Ok(()) }
}

/// Where a file is or would be.
fn place(file: &Path) -> Option<PathBuf> {
    let directory = std::path::absolute(file).ok()?.parent()?.canonicalize().ok()?;
    Some(directory.join(file.file_name()?))
}

/// Whether the path leads to that file, by whatever way.
fn is_same(path: &Path, file: io::Result<Metadata>) -> bool {
    let identity = |data: Metadata| data.is_file().then(|| (data.dev(), data.ino()));
    let [path, file] = [std::fs::metadata(path), file].map(|data| data.ok().and_then(identity));
    path.is_some() && path == file
}

fn cannot_read(name: &str, error: &io::Error) -> Failure {
    Failure::Other(format!("{name} cannot be read: {error}"))
}

fn cannot_write(name: &str, error: &io::Error) -> Failure {
    Failure::Other(format!("{name} cannot be written: {error}"))
}

fn failure(name: &str, list: &str, error: ImportError) -> Failure {
    match error {
        ImportError::File(reason) => Failure::Other(format!("{name}: {reason}")),
        ImportError::Read(error) => cannot_read(name, &error),
        ImportError::Report(error) => cannot_write(list, &error),
        ImportError::Admin(error) => error.into(),
        ImportError::Store(error) => error.into(),
    }
}

/// What whoever runs the command sees of it, and the file of what was refused.
struct Shown {
    progress: Progress,
    bytes: Option<u64>,
    refused: u64,
    /// The file before anything is known of what is to be in it.
    opened: Option<Opened>,
    rejects: Option<Rejects<BufWriter<File>>>,
    format: Option<Format>,
}

struct Opened {
    file: File,
    path: PathBuf,
    /// It was not there before.
    is_new: bool,
}

impl Opened {
    fn new(path: PathBuf) -> io::Result<Self> {
        match File::create_new(&path) {
            Ok(file) => Ok(Self { file, path, is_new: true }),
            // What an earlier run has left there stays until this one begins.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let file = File::options().write(true).create(true).truncate(false).open(&path)?;
                Ok(Self { file, path, is_new: false })
            }
            Err(error) => Err(error),
        }
    }
}

impl Shown {
    fn new(bytes: Option<u64>, rejects: Option<PathBuf>) -> Result<Self, Failure> {
        let opened = rejects.map(|path| {
            let name = path.display().to_string();
            Opened::new(path).map_err(|error| cannot_write(&name, &error))
        });
        let (progress, opened) = (Progress::new(), opened.transpose()?);
        Ok(Self { progress, bytes, refused: 0, opened, rejects: None, format: None })
    }

    fn end(self) -> io::Result<()> {
        if self.refused > SHOWN.into() {
            tell(&format!("and {} more", self.refused - u64::from(SHOWN)));
        }
        if let Some(rejects) = self.rejects {
            let file = rejects.into_inner().into_inner().map_err(io::IntoInnerError::into_error)?;
            // A pipe keeps nothing.
            if file.metadata()?.is_file() {
                file.sync_all()?;
            }
        }
        // Nothing was begun, and nothing is to be left of it.
        if let Some(Opened { path, is_new: true, .. }) = self.opened {
            std::fs::remove_file(path)?;
        }
        Ok(())
    }
}

impl Report for Shown {
    fn begin(&mut self, kind: &FileKind<'_>) -> io::Result<()> {
        self.format = Some(Format::of(kind));
        let unknown = kind.unknown_columns();
        for column in unknown.iter().take(SHOWN as usize) {
            // What a file has there is nothing for a terminal to obey.
            let column = column.trim().escape_debug();
            tell(&format!("unknown column '{column}' ignored"));
        }
        if let Some(more) = unknown.len().checked_sub(SHOWN as usize).filter(|more| *more > 0) {
            tell(&format!("and {more} more unknown columns"));
        }
        let Some(Opened { file, .. }) = self.opened.take() else { return Ok(()) };
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        self.rejects = Some(Rejects::begin(BufWriter::new(file), kind)?);
        Ok(())
    }

    fn refused(&mut self, refusal: &Refusal<'_>) -> io::Result<()> {
        self.refused += 1;
        if self.refused <= SHOWN.into() {
            self.progress.clear();
            tell(&format!("{}: {}", refusal.place, refusal.reason));
        }
        self.rejects.as_mut().map_or(Ok(()), |rejects| rejects.write(refusal))
    }

    fn progress(&mut self, progress: import::Progress) {
        let import::Progress { rows, bytes } = progress;
        self.progress.show(&Done {
            count: rows,
            what: "rows",
            part: self.bytes.map(|whole| (bytes, whole)),
        });
    }
}
