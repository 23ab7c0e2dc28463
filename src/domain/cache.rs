//! A cache that rejects a value from the database if an invalidation happened after the read of the
//! value began.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::values::{KeyHash, ShortCode};

/// Bytes per entry besides the heap memory of its key and value.
const ENTRY_OVERHEAD: u64 = 160;

/// A cached key or value whose heap memory counts towards the capacity.
pub trait HeapSize {
    /// Returns the number of bytes that the value owns on the heap.
    fn heap_size(&self) -> u64 {
        0
    }
}

impl HeapSize for ShortCode {
    fn heap_size(&self) -> u64 {
        self.as_str().len() as u64
    }
}

impl HeapSize for KeyHash {}

#[derive(Debug, Clone)]
struct WeighByBytes;

impl<K: HeapSize, V: HeapSize> Weighter<K, Arc<V>> for WeighByBytes {
    fn weight(&self, key: &K, value: &Arc<V>) -> u64 {
        ENTRY_OVERHEAD + key.heap_size() + value.heap_size()
    }
}

/// A cache with a capacity in bytes.
///
/// Each invalidation increments the generation of the cache. A value that was read from the
/// database enters the cache only if the generation is the same as before the read. Otherwise the
/// value may be outdated.
pub struct VersionedCache<K: HeapSize, V: HeapSize> {
    entries: Cache<K, Arc<V>, WeighByBytes>,
    generation: AtomicU64,
}

/// The generation of a cache when a read from the database began.
#[derive(Debug)]
pub struct ReadVersion(u64);

impl<K: Hash + Eq + Clone + HeapSize, V: HeapSize> VersionedCache<K, V> {
    /// Creates an empty cache of about `capacity` bytes.
    pub(super) fn new(capacity: u64) -> Self {
        let entries = usize::try_from(capacity / (ENTRY_OVERHEAD * 2)).unwrap_or(usize::MAX);
        Self {
            entries: Cache::with_weighter(entries.clamp(16, 4096), capacity, WeighByBytes),
            generation: AtomicU64::new(0),
        }
    }

    /// Returns the cached value of `key`, or `None` if the cache lacks it.
    pub fn get<Q>(&self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.get(key)
    }

    /// Returns the version to pass to [`Self::insert`]. Callers must call this function before they
    /// read from the database.
    pub fn begin_read(&self) -> ReadVersion {
        ReadVersion(self.generation.load(Ordering::Acquire))
    }

    /// Stores a value that was read after [`Self::begin_read`], unless an invalidation has happened
    /// since, because the value may then be outdated.
    pub fn insert(&self, version: ReadVersion, key: K, value: Arc<V>) {
        self.entries.insert(key.clone(), value);
        // The check follows the insertion: either the check detects a concurrent invalidation, or
        // the invalidation removes the entry.
        if self.generation.load(Ordering::Acquire) != version.0 {
            self.entries.remove(&key);
        }
    }

    /// Removes the entry of `key`.
    pub fn invalidate(&self, key: &K) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.entries.remove(key);
    }

    /// Removes the entries whose values meet a condition. It visits every entry.
    pub fn invalidate_if(&self, condition: impl Fn(&V) -> bool) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.entries.retain(|_, value| !condition(value));
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.entries.clear();
    }

    /// Returns the number of entries.
    pub fn count(&self) -> usize {
        self.entries.len()
    }
}

impl<K: HeapSize, V: HeapSize> std::fmt::Debug for VersionedCache<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VersionedCache(…)")
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

    impl HeapSize for u32 {}

    #[test]
    fn value_read_before_invalidation_is_rejected() {
        let cache: VersionedCache<u32, Text> = VersionedCache::new(100_000);
        let version = cache.begin_read();
        cache.invalidate(&1);
        cache.insert(version, 1, Arc::new(Text("old")));
        assert!(cache.get(&1).is_none());

        let version = cache.begin_read();
        cache.insert(version, 1, Arc::new(Text("new")));
        assert_eq!(cache.get(&1).map(|text| text.0), Some("new"));
    }

    #[test]
    fn values_count_towards_capacity() {
        let cache: VersionedCache<u32, Text> = VersionedCache::new(20_000);
        for key in 0..10_000 {
            let text = Text("a destination of forty bytes or thereabouts");
            cache.insert(cache.begin_read(), key, Arc::new(text));
        }
        let max = 20_000 / 160;
        assert!((max / 2..=max).contains(&cache.count()), "{}", cache.count());
    }

    #[test]
    fn keys_count_towards_capacity() {
        let cache: VersionedCache<ShortCode, Text> = VersionedCache::new(20_000);
        for number in 0..10_000 {
            let code = ShortCode::from_stored(&format!("{number:064}"));
            cache.insert(cache.begin_read(), code, Arc::new(Text("")));
        }
        let max = 20_000 / (160 + 64);
        assert!((max / 2..=max).contains(&cache.count()), "{}", cache.count());
    }
}
