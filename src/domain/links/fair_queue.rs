//! A queue that is fair between owners.

use std::collections::{HashMap, VecDeque};

/// A queue of items of several owners. It is FIFO for each owner and serves the owners in rotation,
/// so that an owner with many items does not delay the others.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    owners: HashMap<i64, OwnerQueue<T>>,
    /// The owners with items, in the order in which they are served.
    rotation: VecDeque<i64>,
    bytes: usize,
}

/// The items of one owner, each with its size in bytes.
#[derive(Debug)]
struct OwnerQueue<T> {
    items: VecDeque<(usize, T)>,
    bytes: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { owners: HashMap::new(), rotation: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Default for OwnerQueue<T> {
    fn default() -> Self {
        Self { items: VecDeque::new(), bytes: 0 }
    }
}

impl<T> FairQueue<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.rotation.is_empty()
    }

    /// Returns the size of all items in bytes.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes room for an item of `bytes` bytes, so that all items together have at most `max_bytes`.
    /// Returns whether there is room, and the items that it removed for that: the newest ones of
    /// owners who have more in the queue than this one.
    pub(super) fn make_room(
        &mut self,
        owner_id: i64,
        bytes: usize,
        max_bytes: usize,
    ) -> (bool, Vec<T>) {
        let share = self.owners.get(&owner_id).map_or(0, |queue| queue.bytes) + bytes;
        let mut removed = Vec::new();
        while self.bytes + bytes > max_bytes {
            let Some(largest) = self.owners.values_mut().max_by_key(|queue| queue.bytes) else {
                return (false, removed);
            };
            let Some((last, _)) = largest.items.back() else { return (false, removed) };
            // Otherwise the owners would take the same room from each other forever.
            if largest.bytes - last < share {
                return (false, removed);
            }
            if let Some((last, item)) = largest.items.pop_back() {
                largest.bytes -= last;
                self.bytes -= last;
                removed.push(item);
            }
        }
        (true, removed)
    }

    /// Appends an item to its owner's queue.
    pub(super) fn push_back(&mut self, owner_id: i64, bytes: usize, item: T) {
        self.bytes += bytes;
        let queue = self.owners.entry(owner_id).or_default();
        if queue.items.is_empty() {
            self.rotation.push_back(owner_id);
        }
        queue.bytes += bytes;
        queue.items.push_back((bytes, item));
    }

    /// Puts an item at the front of its owner's queue.
    pub(super) fn push_front(&mut self, owner_id: i64, bytes: usize, item: T) {
        self.bytes += bytes;
        let queue = self.owners.entry(owner_id).or_default();
        if queue.items.is_empty() {
            self.rotation.push_front(owner_id);
        }
        queue.bytes += bytes;
        queue.items.push_front((bytes, item));
    }

    /// Removes and returns the first item of the owner whose turn it is.
    pub(super) fn pop(&mut self) -> Option<T> {
        let owner_id = self.rotation.pop_front()?;
        let queue = self.owners.get_mut(&owner_id)?;
        let (bytes, item) = queue.items.pop_front()?;
        queue.bytes -= bytes;
        self.bytes -= bytes;
        if queue.items.is_empty() {
            self.owners.remove(&owner_id);
        } else {
            self.rotation.push_back(owner_id);
        }
        Some(item)
    }

