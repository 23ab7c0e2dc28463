//! Links from a file: Terse's own export, or another service's.
//!
//! One thread reads the file and checks its rows; here they go into the database, in the order of the
//! file and a few at a time. Nothing is remembered beside the links themselves: a row whose link is
//! there already is known by its code, and one without a code by the code that it was given.

mod codes;
mod dates;
mod format;
mod json;
mod lines;
mod objects;
mod place;
mod record;
mod records;
mod rejects;
mod row;
mod settle;
mod table;

use std::io::{self, BufRead};
use std::pin::{Pin, pin};

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::oneshot;

pub use self::format::{Format, Syntax};
pub use self::place::Place;
use self::records::{Content, RawRecord, Records};
pub use self::rejects::Rejects;
use self::row::{Row, Rules};
use self::settle::{Settled, settle};
use super::AdminError;
use super::owners::named;
use crate::store::import::ImportOutcome;
use crate::store::{ImportWriter, Store, StoreError, installation};
use crate::values::{BaseUrl, Timestamp};

/// Rows that go to the database together at most, and the bytes of the file after which they are fewer:
/// three times as many are in memory, each in several forms.
const ROWS: usize = 2_000;
const BYTES: u64 = 1 << 19;

/// What is to be imported, and how.
#[derive(Debug)]
pub struct Options {
    /// Whose the links will be.
    pub owner: String,
    /// The service's own address, where no link may lead.
    pub service: BaseUrl,
    /// What the file is; found out unless told.
    pub told: Told,
    /// Nothing is to be changed.
    pub is_rehearsal: bool,
    /// When links are made that do not say when.
    pub now: Timestamp,
}

/// What is said of a file before it is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told {
    /// Whose columns it has.
    pub format: Option<Format>,
    /// How it is written.
    pub syntax: Option<Syntax>,
}

/// What a file is.
#[derive(Debug, Clone, Copy)]
pub struct FileKind<'a> {
    /// Whose columns it has.
    pub format: Format,
    /// The names of CSV's columns; JSON has none.
    pub columns: Option<&'a [String]>,
}

impl FileKind<'_> {
    /// Columns that mean nothing here, as far as somebody may have thought that they do.
    #[must_use]
    pub fn unknown_columns(&self) -> Vec<&str> {
        self.format.unknown(self.columns.unwrap_or_default())
    }
}

/// How far an import is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Rows of the file.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows of which it is known what became of them.
    pub rows: u64,
    /// Links that were made.
    pub imported: u64,
    /// Rows whose links were there already.
    pub already_there: u64,
    /// Rows that became no link.
    pub refused: u64,
    /// Links with several tags, which no campaign can keep.
    pub several_tags: u64,
    /// It ended before the file did.
    pub is_interrupted: bool,
}

/// A row that became no link.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// Where it begins.
    pub place: Place,
    /// Where it began when it was first read, if this file holds what was refused then.
    pub origin: Option<Place>,
    /// Everything that is wrong with it.
    pub reason: &'a str,
    /// What it is.
    pub source: &'a RawRow,
}

/// What stands in a file.
#[derive(Debug, Clone)]
pub enum RawRow {
    /// The values of CSV's columns.
    Fields(Vec<Option<String>>),
    /// A JSON object.
    Object(String),
    /// A text that is neither.
    Text(String),
}

