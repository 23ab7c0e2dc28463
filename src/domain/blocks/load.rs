//! Loads the patterns from the database, at the start and after each change, and notices when one
//! expires, after which cached verdicts must be decided again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::blocklist::{Blocklist, ImportedList};
use super::pattern_list::{BlockAction, BlockRule, PatternList};
use crate::domain::periodic_task::PeriodicTask;
use crate::store::blocks::{BlockListPartRow, BlockListRow, BlockPatternRow};
use crate::store::{Durability, Reader, Store, StoreError, blocks};
use crate::values::{Reason, Timestamp};

/// Minimum interval between two loads. A change of the operator's own patterns must take effect
/// within a second.
const MIN_INTERVAL: Duration = Duration::from_millis(200);
/// Number of the operator's own patterns per statement.
const PAGE_PATTERNS: u64 = 1_000;
/// Number of parts of an imported list per statement.
const PAGE_PARTS: u64 = 16;
/// Maximum number of attempts to read a list, because an import may replace the list meanwhile.
const MAX_ATTEMPTS: u32 = 5;
/// Age in milliseconds from which an import that is not in force counts as interrupted.
const ABANDONED_AFTER: i64 = 60 * 60 * 1_000;
/// Maximum number of parts that one transaction deletes. Other writers wait for the transaction.
const DELETED_PARTS: u64 = 4;
/// Pause between two transactions, during which other writers can proceed.
const PAUSE: Duration = Duration::from_millis(10);
/// Number of random bits in the identifier of an import, below the bits of the time.
pub(super) const IMPORT_RANDOM_BITS: u32 = 20;

impl From<&BlockPatternRow> for BlockRule {
    fn from(row: &BlockPatternRow) -> Self {
        Self { action: BlockAction::from_stored(&row.action), reason: row.reason, until: row.until }
    }
}

/// Loads the patterns of a database into a blocklist. Returns the sources of the lists that it did
/// not load because parts are missing.
pub async fn load_into(store: &Store, blocklist: &Blocklist) -> Result<Vec<String>, StoreError> {
    load_own(store.reader(), blocklist).await?;
    let mut incomplete = Vec::new();
    for _ in 0..MAX_ATTEMPTS {
        incomplete = load_imported(store.reader(), blocklist).await?;
        if incomplete.is_empty() {
            break;
        }
    }
    Ok(incomplete.into_iter().map(|list| list.source).collect())
}

/// Loads the patterns again whenever a change is announced, and begins a new version of them
/// whenever a pattern expires. It runs until it is dropped.
pub async fn run(store: Store, blocklist: Arc<Blocklist>) {
    let replaced = Notify::new();
    // The three tasks run concurrently: a large list does not delay changes of the operator's own
    // patterns, and an unavailable database does not delay expiry.
    tokio::join!(
        run_own(&store, &blocklist, &replaced),
        renew_at_expiry(&store, &blocklist, &replaced),
        run_imported(&store, &blocklist),
    );
}

async fn run_own(store: &Store, blocklist: &Blocklist, replaced: &Notify) {
    let warning = "blocked destinations cannot be read; earlier patterns stay in force";
    let mut task = PeriodicTask::new(MIN_INTERVAL, "block-patterns", warning);
    let mut changes = blocklist.subscribe();
    loop {
        task.tick().await;
        changes.mark_unchanged();
        let loaded = load_own(store.reader(), blocklist).await;
        let is_loaded = loaded.is_ok();
        task.report(loaded);
        replaced.notify_one();
        if is_loaded && changes.changed().await.is_err() {
            return;
        }
    }
}

async fn run_imported(store: &Store, blocklist: &Blocklist) {
    let warning = "imported block lists cannot be read; earlier ones stay in force";
    let mut task = PeriodicTask::new(MIN_INTERVAL, "block-lists", warning);
    let mut changes = blocklist.subscribe();
    let (mut attempts, mut logged) = (0, Vec::new());
    loop {
        task.tick().await;
        changes.mark_unchanged();
        let incomplete = match load_imported(store.reader(), blocklist).await {
            Ok(incomplete) => incomplete,
            Err(error) => {
                task.report(Err(error));
                continue;
            }
        };
        task.report(Ok(()));
        attempts += 1;
        if !incomplete.is_empty() && attempts < MAX_ATTEMPTS {
            continue;
        }
        attempts = 0;
        let ids = incomplete.iter().map(|list| list.import_id).collect();
        for list in incomplete.iter().filter(|list| !logged.contains(&list.import_id)) {
            tracing::error!(
                source = list.source,
                "parts of a block list are missing in the database, so it is not loaded; import it \
                 again"
            );
        }
        logged = ids;
        if changes.changed().await.is_err() {
            return;
        }
    }
}

async fn load_own(db: &Reader, blocklist: &Blocklist) -> Result<(), StoreError> {
    let mut list = PatternList::new(None, BlockRule::block(Reason::Other));
    let mut last = String::new();
    loop {
        let page = blocks::own_patterns(db, &last, PAGE_PATTERNS).await?;
        let Some(newest) = page.last() else { break };
        last.clone_from(&newest.pattern);
        let is_last = (page.len() as u64) < PAGE_PATTERNS;
        let rules = page.iter().map(|row| (row.pattern.clone(), BlockRule::from(row)));
        list.push_rules(&rules.collect::<Vec<_>>());
        if is_last {
            break;
        }
    }
    blocklist.replace_own(list);
    Ok(())
}

