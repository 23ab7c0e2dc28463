//! Links from a file: Terse's own export, or another service's.
//!
//! One thread reads the file and checks its rows; here they go into the database, in the order of the
//! file and a few at a time. Nothing is remembered beside the links themselves: a row whose link is
//! there already is known by its code, and one without a code by the code that it was given.

mod codes;
mod dates;
mod format;
mod lines;
mod record;
mod records;
mod row;

use std::io::{self, BufRead};

use tokio::sync::mpsc::{self, Receiver, Sender};

pub use self::format::Format;
use self::records::Records;
use self::row::{Row, Rules};
use super::AdminError;
use crate::store::import::{Fate, Wanted, Writer};
use crate::store::{Store, StoreError, installation, owners};
use crate::values::{BaseUrl, Moment};

/// Rows that go to the database together, and the bytes of a file above which they are fewer.
const ROWS: usize = 2_000;
const BYTES: u64 = 1 << 20;

/// What is to be imported, and how.
#[derive(Debug)]
pub struct Options {
    /// Whose the links will be.
    pub owner: String,
    /// The service's own address, where no link may lead.
    pub service: BaseUrl,
    /// Whose export it is; found out unless told.
    pub format: Option<Format>,
    /// Nothing is to be changed.
    pub is_rehearsal: bool,
    /// When links are made that do not say when.
    pub now: Moment,
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
    /// Rows that were read.
    pub rows: u64,
    /// Links that were made.
    pub imported: u64,
    /// Rows whose links were there already.
    pub already_there: u64,
    /// Rows that became no link.
    pub refused: u64,
    /// Links with several tags, which no campaign can keep.
    pub several_tags: u64,
}

/// A row that became no link.
#[derive(Debug)]
pub struct Refusal<'a> {
    /// Where it begins.
    pub line: u64,
    /// Why.
    pub reason: &'a str,
    /// Its fields, where it has those of CSV's columns.
    pub fields: Option<&'a [Option<String>]>,
    /// How it stands in the file, where it does not.
    pub text: Option<&'a str>,
}

/// Whoever is told of an import as it goes on.
pub trait Report {
    /// What the file is, and the names of CSV's columns.
    ///
    /// # Errors
    /// Whatever ends the import.
    fn begin(&mut self, format: Format, columns: Option<&[String]>) -> io::Result<()>;
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
    line: u64,
    fields: Option<Vec<Option<String>>>,
    text: Option<String>,
    row: Result<Row, String>,
}

/// Imports what `input` has.
///
/// # Errors
/// [`ImportError`]
pub async fn run(
    store: &Store,
    input: Box<dyn BufRead + Send>,
    options: Options,
    report: &mut impl Report,
) -> Result<Summary, ImportError> {
    let Options { owner, service, format, is_rehearsal, now } = options;
    let found = owners::find(store.reader(), &owner).await?;
    let owner_id = found.ok_or(AdminError::NoSuchOwner(owner))?.id;
    let installation = installation::name(store.reader()).await?;
    let records = Records::of(input, format)?;
    report.begin(records.format, records.header()).map_err(ImportError::Report)?;
    let mut writer = if is_rehearsal {
        Writer::rehearse(store, owner_id).await?
    } else {
        Writer::open(store, owner_id).await?
    };
    let rules = Rules { service, owner_id, installation, now };
    // One chunk waits while one is written and one is read.
    let (sender, mut chunks) = mpsc::channel(1);
    std::thread::spawn(move || read(records, &rules, &sender));
    let summary = write(&mut chunks, &mut writer, report).await?;
    writer.finish().await?;
    Ok(summary)
}

