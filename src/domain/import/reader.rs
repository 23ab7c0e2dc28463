//! Opens the file of an import, and reads and checks its rows in chunks.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Seek as _, SeekFrom};

use formats::{FileNotices, FormatError, LinkReader, RawRow, ReadOptions, Row, RowLocation};
use tokio::sync::mpsc::Sender;

use super::code_lines::OtherRow;
use super::row::{Rules, ValidRow};

/// Maximum number of rows per chunk. Three chunks are in memory at a time, each of them in several
/// forms.
const MAX_ROWS: usize = 2_000;
/// Number of bytes of the file at which a chunk ends.
const MAX_BYTES: u64 = 1 << 19;

/// How much of the file the import has read.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportProgress {
    /// Number of rows.
    pub rows: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Rows that the import writes together.
pub(super) struct Chunk {
    pub(super) rows: Vec<CheckedRow>,
    /// Rows of other domains than the chosen one.
    pub(super) others: Vec<OtherRow>,
    /// How much of the file is read at the end of this chunk.
    pub(super) progress: ImportProgress,
    /// What else the file has, at its end. `None` in all chunks but the last.
    pub(super) notices: Option<FileNotices>,
}

/// A row of the file: a valid row, or all its errors.
pub(super) struct CheckedRow {
    pub(super) location: RowLocation,
    pub(super) origin: Option<RowLocation>,
    pub(super) source: RawRow,
    /// Domain of the link, if the file names one.
    pub(super) domain: Option<String>,
    pub(super) row: Result<ValidRow, String>,
}

/// Sends chunks until the file ends or the receiver is dropped. The last chunk has notices.
pub(super) fn read(mut records: LinkReader, rules: &Rules, chunks: &Sender<io::Result<Chunk>>) {
    let mut progress = ImportProgress::default();
    loop {
        let chunk = read_chunk(&mut records, rules, &mut progress);
        let is_over = chunk.as_ref().map_or(true, |chunk| chunk.notices.is_some());
        if chunks.blocking_send(chunk).is_err() || is_over {
            return;
        }
    }
}

fn read_chunk(
    records: &mut LinkReader,
    rules: &Rules,
    progress: &mut ImportProgress,
) -> io::Result<Chunk> {
    let (mut rows, mut others) = (Vec::with_capacity(MAX_ROWS), Vec::new());
    let start = records.bytes_read();
    let mut is_over = false;
    while rows.len() < MAX_ROWS && records.bytes_read() - start < MAX_BYTES {
        let Some(row) = records.next()? else {
            is_over = true;
            break;
        };
        let Row { location, origin, .. } = row;
        // A record with several codes has a link for each.
        let mut checked = Vec::with_capacity(1);
        match records.links(&row) {
            Ok(links) => {
                for link in links {
                    if link.is_of_other_domain {
                        others.extend(OtherRow::new(&link, location));
                    } else {
                        checked.push(rules.check(link, origin));
                    }
                }
            }
            Err(reason) => checked.push((None, Err(reason))),
        }
        if checked.is_empty() {
            continue;
        }
        let copies = std::iter::repeat_n(row.into_raw(), checked.len());
        rows.extend(checked.into_iter().zip(copies).map(|((domain, row), source)| CheckedRow {
            location,
            origin,
            source,
            domain,
            row,
        }));
        progress.rows += 1;
    }
    progress.bytes = records.bytes_read();
    let notices = is_over.then(|| records.notices());
    Ok(Chunk { rows, others, progress: *progress, notices })
}

/// Size of the buffer of the file in bytes.
const BUFFER: usize = 256 << 10;
/// Maximum number of domains that an error names.
const MAX_NAMED: usize = 20;

/// Reads the beginning of a file. Without a choice of a domain, it first reads a file that may have
/// several to its end, because the links of a second one must not follow those of the first. A pipe
/// is then stored in a temporary file.
///
/// # Errors
/// [`FormatError`]
pub(super) fn open_file(input: File, options: ReadOptions) -> Result<LinkReader, FormatError> {
    let mut file = input;
    if !file.metadata()?.is_file() {
        let mut pipe = BufReader::with_capacity(BUFFER, file);
        if is_of_one_domain(pipe.fill_buf()?, &options) {
            return LinkReader::new(Box::new(pipe), options);
        }
        file = tempfile::tempfile()?;
        io::copy(&mut pipe, &mut file)?;
        file.rewind()?;
    }
    let start = file.stream_position()?;
    let read = || Ok::<_, io::Error>(BufReader::with_capacity(BUFFER, file.try_clone()?));
    let reader = LinkReader::new(Box::new(read()?), options.clone())?;
    if options.domain.is_some() || !reader.may_have_domains() {
        return Ok(reader);
    }
    let domains = reader.into_domains()?;
    if domains.len() > 1 {
        return Err(FormatError::File(several(&domains)));
    }
    let mut again = read()?;
    again.seek(SeekFrom::Start(start))?;
    LinkReader::new(Box::new(again), options)
}

/// Returns whether the links of a file with this beginning have one domain.
fn is_of_one_domain(beginning: &[u8], options: &ReadOptions) -> bool {
    let reader = LinkReader::new(Box::new(Cursor::new(beginning.to_vec())), options.clone());
    options.domain.is_some() || reader.is_ok_and(|reader| !reader.may_have_domains())
}

fn several(domains: &BTreeMap<Option<String>, u64>) -> String {
    let named = domains.iter().take(MAX_NAMED).map(|(domain, links)| {
        let domain = domain.as_deref().unwrap_or("default").escape_debug();
        format!("{domain} ({links})")
    });
    let mut named: Vec<String> = named.collect();
    if let Some(more) = domains.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        named.push(format!("and {more} more"));
    }
    format!(
        "it has links of several domains, whose codes may be the same: {}; import them one by one \
         with --domain HOST, or --domain default",
        named.join(", ")
    )
}