/// Loads the imported lists that are not loaded yet. Returns the lists with missing parts, whose
/// earlier versions stay in force. Parts are missing if an import replaces the list meanwhile.
async fn load_imported(
    db: &Reader,
    blocklist: &Blocklist,
) -> Result<Vec<BlockListRow>, StoreError> {
    let snapshot = blocklist.snapshot();
    let (mut imported, mut incomplete, mut is_changed) = (Vec::new(), Vec::new(), false);
    for row in blocks::lists(db).await? {
        let loaded = snapshot.imported.iter().find(|one| one.import_id == row.import_id);
        if let Some(loaded) = loaded {
            imported.push(loaded.clone());
        } else if let Some(list) = load_list(db, &row).await? {
            imported.push(ImportedList { import_id: row.import_id, list: Arc::new(list) });
            is_changed = true;
        } else {
            let of_source = |one: &&ImportedList| one.list.source.as_deref() == Some(&row.source);
            imported.extend(snapshot.imported.iter().find(of_source).cloned());
            incomplete.push(row);
        }
    }
    if is_changed || imported.len() != snapshot.imported.len() {
        blocklist.replace_imported(imported);
    }
    Ok(incomplete)
}

/// Loads the parts of a list. Returns `None` if any part is missing.
async fn load_list(db: &Reader, row: &BlockListRow) -> Result<Option<PatternList>, StoreError> {
    let BlockListRow { source, import_id, reason, patterns, event_id: _ } = row;
    let rule = BlockRule::block(*reason);
    let (mut list, mut next) = (PatternList::new(Some(source), rule), 0);
    loop {
        let parts = blocks::parts(db, *import_id, next, PAGE_PARTS).await?;
        let Some(BlockListPartRow { part, .. }) = parts.last() else { break };
        next = part + 1;
        parts.into_iter().for_each(|part| list.push_part(part.patterns));
    }
    let is_complete = i64::try_from(list.count()) == Ok(*patterns);
    Ok(is_complete.then_some(list))
}

/// Deletes the parts of imports that were interrupted or replaced.
pub async fn sweep(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    let before = (now.millis() - ABANDONED_AFTER) << IMPORT_RANDOM_BITS;
    for import_id in blocks::abandoned_imports(store.reader(), before).await? {
        delete_parts(store, import_id).await?;
    }
    Ok(())
}

/// Deletes the parts of an import, a few per transaction.
pub(super) async fn delete_parts(store: &Store, import_id: i64) -> Result<(), StoreError> {
    loop {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        let is_more = blocks::delete_parts(&transaction, import_id, DELETED_PARTS).await?;
        transaction.commit().await?;
        if !is_more {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Maximum wait for the expiry of a pattern. After it, the task reads the clock again, which may
/// have been corrected.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Returns how long to wait until verdicts must be renewed, or `None` if the caller must renew them at once,
/// because a pattern has expired since the last renewal. That covers all patterns that expired up to
/// `renewed_until`.
///
/// A pattern that had already expired when this task first saw it counts too, because verdicts may be older.
fn next_renewal(
    renewed_until: &mut Timestamp,
    patterns: &PatternList,
    now: Timestamp,
) -> Option<Duration> {
    // The time is in the future if the clock was ahead and has been corrected.
    *renewed_until = now.min(*renewed_until);
    let Some(expiry) = patterns.next_expiry(*renewed_until) else { return Some(MAX_WAIT) };
    if expiry <= now {
        *renewed_until = now;
        return None;
    }
    let millis = u64::try_from(expiry.millis() - now.millis()).unwrap_or(0);
    Some(Duration::from_millis(millis.saturating_add(1)).min(MAX_WAIT))
}

/// Begins a new version of the patterns whenever one of the operator's own expires. `replaced`
/// announces that the operator's patterns were replaced. This function takes only the time from
/// `store`, so that it also works during an outage. It runs until it is dropped.
async fn renew_at_expiry(store: &Store, blocklist: &Blocklist, replaced: &Notify) {
    let mut renewed_until = Timestamp::from_millis(0);
    loop {
        let own = &blocklist.snapshot().own;
        let Some(wait) = next_renewal(&mut renewed_until, own, store.now()) else {
            blocklist.begin_new_version();
            continue;
        };
        tokio::select! {
            () = replaced.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::blocks::BlockRule;
    use crate::values::Reason;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn list(untils: &[i64]) -> PatternList {
        let rule = BlockRule::block(Reason::Other);
        let mut list = PatternList::new(None, rule);
        let rules: Vec<_> = untils
            .iter()
            .map(|until| {
                (format!("host{until}.example"), BlockRule { until: Some(at(*until)), ..rule })
            })
            .collect();
        list.push_rules(&rules);
        list
    }

    #[test]
    fn pattern_expired_before_the_first_check_is_due_once() {
        let mut until = at(0);
        let after = |millis| Some(Duration::from_millis(millis));
        assert_eq!(next_renewal(&mut until, &list(&[]), at(1_000)), Some(MAX_WAIT));
        // The list was loaded before 1_005, and the task first sees it after that.
        let loaded = list(&[1_005, 1_030]);
        assert_eq!(next_renewal(&mut until, &loaded, at(1_010)), None);
        assert_eq!(next_renewal(&mut until, &loaded, at(1_010)), after(21));
        assert_eq!(next_renewal(&mut until, &loaded, at(1_031)), None);
        assert_eq!(next_renewal(&mut until, &loaded, at(1_031)), Some(MAX_WAIT));
    }

    #[test]
    fn clock_correction_does_not_hide_an_expiry() {
        let mut until = at(0);
        let loaded = list(&[1_005, 1_500]);
        assert_eq!(next_renewal(&mut until, &loaded, at(2_000)), None);
        assert_eq!(next_renewal(&mut until, &loaded, at(1_100)), Some(Duration::from_millis(401)));
        assert_eq!(next_renewal(&mut until, &loaded, at(1_501)), None);
    }
}