async fn write(
    chunks: &mut Receiver<io::Result<Chunk>>,
    writer: &mut Writer,
    report: &mut impl Report,
) -> Result<Summary, ImportError> {
    let mut summary = Summary::default();
    while let Some(chunk) = chunks.recv().await {
        let Chunk { items, done } = chunk?;
        for item in settle(writer, items).await? {
            let reason = match item.outcome {
                Ok(Fate::Made) => {
                    summary.imported += 1;
                    summary.several_tags += u64::from(item.has_several_tags);
                    continue;
                }
                Ok(Fate::Known) => {
                    summary.already_there += 1;
                    continue;
                }
                Ok(Fate::Taken) => "the short code is in use",
                Ok(Fate::NoPlace) => "the plan's limit of links is reached",
                Err(ref reason) => reason,
            };
            summary.refused += 1;
            let (fields, text) = (item.fields.as_deref(), item.text.as_deref());
            let refusal = Refusal { line: item.line, reason, fields, text };
            report.refused(&refusal).map_err(ImportError::Report)?;
        }
        summary.rows = done.rows;
        report.progress(done);
    }
    Ok(summary)
}

/// A row of which is known what became of it.
struct Settled {
    line: u64,
    fields: Option<Vec<Option<String>>>,
    text: Option<String>,
    has_several_tags: bool,
    outcome: Result<Fate, String>,
}

/// Puts a chunk's rows into the database. A row without a code of its own whose code is somebody
/// else's tries the next one.
async fn settle(writer: &mut Writer, items: Vec<Item>) -> Result<Vec<Settled>, ImportError> {
    let mut settled = Vec::with_capacity(items.len());
    let mut waiting: Vec<(usize, Option<codes::Codes>)> = Vec::new();
    let mut wanted: Vec<Wanted> = Vec::new();
    for (place, Item { line, fields, text, row }) in items.into_iter().enumerate() {
        let has_several_tags = row.as_ref().is_ok_and(|row| row.has_several_tags);
        // Until it is known better.
        let outcome = row.map(|row| {
            waiting.push((place, row.codes));
            wanted.push(row.wanted);
            Fate::Taken
        });
        settled.push(Settled { line, fields, text, has_several_tags, outcome });
    }
    while !wanted.is_empty() {
        let fates = writer.put(&wanted).await?;
        let (rows, tried) = (std::mem::take(&mut wanted), std::mem::take(&mut waiting));
        for ((mut row, (place, codes)), fate) in rows.into_iter().zip(tried).zip(fates) {
            settled[place].outcome = Ok(fate);
            if let (Fate::Taken, Some(mut codes)) = (fate, codes) {
                row.code = codes.next();
                wanted.push(row);
                waiting.push((place, Some(codes)));
            }
        }
    }
    Ok(settled)
}

/// Reads and checks until the file ends or nobody wants any more of it.
fn read(mut records: Records, rules: &Rules, chunks: &Sender<io::Result<Chunk>>) {
    let mut done = Progress::default();
    let mut last = (0, 0);
    loop {
        let chunk = read_chunk(&mut records, rules, &mut done, &mut last);
        let is_over = chunk.as_ref().map_or(true, |chunk| chunk.items.is_empty());
        if chunks.blocking_send(chunk).is_err() || is_over {
            return;
        }
    }
}

fn read_chunk(
    records: &mut Records,
    rules: &Rules,
    done: &mut Progress,
    last: &mut (u64, u64),
) -> io::Result<Chunk> {
    let mut items = Vec::with_capacity(ROWS);
    let begun = records.bytes();
    while items.len() < ROWS && records.bytes() - begun < BYTES {
        let Some(read) = records.next()? else { break };
        // The line, and which of its objects.
        *last = if last.0 == read.line { (read.line, last.1 + 1) } else { (read.line, 0) };
        let (fields, row) = match read.record {
            Ok(record) => {
                let row = rules.check(records.format, &record, last.0, last.1);
                (read.text.is_none().then_some(record.values), row)
            }
            Err(reason) => (None, Err(reason)),
        };
        items.push(Item { line: read.line, fields, text: read.text, row });
        done.rows += 1;
    }
    done.bytes = records.bytes();
    Ok(Chunk { items, done: *done })
}
