//! Imports of lists of patterns.

use std::io::{self, BufRead};
use std::time::Duration;

use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::load::{IMPORT_RANDOM_BITS, delete_parts};
use super::pattern_list::PatternSorter;
use crate::domain::Error;
use crate::domain::changes::{Action, Change, Changed, Subject};
use crate::store::blocks::{BlockListPartRow, BlockListRow};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Durability, Store, StoreError, blocks};
use crate::values::{BlockListLine, Reason, ValidationError};

/// Number of parts that one transaction stores. Other writers wait for the transaction.
const STORED_PARTS: usize = 4;
/// Pause between two transactions, during which other writers can proceed.
const PAUSE: Duration = Duration::from_millis(5);

/// The patterns of a file, sorted.
#[derive(Debug)]
pub struct ImportedPatterns {
    /// Number of different patterns.
    pub count: u64,
    /// Number of valid patterns, repeated ones included.
    pub valid: u64,
    /// Number of lines with a fault. Their valid patterns still count in `valid`.
    pub invalid: u64,
    /// Parts of the list, each with many patterns, one per line.
    pub(super) parts: Vec<String>,
}

/// Whether patterns may have a host without a dot, such as a top-level domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DotlessHosts {
    /// A host without a dot is a pattern.
    Accepted,
    /// A host without a dot is a fault, because it is usually a word in a file that is not a list.
    Rejected,
}

/// Reads the patterns of a file: a list with one pattern per line, or a hosts file. For each
/// invalid line, it calls `invalid` with the line number and the fault, and skips only the invalid
/// part. It does not return the faults, because every line of a file may have one.
///
/// # Errors
/// If the file cannot be read.
pub fn read_patterns(
    mut input: impl BufRead,
    dotless_hosts: DotlessHosts,
    mut invalid: impl FnMut(u64, &ValidationError),
) -> io::Result<ImportedPatterns> {
    let (mut sorter, mut number, mut valid, mut invalid_lines) =
        (PatternSorter::default(), 0, 0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        let parsed = match std::str::from_utf8(&line) {
            Ok(text) if number == 1 => BlockListLine::parse(text.trim_start_matches('\u{feff}')),
            Ok(text) => BlockListLine::parse(text),
            Err(_) => {
                let fault = Some(ValidationError::because("must be UTF-8"));
                BlockListLine { patterns: Vec::new(), fault }
            }
        };
        let BlockListLine { patterns, fault } = match dotless_hosts {
            DotlessHosts::Accepted => parsed,
            DotlessHosts::Rejected => parsed.without_dotless_hosts(),
        };
        if !patterns.iter().all(|pattern| sorter.add(pattern)) {
            return Err(io::Error::other("the patterns have more than 4 GiB"));
        }
        valid += patterns.len() as u64;
        if let Some(fault) = fault {
            invalid_lines += 1;
            invalid(number, &fault);
        }
    }
    let (count, parts) = sorter.into_parts();
    Ok(ImportedPatterns { count, valid, invalid: invalid_lines, parts })
}

/// Returns the number of patterns of a source, or `None` if the source does not exist.
pub async fn count_source(store: &Store, source: &str) -> Result<Option<u64>, StoreError> {
    Ok(blocks::list(store.reader(), source).await?.as_ref().map(count))
}

fn count(list: &BlockListRow) -> u64 {
    u64::try_from(list.patterns).unwrap_or(0)
}

/// Replaces all patterns of a source. The new patterns take effect all at once. An interrupted
/// import changes nothing. Returns the number of patterns that the source had before, or `None` if
/// it did not exist.
///
/// # Errors
/// [`Error::BlockImportLost`]. Then nothing has changed.
pub async fn import(
    store: &Store,
    source: &str,
    patterns: &ImportedPatterns,
    change: &Change,
) -> Result<Changed<Option<u64>>, Error> {
    let list = blocks::list(store.reader(), source).await?;
    let before = list.as_ref().map(count);
    let is_unchanged = is_unchanged(store, list, patterns, change).await?;
    if is_unchanged || change.is_dry_run {
        let changed = if is_unchanged { 0 } else { patterns.count };
        return Ok(Changed { changed, value: before, ..Changed::default() });
    }
    let random: i64 = UnwrapErr(SysRng).random_range(0..1 << IMPORT_RANDOM_BITS);
    let import_id = change.now.millis() << IMPORT_RANDOM_BITS | random;
    let imported = async {
        store_parts(store, import_id, &patterns.parts).await?;
        put_in_force(store, source, import_id, patterns, change).await
    };
    match imported.await {
        Ok(imported) => {
            if let Some(replaced) = &imported.value {
                delete_replaced_parts(store, replaced.import_id).await;
            }
            Ok(imported.map(|replaced| replaced.as_ref().map(count)))
        }
        Err(error) => {
            // If the deletion fails as well, the server deletes the parts later.
            let _ = delete_parts_unless_in_force(store, source, import_id).await;
            Err(error)
        }
    }
}

