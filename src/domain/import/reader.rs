//! Opens the file of an import, reads and checks its rows in chunks, and knows which of its lines have the
//! codes of an import.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufRead as _, BufReader, Cursor, Seek as _, SeekFrom};

use formats::{
    FileLink, FileNotices, FormatError, LinkReader, RawRow, ReadOptions, Row, RowLocation,
};
use tokio::sync::mpsc::Sender;

use super::row::{Rules, ValidRow};
use crate::values::ShortCode;

/// Maximum number of rows per chunk. Three chunks are in memory at a time, each of them in several
/// forms.
const MAX_ROWS: usize = 2_000;
/// Number of bytes of the file at which a chunk ends.
const MAX_BYTES: u64 = 1 << 19;
/// Maximum number of codes, which bounds the memory to about 30 MB.
const MAX_CODES: usize = 900_000;

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

/// The lines of the first codes of a file.
#[derive(Debug, Default)]
pub(super) struct CodeLines {
    state: RandomState,
    /// Places by the hashes of codes, because the codes would need more memory.
    places: HashMap<u64, Place>,
    /// Domains of rows that the import does not read.
    other_domains: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    line: u32,
    /// Number of the object in the line, or 0.
    object: u32,
    /// Index of the domain, or `None` for a row that the import reads.
    other_domain: Option<u16>,
}

/// A code in a row of another domain than the chosen one.
#[derive(Debug)]
pub(super) struct OtherRow {
    pub(super) code: ShortCode,
    pub(super) location: RowLocation,
    /// `default` if the row has no domain of its own.
    pub(super) domain: String,
}

impl OtherRow {
    /// Returns `None` for a link without a code that Terse accepts.
    pub(super) fn new(link: &FileLink<'_>, location: RowLocation) -> Option<Self> {
        let code = ShortCode::parse_imported(link.short_code.as_deref()?).ok()?;
        let domain = link.domain.as_deref().unwrap_or("default").to_owned();
        Some(Self { code, location, domain })
    }
}

/// The row that has a code.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) location: RowLocation,
    /// The domain, if it is another one than the chosen one.
    pub(super) other_domain: Option<String>,
}

impl CodeLines {
    /// Notes that the link at `location` has this code, unless an earlier one does.
    pub(super) fn note(&mut self, code: &ShortCode, location: RowLocation) {
        self.note_place(code, location, None);
    }

    /// Notes that a row which the import does not read has this code.
    pub(super) fn note_other(&mut self, row: OtherRow) {
        let OtherRow { code, location, domain } = row;
        let known = self.other_domains.iter().position(|other| *other == domain);
        let index = known.unwrap_or_else(|| {
            self.other_domains.push(domain);
            self.other_domains.len() - 1
        });
        if let Ok(index) = index.try_into() {
            self.note_place(&code, location, Some(index));
        }
    }

    /// Returns the row that has this code. Returns `None` if it is no row of this file, or one
    /// beyond the limit.
    pub(super) fn find(&self, code: &ShortCode) -> Option<Holder> {
        let place = self.places.get(&self.state.hash_one(code.as_str()))?;
        let Place { line, object, other_domain } = *place;
        let object = (object > 0).then_some(object.into());
        let other_domain =
            other_domain.and_then(|index| self.other_domains.get(usize::from(index)).cloned());
        Some(Holder { location: RowLocation { line: line.into(), object }, other_domain })
    }

    fn note_place(&mut self, code: &ShortCode, location: RowLocation, other_domain: Option<u16>) {
        let RowLocation { line, object } = location;
        let (Ok(line), Ok(object)) = (line.try_into(), object.unwrap_or(0).try_into()) else {
            return;
        };
        let place = Place { line, object, other_domain };
        let hash = self.state.hash_one(code.as_str());
        let has_room = self.places.len() < MAX_CODES;
        match self.places.entry(hash) {
            // A row that the import reads has the code rather than one that it does not.
            Entry::Occupied(mut earlier) => {
                if earlier.get().other_domain.is_some() && other_domain.is_none() {
                    earlier.insert(place);
                }
            }
            Entry::Vacant(entry) if has_room => {
                entry.insert(place);
            }
            Entry::Vacant(_) => {}
        }
    }
}
