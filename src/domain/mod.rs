//! The rules of Terse without HTTP: links and their clicks, owners and their keys, plans and QR
//! codes.
//!
//! Every function that returns an [`Error`] or a [`StoreError`](crate::store::StoreError) fails if the
//! database does. Their documentation names the other errors.

pub mod addresses;
pub mod backup;
pub mod blocks;
mod cache;
pub mod cache_invalidation;
pub mod changes;
pub mod check;
pub mod click_report;
pub mod clicks;
pub mod domains;
mod error;
pub mod export;
pub mod idempotency;
pub mod import;
pub mod keys;
pub mod links;
pub mod operators;
pub mod owner_deletion;
mod owner_lookup;
pub mod owners;
pub mod page;
pub mod partial_file;
mod periodic_task;
pub mod plans;
pub mod qr;
pub mod rate_limits;
pub mod status;
pub mod storage_space;
pub mod sweeper;
pub mod usage;
pub mod version;
pub mod webhooks;

pub use addresses::Addresses;
pub use cache_invalidation::Caches;
pub use error::{Error, Field};
pub use owner_lookup::Realm;
