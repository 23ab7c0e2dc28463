//! End-to-end tests: the program as it is shipped, over HTTP and the command line.
//!
//! Every test starts the built `terse` on its own database. The variable `TEST_STORE` selects the
//! kind of database: `sqlite`, the default, or `postgres`. `harness::response` checks what applies to
//! all responses.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says that it failed by panicking"
)]

mod aborts;
mod actors;
mod attacks;
mod auth;
mod backups;
mod batches;
mod blocks;
mod bodies;
mod busy;
mod check;
mod cli;
mod cli_changes;
mod cli_copy;
mod cli_export;
mod cli_import;
mod cli_usage;
mod click_days;
mod client_limits;
mod clusters;
mod codes;
mod completions;
mod connections;
mod damage;
mod database_urls;
mod deletions;
mod destinations;
mod document;
mod domains;
mod empty_variables;
mod entrances;
mod expiry;
mod fairness;
mod faults;
mod fuzz;
mod harness;
mod heads;
mod health;
mod idempotency;
mod instances;
mod key_commands;
mod kill;
mod lifecycle;
mod link_commands;
mod link_deletions;
mod link_properties;
mod link_redirects;
mod listeners;
mod listing;
mod litestream;
mod locked_directories;
mod logs;
mod long_texts;
mod lost_access;
mod manage;
mod markdown;
mod memory;
mod metrics;
mod model;
mod moves;
mod mutations;
mod operator;
mod operator_safety;
mod outage;
mod owner_commands;
mod owner_deletion;
mod paged_lists;
mod pages;
mod pauses;
mod permissions;
mod plans;
mod precedence;
mod problems;
mod qr;
mod qr_reader;
mod rate_limits;
mod read_only;
mod redirect;
mod reverse_proxies;
mod shorten;
mod spooling;
mod stalled_disk;
mod stalls;
mod standbys;
mod standstills;
mod stats;
mod streams;
mod undo;
mod undo_races;
mod unfinished_lists;
mod upgrades;
mod uploads;
mod usage;
mod visitor_pages;
mod webhooks;
