//! What an instance remembers of the database, and how it forgets.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::keys::KnownKey;
use super::links::Target;
use crate::values::{KeyHash, ShortCode};

/// Bytes that an entry takes beside its texts: counters and the cache's own lists.
const ENTRY_OVERHEAD: u64 = 160;

/// What an instance remembers. Nothing that is not in the database: a link or a key that was asked
/// for in vain is asked for again, since it may have been made a moment ago elsewhere.
#[derive(Debug)]
pub struct Caches {
    /// Where codes lead.
    pub links: Remembered<ShortCode, Target>,
    /// Whose keys are whose.
    pub keys: Remembered<KeyHash, KnownKey>,
}

impl Caches {
    /// Caches that take about `capacity` bytes for links at most, and a sixteenth of that for keys.
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        Self { links: Remembered::new(capacity), keys: Remembered::new(capacity / 16) }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.links.clear();
        self.keys.clear();
    }
}

/// Bytes that something remembered keeps on the heap beyond its own size.
pub trait HeapSize {
    /// That many.
    fn heap_size(&self) -> u64;
}

impl HeapSize for ShortCode {
    fn heap_size(&self) -> u64 {
        self.as_str().len() as u64
    }
}

impl HeapSize for KeyHash {
    fn heap_size(&self) -> u64 {
        0
    }
}

impl HeapSize for KnownKey {
    fn heap_size(&self) -> u64 {
        0
    }
}

#[derive(Debug, Clone)]
struct ByBytes;

impl<K: HeapSize, V: HeapSize> Weighter<K, Arc<V>> for ByBytes {
    fn weight(&self, key: &K, value: &Arc<V>) -> u64 {
        ENTRY_OVERHEAD + key.heap_size() + value.heap_size()
    }
}

/// A cache that does not keep what was read before it was told to forget.
pub struct Remembered<K: HeapSize, V: HeapSize> {
    entries: Cache<K, Arc<V>, ByBytes>,
    /// How often something was forgotten.
    forgotten: AtomicU64,
}

/// Proof that its holder began to read from the database at some moment.
#[derive(Debug)]
pub struct Ticket(u64);

impl<K: Hash + Eq + Clone + HeapSize, V: HeapSize> Remembered<K, V> {
    fn new(capacity: u64) -> Self {
        let entries = usize::try_from(capacity / (ENTRY_OVERHEAD * 2)).unwrap_or(usize::MAX);
        Self {
            entries: Cache::with_weighter(entries.clamp(16, 4096), capacity, ByBytes),
            forgotten: AtomicU64::new(0),
        }
    }

    /// What is remembered of `key`.
    pub fn get<Q>(&self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.get(key)
    }

    /// To be taken before the database is read.
    pub fn ticket(&self) -> Ticket {
        Ticket(self.forgotten.load(Ordering::Acquire))
    }

    /// Remembers what was read since the ticket was taken, unless something was forgotten
    /// meanwhile: then it may be from before the change.
    pub fn insert(&self, ticket: Ticket, key: K, value: Arc<V>) {
        self.entries.insert(key.clone(), value);
        // Asked after it is in, so that a change which comes between is seen here or forgets it.
        if self.forgotten.load(Ordering::Acquire) != ticket.0 {
            self.entries.remove(&key);
        }
    }

    /// Forgets one entry.
    pub fn forget<Q>(&self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        self.entries.remove(key);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        self.entries.clear();
    }

    /// How many entries there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }
}

impl<K: HeapSize, V: HeapSize> std::fmt::Debug for Remembered<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Remembered(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text(&'static str);

    impl HeapSize for Text {
        fn heap_size(&self) -> u64 {
            self.0.len() as u64
        }
    }

    impl HeapSize for u32 {
        fn heap_size(&self) -> u64 {
            0
        }
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept() {
        let cache: Remembered<u32, Text> = Remembered::new(100_000);
        let ticket = cache.ticket();
        cache.forget(&1);
        cache.insert(ticket, 1, Arc::new(Text("old")));
        assert!(cache.get(&1).is_none());

        let ticket = cache.ticket();
        cache.insert(ticket, 1, Arc::new(Text("new")));
        assert_eq!(cache.get(&1).map(|text| text.0), Some("new"));
    }

    #[test]
    fn its_size_is_bounded_in_bytes() {
        let cache: Remembered<u32, Text> = Remembered::new(20_000);
        for key in 0..10_000 {
            cache.insert(
                cache.ticket(),
                key,
                Arc::new(Text("a destination of forty bytes or thereabouts")),
            );
        }
        let most = 20_000 / 160;
        assert!((most / 2..=most).contains(&cache.count()), "{}", cache.count());
    }

    #[test]
    fn codes_count_too() {
        let cache: Remembered<ShortCode, Text> = Remembered::new(20_000);
        for number in 0..10_000 {
            let code = ShortCode::parse(&format!("{number:064}")).unwrap();
            cache.insert(cache.ticket(), code, Arc::new(Text("")));
        }
        let most = 20_000 / (160 + 64);
        assert!((most / 2..=most).contains(&cache.count()), "{}", cache.count());
    }
}
