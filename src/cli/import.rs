//! `terse import`

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::Output;
use super::progress::{Done, Progress};
use super::{Failure, database};
use crate::config::Settings;
use crate::domain::csv;
use crate::domain::import::{self, ImportError, Options, Refusal, Report, Summary};
use crate::store::{Limits, Missing, Store};
use crate::values::{BaseUrl, Moment};

/// Refused rows that are shown one by one.
const SHOWN: u64 = 20;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The file; - is standard input
    file: PathBuf,
    /// Whose the links will be
    #[arg(long, value_name = "NAME")]
    owner: String,
    /// Whose export it is; found out by its columns unless given
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Change nothing, and tell what would be done
    #[arg(long)]
    dry_run: bool,
    /// A file for the rows that are refused: as CSV, with their lines and the reasons
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

impl From<Format> for import::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Csv | Format::Jsonl => Self::Terse,
            Format::Shlink => Self::Shlink,
            Format::Yourls => Self::Yourls,
            Format::Kutt => Self::Kutt,
            Format::Bitly => Self::Bitly,
        }
    }
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), Failure> {
    let Arguments { file, owner, format, dry_run: is_rehearsal, rejects } = arguments;
    // Nobody waits for an answer in the meantime.
    let limits = Limits { statement_timeout: None, ..settings.limits() };
    let store = Store::open(&database(&settings.database_url)?, Missing::Fail, &limits).await?;
    store.check_schema().await?;
    let name = file.display().to_string();
    let (input, bytes) = source(&file).map_err(|error| cannot_read(&name, &error))?;
    if rejects.as_deref().is_some_and(|rejects| is_same(rejects, &file)) {
        return Err(Failure::Usage(format!(
            "{name} is what is read; write what is refused elsewhere"
        )));
    }
    let mut report = Shown::new(bytes, rejects)?;
    let now = Moment::now();
    let service = service(settings)?;
    let options = Options { owner, service, format: format.map(Into::into), is_rehearsal, now };
    let imported = import::run(&store, input, options, &mut report).await;
    report.progress.clear();
    let summary = imported.map_err(|error| failure(&name, error))?;
    let format = report.end()?;
    store.close().await?;
    show(&summary, format, is_rehearsal, output)?;
    if summary.refused > 0 {
        let Summary { refused, rows, .. } = summary;
        return Err(Failure::Other(format!("{refused} of {rows} rows were refused")));
    }
    Ok(())
}

/// What is to be read, and how many bytes it has where that is known.
fn source(file: &PathBuf) -> io::Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    if file.as_os_str() == "-" {
        return Ok((Box::new(BufReader::with_capacity(256 << 10, io::stdin())), None));
    }
    let opened = File::open(file)?;
    let bytes = opened.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    Ok((Box::new(BufReader::with_capacity(256 << 10, opened)), bytes))
}

/// Whether both are one file, by whatever way they lead there.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The address that a server with the same settings has.
fn service(settings: &Settings) -> Result<BaseUrl, Failure> {
    match &settings.base_url {
        Some(base_url) => Ok(base_url.clone()),
        None => BaseUrl::parse(&format!("http://{}", settings.listen))
            .map_err(|reason| Failure::Usage(format!("the base URL {reason}"))),
    }
}

fn cannot_read(name: &str, error: &io::Error) -> Failure {
    Failure::Other(format!("{name} cannot be read: {error}"))
}

fn failure(name: &str, error: ImportError) -> Failure {
    match error {
        ImportError::File(reason) => Failure::Other(format!("{name}: {reason}")),
        ImportError::Read(error) => cannot_read(name, &error),
        ImportError::Report(error) => {
            Failure::Other(format!("the report cannot be written: {error}"))
        }
        ImportError::Admin(error) => error.into(),
        ImportError::Store(error) => error.into(),
    }
}

fn show(
    summary: &Summary,
    format: Option<import::Format>,
    is_rehearsal: bool,
    output: Output,
) -> io::Result<()> {
    let Summary { rows, imported, already_there, refused, several_tags } = *summary;
    let would = if is_rehearsal { "would be " } else { "" };
    let mut text = format!(
        "{rows} rows: {imported} links {would}imported, {already_there} there already, \
         {refused} refused"
    );
    if several_tags > 0 {
        text.push_str(&format!(
            "\n{several_tags} links have no campaign, because they had more than one tag"
        ));
    }
    let value = serde_json::json!({
        "format": format.map(import::Format::name),
        "rows": rows,
        "imported": imported,
        "already_there": already_there,
        "refused": refused,
        "several_tags": several_tags,
        "dry_run": is_rehearsal,
    });
    output.show(&text, &value)
}

/// What whoever runs the command sees of it, and the file of what was refused.
struct Shown {
    progress: Progress,
    bytes: Option<u64>,
    refused: u64,
    rejects: Option<Rejects>,
    format: Option<import::Format>,
}

struct Rejects {
    file: BufWriter<File>,
    columns: usize,
}

impl Shown {
    fn new(bytes: Option<u64>, rejects: Option<PathBuf>) -> Result<Self, Failure> {
        let rejects = rejects.map(|path| {
            // What an earlier run has left there stays until this one begins.
            let opened = File::options().write(true).create(true).truncate(false).open(&path);
            let file = opened.map_err(|error| {
                Failure::Other(format!("{} cannot be written: {error}", path.display()))
            })?;
            Ok::<_, Failure>(Rejects { file: BufWriter::new(file), columns: 0 })
        });
        let rejects = rejects.transpose()?;
        Ok(Self { progress: Progress::begin(), bytes, refused: 0, rejects, format: None })
    }

    /// What the file was.
    fn end(self) -> io::Result<Option<import::Format>> {
        if self.refused > SHOWN {
            line(&format!("and {} more", self.refused - SHOWN));
        }
        if let Some(rejects) = self.rejects {
            rejects.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        }
        Ok(self.format)
    }
}

impl Report for Shown {
    fn begin(&mut self, format: import::Format, columns: Option<&[String]>) -> io::Result<()> {
        self.format = Some(format);
        let Some(Rejects { file, columns: known }) = &mut self.rejects else { return Ok(()) };
        if file.get_ref().metadata()?.is_file() {
            file.get_ref().set_len(0)?;
        }
        let columns = columns.unwrap_or_default();
        *known = columns.len();
        let names = columns.iter().map(String::as_str);
        csv::write(file, ["line", "reason"].into_iter().chain(names).chain(["record"]).map(Some))
    }

    fn refused(&mut self, refusal: &Refusal<'_>) -> io::Result<()> {
        let Refusal { line: number, reason, fields, text } = *refusal;
        self.refused += 1;
        if self.refused <= SHOWN {
            self.progress.clear();
            line(&format!("line {number}: {reason}"));
        }
        let Some(Rejects { file, columns }) = &mut self.rejects else { return Ok(()) };
        let number = number.to_string();
        let none = vec![None; *columns];
        let fields = fields.unwrap_or(&none).iter().map(Option::as_deref);
        csv::write(
            file,
            [Some(number.as_str()), Some(reason)].into_iter().chain(fields).chain([text]),
        )
    }

    fn progress(&mut self, progress: import::Progress) {
        let import::Progress { rows, bytes } = progress;
        self.progress.show(&Done { count: rows, part: self.bytes.map(|whole| (bytes, whole)) });
    }
}

#[expect(clippy::print_stderr, reason = "this is where refused rows are told of")]
fn line(text: &str) {
    eprintln!("{text}");
}
