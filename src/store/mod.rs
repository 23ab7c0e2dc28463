//! The database: entities and named queries.
//!
//! [`Store`] holds the connections. `database` chooses between SQLite and PostgreSQL, and `dialect`
//! has what differs in queries. Queries are functions that take a connection or a transaction, so
//! that their callers decide which queries share a transaction.
//! Modules import each other in one direction: `database` → `sqlite`, `postgres` → queries →
//! entities.
//!
//! A click passes through several tables. The domain has `click_report`, which reads the sums for reports,
//! and its own `day_close`, which runs the close. These modules hold or sum clicks:
//!
//! | Module | Table | What it has |
//! | --- | --- | --- |
//! | `clicks` | `pending_clicks`, `recent_counts`, `click_counts` | The count of each link |
//! | `click_days` | `click_days`, `day_close`, `click_months`, `usage_months` | Clicks of a link by day, once the day is closed, and how far the close has come; clicks of the closed days by month: of a link, and of an owner |
//! | `usage` | `usage_months`, `usage_requests`, `owners` | What an owner used in a month: links, requests, clicks |
//! | `click_sums` | none of its own | Sums by day and by month, with the clicks of days that are not closed |
//!
//! Every function that returns a [`StoreError`] fails if the database does. Their documentation
//! names the other errors.

pub mod backup;
mod batcher;
pub mod blocks;
pub mod books_clock;
mod call;
pub mod check;
pub mod click_days;
pub mod click_sums;
pub mod clicks;
pub mod code_lookup;
mod copy;
pub mod create_links;
mod database;
mod dialect;
pub mod domains;
pub mod entities;
mod error;
pub mod event_pages;
pub mod events;
mod files;
pub mod idempotency;
pub mod import;
mod import_dry_run;
pub mod installation;
pub mod invalidations;
pub mod keys;
pub mod link_changes;
pub mod link_checksums;
pub mod link_pages;
pub mod links;
pub mod operator_keys;
mod options;
pub mod owners;
pub mod plans;
mod postgres;
mod query;
pub mod range_sums;
mod sqlite;
pub mod subscriptions;
mod url;
pub mod usage;
pub mod webhook_deliveries;
pub mod webhooks;

pub use copy::{CopyProgress, DatabaseCounts, copy};
pub use database::{DatabaseState, Reader, Store, Transaction, WritePermit};
pub use error::{Attempts, StallReason, StoreError};
pub use files::{PrivateFileError, check_private, free_space};
pub use import_dry_run::DryRun as ImportDryRun;
pub use migration::is_known as is_known_schema;
pub use options::{Durability, IfMissing, Limits};
pub use query::MAX_READ;
pub use sea_orm::ConnectionTrait as Connection;
pub use sqlite::journal::ClickJournal;
pub use url::{DatabaseUrl, sqlite_files, with_suffix};
