//! States of clients in a table of constant size.

use std::sync::{Mutex, MutexGuard, PoisonError};

use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::ShrinkableKeyedStateStore;

/// Number of parts, each with a lock of its own.
const SHARDS: usize = 64;
/// Number of slots per set. A key may be in each slot of one set.
const SLOTS: usize = 16;
/// Maximum number of keys: 16 MiB of slots.
pub(super) const MAX_KEYS: usize = 1 << 20;
/// Number of sets per shard.
const SETS: usize = MAX_KEYS / SHARDS / SLOTS;

/// A key, and the time in nanoseconds at which its limit has refilled. Both are 0 in a free slot.
type Slot = [u64; 2];

/// A table of states that never has more than [`MAX_KEYS`] keys.
///
/// If a set is full, a new key replaces the one whose limit has refilled most. An exhausted key
/// thus stays until all 16 keys of its set are exhausted. To reset a limit, a client with many
/// addresses would need more requests than it gains. Keys must be hashes that clients cannot
/// predict, so that clients cannot choose the set.
///
/// The operating system allocates the memory of slots only when they are first used.
#[derive(Debug)]
pub(super) struct ClientTable {
    shards: Vec<Mutex<Vec<Slot>>>,
}

impl Default for ClientTable {
    fn default() -> Self {
        let shard = || Mutex::new(vec![[0; 2]; SETS * SLOTS]);
        Self { shards: std::iter::repeat_with(shard).take(SHARDS).collect() }
    }
}

impl ClientTable {
    fn lock(shard: &Mutex<Vec<Slot>>) -> MutexGuard<'_, Vec<Slot>> {
        // A panic leaves all slots valid.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for ClientTable {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // A key of 0 would look like a free slot.
        let key = (*key).max(1);
        let (shard, set) = (key as usize % SHARDS, key as usize / SHARDS % SETS);
        let mut slots = Self::lock(&self.shards[shard]);
        let slots = &mut slots[set * SLOTS..(set + 1) * SLOTS];
        let known = slots.iter().position(|[other, _]| *other == key);
        let (result, state) = decide(known.map(|index| Nanos::new(slots[index][1])))?;
        let slot = match known {
            Some(index) => Some(&mut slots[index]),
            None => slots.iter_mut().min_by_key(|[_, state]| *state),
        };
        if let Some(slot) = slot {
            *slot = [key, state.as_u64()];
        }
        Ok(result)
    }
}

impl ShrinkableKeyedStateStore<u64> for ClientTable {
    fn retain_recent(&self, drop_below: Nanos) {
        for shard in &self.shards {
            for slot in Self::lock(shard).iter_mut() {
                // Free slots are not written, so that they take no memory.
                if slot[0] != 0 && slot[1] <= drop_below.as_u64() {
                    *slot = [0; 2];
                }
            }
        }
    }

    fn len(&self) -> usize {
        let count = |shard| Self::lock(shard).iter().filter(|slot| slot[0] != 0).count();
        self.shards.iter().map(count).sum()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
