//! The two ways to read a list: one page, and all pages as a stream.

use std::future::Future;

use futures_util::future::OptionFuture;
use futures_util::stream::try_unfold;
use futures_util::{FutureExt as _, Stream};

use super::version::hash;

/// Position in a list, after which the list continues with items that have lower positions.
///
/// The position of an item is its identifier where it has one. Others have a hash of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListPosition(pub i64);

impl ListPosition {
    /// The beginning of a list, before its newest item.
    pub const START: Self = Self(i64::MAX);

    /// Returns a hash of 63 bits, for positions of items that have a name instead of an identifier.
    pub fn hash(name: &str) -> i64 {
        i64::from_be_bytes(hash(name)) & i64::MAX
    }
}

/// Which page of a list to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Position after which the page begins.
    pub position: ListPosition,
    /// Maximum number of items.
    pub limit: u32,
}

impl PageRequest {
    /// Returns the request for the first page of a list.
    pub const fn first(limit: u32) -> Self {
        Self { position: ListPosition::START, limit }
    }

    /// Returns the number of items to read: a further one shows whether the list continues.
    pub fn rows(self) -> u64 {
        u64::from(self.limit) + 1
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPage<T> {
    /// The items.
    pub items: Vec<T>,
    /// Position after the page. `None`: the list ends with it.
    pub next: Option<ListPosition>,
}

impl<T> FoundPage<T> {
    /// Returns a page without items, with which the list ends.
    pub const fn empty() -> Self {
        Self { items: Vec::new(), next: None }
    }

    /// Converts the items.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> FoundPage<U> {
        FoundPage { items: self.items.into_iter().map(convert).collect(), next: self.next }
    }

    /// Returns the page without the further item that was read. `end` returns the position of the last
    /// item.
    pub fn cut(mut items: Vec<T>, limit: u32, end: impl FnOnce(&T) -> i64) -> Self {
        let continues = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| continues).map(|last| ListPosition(end(last)));
        Self { items, next }
    }
}

/// Returns the pages of a list as a stream, beginning after `first`. `read` returns the items after a
/// key and the key of the next page, unless the list ends. It must hold neither a transaction nor a
/// connection between two pages, because the reader of the stream may be slow.
pub fn stream<K, T, E, F>(
    first: K,
    mut read: impl FnMut(K) -> F,
) -> impl Stream<Item = Result<Vec<T>, E>>
where
    F: Future<Output = Result<(Vec<T>, Option<K>), E>>,
{
    try_unfold(Some(first), move |key| {
        OptionFuture::from(key.map(&mut read)).map(Option::transpose)
    })
}