    /// Removes and returns all items that meet the condition.
    pub(super) fn extract_if(&mut self, condition: impl Fn(&T) -> bool) -> Vec<T> {
        let mut extracted = Vec::new();
        for queue in self.owners.values_mut() {
            let items = std::mem::take(&mut queue.items);
            for (bytes, item) in items {
                if condition(&item) {
                    queue.bytes -= bytes;
                    self.bytes -= bytes;
                    extracted.push(item);
                } else {
                    queue.items.push_back((bytes, item));
                }
            }
        }
        self.owners.retain(|_, queue| !queue.items.is_empty());
        self.rotation.retain(|owner_id| self.owners.contains_key(owner_id));
        extracted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAX_BYTES: usize = 40;

    #[derive(Debug, Clone)]
    enum Action {
        /// An owner adds an item of this size.
        Add(i64, usize),
        /// A batch of at most this size is taken. If it fails, its items return to the queue.
        Take(usize, bool),
        /// The items with an even number are extracted.
        Extract,
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let action = prop_oneof![
            8 => (0..4_i64, 1..9_usize).prop_map(|(owner, bytes)| Action::Add(owner.min(3), bytes)),
            3 => (1..8_usize, any::<bool>()).prop_map(|(max, fails)| Action::Take(max, fails)),
            1 => Just(Action::Extract),
        ];
        proptest::collection::vec(action, 1..120)
    }

    /// An item: its owner, its number and its size.
    type Item = (i64, usize, usize);

    /// Panics unless the batch is FIFO for each owner and serves all waiting owners alike.
    fn assert_fair(batch: &[Item], waiting: &HashMap<i64, VecDeque<usize>>) {
        let taken = |owner| batch.iter().filter(move |(other, ..)| *other == owner).count();
        for (owner, numbers) in waiting {
            let of_owner = batch.iter().filter(|(other, ..)| other == owner);
            let first: Vec<usize> = numbers.iter().copied().take(taken(*owner)).collect();
            assert_eq!(of_owner.map(|(_, number, _)| *number).collect::<Vec<_>>(), first);
            // An owner who still waits has been served as often as any other, apart from the last
            // round.
            if numbers.len() > taken(*owner) {
                let most = waiting.keys().map(|other| taken(*other)).max().unwrap_or(0);
                assert!(taken(*owner) + 1 >= most, "{batch:?} of {waiting:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn items_are_served_in_rotation_and_none_is_lost(actions in actions()) {
            let mut queue = FairQueue::<Item>::default();
            let mut waiting: HashMap<i64, VecDeque<usize>> = HashMap::new();
            let forget = |waiting: &mut HashMap<i64, VecDeque<usize>>, items: &[Item]| {
                for (owner, number, _) in items {
                    let numbers = waiting.get_mut(owner).unwrap();
                    let index = numbers.iter().position(|other| other == number).unwrap();
                    numbers.remove(index);
                }
            };
            for (number, action) in actions.into_iter().enumerate() {
                match action {
                    Action::Add(owner, bytes) => {
                        let before = queue.owners.get(&owner).map_or(0, |queue| queue.bytes);
                        let (has_room, removed) = queue.make_room(owner, bytes, MAX_BYTES);
                        prop_assert!(removed.iter().all(|(other, ..)| *other != owner));
                        forget(&mut waiting, &removed);
                        if has_room {
                            queue.push_back(owner, bytes, (owner, number, bytes));
                            waiting.entry(owner).or_default().push_back(number);
                        } else {
                            // Only an owner who has at least an equal share is rejected.
                            let others = queue.owners.iter().filter(|(other, _)| **other != owner);
                            let most = others.map(|(_, queue)| queue.bytes).max().unwrap_or(0);
                            prop_assert!(before + bytes + 8 >= most);
                        }
                    }
                    Action::Take(max, fails) => {
                        let batch: Vec<Item> = std::iter::from_fn(|| queue.pop()).take(max).collect();
                        let all: usize = waiting.values().map(VecDeque::len).sum();
                        prop_assert_eq!(batch.len(), max.min(all));
                        assert_fair(&batch, &waiting);
                        if fails {
                            for item in batch.into_iter().rev() {
                                queue.push_front(item.0, item.2, item);
                            }
                        } else {
                            forget(&mut waiting, &batch);
                        }
                    }
                    Action::Extract => {
                        let extracted = queue.extract_if(|(_, number, _)| number % 2 == 0);
                        prop_assert!(extracted.iter().all(|(_, number, _)| number % 2 == 0));
                        forget(&mut waiting, &extracted);
                        prop_assert!(waiting.values().flatten().all(|number| number % 2 == 1));
                    }
                }
                prop_assert!(queue.bytes() <= MAX_BYTES);
                prop_assert_eq!(queue.is_empty(), waiting.values().all(VecDeque::is_empty));
            }
            while let Some(item) = queue.pop() {
                forget(&mut waiting, &[item]);
            }
            prop_assert!(waiting.values().all(VecDeque::is_empty));
            prop_assert_eq!((queue.bytes(), queue.owners.len()), (0, 0));
        }
    }
}