/// Whoever is told of an import as it goes on.
pub trait Report {
    /// What the file is.
    ///
    /// # Errors
    /// Whatever ends the import.
    fn begin(&mut self, kind: &FileKind<'_>) -> io::Result<()>;
    /// A row was refused. They come in the order of the file.
    ///
    /// # Errors
    /// Whatever ends the import.
    fn refused(&mut self, refusal: &Refusal<'_>) -> io::Result<()>;
    /// Some rows more are done.
    fn progress(&mut self, progress: Progress);
}

/// Why an import broke off. What was imported until then stays.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is nothing that can be imported.
    #[error("{0}")]
    File(String),
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    /// Whoever was told of it cannot go on.
    #[error("the report cannot be written: {0}")]
    Report(io::Error),
    /// There is no such owner.
    #[error(transparent)]
    Admin(#[from] AdminError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Rows that were read together.
struct Chunk {
    items: Vec<Item>,
    done: Progress,
}

struct Item {
    place: Place,
    origin: Option<Place>,
    source: RawRow,
    row: Result<Row, String>,
}

/// Imports what `input` has, or as much of it as there is time for until `stop` is ready. What has
/// become of it so far stands in `summary`, also where it breaks off.
///
/// # Errors
/// [`ImportError`]
pub async fn run(
    store: &Store,
    input: Box<dyn BufRead + Send>,
    options: Options,
    stop: impl Future<Output = ()>,
    report: &mut impl Report,
    summary: &mut Summary,
) -> Result<(), ImportError> {
    // Until it has ended.
    summary.is_interrupted = true;
    let Options { owner, service, told, is_rehearsal, now } = options;
    let owner_id = named(store.reader(), &owner).await?.id;
    let installation = installation::secret(store.reader()).await?;
    let mut stop = pin!(stop);
    let records = tokio::select! {
        () = &mut stop => return Ok(()),
        begun = begin(input, told) => begun?,
    };
    report.begin(&records.kind()).map_err(ImportError::Report)?;
    let mut writer = if is_rehearsal {
        ImportWriter::dry_run(store, owner_id).await?
    } else {
        ImportWriter::open(store, owner_id).await?
    };
    let rules = Rules { service, owner_id, installation, now };
    // One chunk waits while one is written and one is read.
    let (sender, mut chunks) = mpsc::channel(1);
    std::thread::spawn(move || read(records, &rules, &sender));
    let written = write(&mut chunks, &mut writer, stop, report, summary).await;
    // Also where it broke off: what was imported until then stays.
    let finished = writer.finish().await;
    let is_whole = written?;
    finished?;
    summary.is_interrupted = !is_whole;
    Ok(())
}

/// Reads the beginning, for which somebody may have to type it first.
async fn begin(input: Box<dyn BufRead + Send>, told: Told) -> Result<Records, ImportError> {
    let (sender, begun) = oneshot::channel();
    std::thread::spawn(move || sender.send(Records::of(input, told)));
    begun.await.map_err(|_| ImportError::Read(io::ErrorKind::Other.into()))?
}

/// Whether it came to the end.
async fn write(
    chunks: &mut Receiver<io::Result<Chunk>>,
    writer: &mut ImportWriter,
    mut stop: Pin<&mut impl Future<Output = ()>>,
    report: &mut impl Report,
    summary: &mut Summary,
) -> Result<bool, ImportError> {
    loop {
        let chunk = tokio::select! {
            biased;
            () = &mut stop => return Ok(false),
            chunk = chunks.recv() => chunk,
        };
        // An empty one is the last.
        let lost = || ImportError::Read(io::Error::other("what reads it broke off"));
        let Chunk { items, done } = chunk.ok_or_else(lost)??;
        if items.is_empty() {
            return Ok(true);
        }
        let (settled, put) = settle(writer, items).await;
        // It is in the database, whatever becomes of the report.
        summary.rows += settled.len() as u64;
        for item in &settled {
            summary.add(item);
        }
        let told = tell_refused(&settled, report);
        put?;
        told.map_err(ImportError::Report)?;
        report.progress(done);
    }
}

fn tell_refused(settled: &[Settled], report: &mut impl Report) -> io::Result<()> {
    for item in settled {
        let reason = match &item.outcome {
            Ok(ImportOutcome::Created | ImportOutcome::AlreadyExists) => continue,
            Ok(ImportOutcome::CodeInUse) => "the short code is in use",
            Ok(ImportOutcome::PlanLimitReached) => "the plan's link limit is reached",
            Err(reason) => reason,
        };
        let (place, origin) = (item.place, item.origin);
        report.refused(&Refusal { place, origin, reason, source: &item.source })?;
    }
    Ok(())
}

impl Summary {
    fn add(&mut self, item: &Settled) {
        match item.outcome {
            Ok(ImportOutcome::Created) => {
                self.imported += 1;
                self.several_tags += u64::from(item.has_several_tags);
            }
            Ok(ImportOutcome::AlreadyExists) => self.already_there += 1,
            Ok(ImportOutcome::CodeInUse | ImportOutcome::PlanLimitReached) | Err(_) => {
                self.refused += 1
            }
        }
    }
}

/// Reads and checks until the file ends or nobody wants any more of it.
fn read(mut records: Records, rules: &Rules, chunks: &Sender<io::Result<Chunk>>) {
    let mut done = Progress::default();
    loop {
        let chunk = read_chunk(&mut records, rules, &mut done);
        let is_over = chunk.as_ref().map_or(true, |chunk| chunk.items.is_empty());
        if chunks.blocking_send(chunk).is_err() || is_over {
            return;
        }
    }
}

fn read_chunk(records: &mut Records, rules: &Rules, done: &mut Progress) -> io::Result<Chunk> {
    let mut items = Vec::with_capacity(ROWS);
    let begun = records.bytes();
    let format = records.kind().format;
    while items.len() < ROWS && records.bytes() - begun < BYTES {
        let Some(RawRecord { place, origin, content }) = records.next()? else { break };
        let (source, row) = match content {
            Content::Record { record, text } => {
                let row = rules.check(format, &record, origin);
                (text.map_or(RawRow::Fields(record.values), RawRow::Object), row)
            }
            Content::Broken { reason, text } => (RawRow::Text(text), Err(reason)),
        };
        items.push(Item { place, origin, source, row });
        done.rows += 1;
    }
    done.bytes = records.bytes();
    Ok(Chunk { items, done: *done })
}