/// Removes a source with all its patterns.
///
/// # Errors
/// [`Error::BlockSourceNotFound`].
pub async fn remove_source(store: &Store, source: &str, change: &Change) -> Result<Changed, Error> {
    let removed = change.apply(store, Action::BlockRemoveSource, async |mut transaction| {
        let db = &transaction.db;
        // This comes first, because its lock makes concurrent changes wait for each other.
        invalidations::publish(db, &Invalidation::Blocks, change.now).await?;
        let Some(list) = blocks::list(db, source).await? else {
            return Err(Error::BlockSourceNotFound(source.to_owned()));
        };
        blocks::delete_list(db, source).await?;
        transaction.record_for(change.reason, &Subject::new(source), count(&list)).await?;
        transaction.done(list.import_id)
    });
    let removed = removed.await?;
    if !change.is_dry_run {
        delete_replaced_parts(store, removed.value).await;
    }
    Ok(removed.map(|_| ()))
}

/// Deletes the parts of a list that is no longer in force. If the deletion fails, the server
/// repeats it later.
async fn delete_replaced_parts(store: &Store, import_id: i64) {
    if let Err(error) = delete_parts(store, import_id).await {
        tracing::debug!(%error, "parts of the replaced list remain");
    }
}

/// Deletes the parts of a failed import unless they are in force, because a commit that returned an
/// error may have succeeded.
async fn delete_parts_unless_in_force(
    store: &Store,
    source: &str,
    import_id: i64,
) -> Result<(), StoreError> {
    let list = blocks::list(store.reader(), source).await?;
    if list.is_some_and(|list| list.import_id == import_id) {
        return Ok(());
    }
    delete_parts(store, import_id).await
}

/// Returns whether a list has exactly these patterns, with the same reason.
async fn is_unchanged(
    store: &Store,
    list: Option<BlockListRow>,
    patterns: &ImportedPatterns,
    change: &Change,
) -> Result<bool, StoreError> {
    let Some(list) = list else { return Ok(false) };
    let reason = list.reason;
    if u64::try_from(list.patterns) != Ok(patterns.count)
        || change.reason.is_some_and(|given| given != reason)
    {
        return Ok(false);
    }
    for (number, part) in (0..).zip(&patterns.parts) {
        let stored = blocks::parts(store.reader(), list.import_id, number, 1).await?;
        if stored.first().is_none_or(|stored| stored.part != number || stored.patterns != *part) {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn store_parts(store: &Store, import_id: i64, parts: &[String]) -> Result<(), StoreError> {
    let mut numbers = 0..;
    for slice in parts.chunks(STORED_PARTS) {
        let rows = slice.iter().zip(&mut numbers);
        let rows = rows.map(|(patterns, part)| BlockListPartRow {
            import_id,
            part,
            patterns: patterns.clone(),
        });
        let rows = rows.collect();
        let transaction = store.begin(Durability::ProcessDeath).await?;
        blocks::insert_parts(&transaction, rows).await?;
        transaction.commit().await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Puts the parts of an import in force, and returns the list that they replace.
async fn put_in_force(
    store: &Store,
    source: &str,
    import_id: i64,
    patterns: &ImportedPatterns,
    change: &Change,
) -> Result<Changed<Option<BlockListRow>>, Error> {
    let put = change.apply(store, Action::BlockImport, async |mut transaction| {
        let db = &transaction.db;
        // This comes first, because its lock makes concurrent changes wait for each other.
        invalidations::publish(db, &Invalidation::Blocks, change.now).await?;
        if blocks::count_parts(db, import_id).await? != patterns.parts.len() as u64 {
            return Err(Error::BlockImportLost);
        }
        let replaced = blocks::list(db, source).await?;
        let kept = replaced.as_ref().map(|list| list.reason);
        let reason = change.reason.or(kept).unwrap_or(Reason::Other);
        let subject = Subject::new(source);
        let event_id = transaction.record_for(Some(reason), &subject, patterns.count).await?;
        let list = BlockListRow {
            source: source.to_owned(),
            import_id,
            reason,
            patterns: i64::try_from(patterns.count).unwrap_or(i64::MAX),
            event_id,
        };
        blocks::put_list(&transaction.db, list).await?;
        transaction.done(replaced)
    });
    put.await
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of lists of patterns.
    const PIECES: [&str; 20] = [
        "evil.example",
        "https://",
        "/",
        "%2F",
        "%25",
        "..",
        ".",
        "*.",
        "127.0.0.1 ",
        "[2001:db8::1]",
        " ",
        "\t",
        "\n",
        "\r\n",
        "#",
        "ü",
        "xn--",
        "\u{feff}",
        "\0",
        ":8080",
    ];

    fn content() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            20 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..4),
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// A percent-encoded or Punycode character is longer than the character by a constant factor.
        #[test]
        fn any_list_gives_at_most_patterns_of_its_size(
            start in content(),
            repeated in content(),
            times in 0..2_000_usize,
        ) {
            let file = [start, repeated.repeat(times)].concat();
            let mut faults = 0;
            let read = read_patterns(&*file, DotlessHosts::Accepted, |_, _| faults += 1).unwrap();
            let size: usize = read.parts.iter().map(String::len).sum();
            prop_assert!(size <= 9 * file.len() + 64, "{} bytes of {}", size, file.len());
            prop_assert_eq!(faults, read.invalid);
            prop_assert!(faults <= file.split(|byte| *byte == b'\n').count() as u64);
        }
    }
}
