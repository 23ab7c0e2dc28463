//! Reads and checks rows, a chunk at a time.

use std::io;

use tokio::sync::mpsc::Sender;

use super::location::RowLocation;
use super::raw_record::{RawContent, RawRecord};
use super::records::Records;
use super::rejects::RawRow;
use super::row::{Rules, ValidRow};

/// Rows of a chunk, and the bytes of the file after which it has fewer: three chunks are in memory, each
/// in several forms.
const MAX_ROWS: usize = 2_000;
const MAX_BYTES: u64 = 1 << 19;

/// How much of a file has been read.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportProgress {
    /// Rows of the file.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Rows that are written together.
pub(super) struct Chunk {
    pub(super) rows: Vec<CheckedRow>,
    /// How far the file has been read.
    pub(super) progress: ImportProgress,
}

/// A row of the file: a link, or everything that is wrong with it.
pub(super) struct CheckedRow {
    pub(super) location: RowLocation,
    pub(super) origin: Option<RowLocation>,
    pub(super) source: RawRow,
    pub(super) row: Result<ValidRow, String>,
}

/// Sends chunks until the file ends, of which an empty one is the last, or the receiver is dropped.
pub(super) fn read(mut records: Records, rules: &Rules, chunks: &Sender<io::Result<Chunk>>) {
    let mut progress = ImportProgress::default();
    loop {
        let chunk = read_chunk(&mut records, rules, &mut progress);
        let is_over = chunk.as_ref().map_or(true, |chunk| chunk.rows.is_empty());
        if chunks.blocking_send(chunk).is_err() || is_over {
            return;
        }
    }
}

fn read_chunk(
    records: &mut Records,
    rules: &Rules,
    progress: &mut ImportProgress,
) -> io::Result<Chunk> {
    let mut rows = Vec::with_capacity(MAX_ROWS);
    let start = records.bytes();
    let source_of_file = records.kind().source;
    while rows.len() < MAX_ROWS && records.bytes() - start < MAX_BYTES {
        let Some(RawRecord { location, origin, content }) = records.next()? else { break };
        let (source, row) = match content {
            RawContent::Record { record, text } => {
                let row = rules.check(source_of_file, &record, origin);
                (text.map_or(RawRow::Fields(record.values), RawRow::Object), row)
            }
            RawContent::Broken { reason, text } => (RawRow::Text(text), Err(reason)),
        };
        rows.push(CheckedRow { location, origin, source, row });
        progress.rows += 1;
    }
    progress.bytes = records.bytes();
    Ok(Chunk { rows, progress: *progress })
}
