//! PostgreSQL: pools of connections that are replaced after each outage.
//!
//! One task checks the database several times per second ([`heartbeat`]). When an outage begins,
//! the work in progress is cancelled. Until the outage ends, new work fails at once.
//!
//! | module | content |
//! |---|---|
//! | [`connector`], [`server_info`] | connections and their settings, properties and clock of the server |
//! | [`pool`], [`dedicated`] | pools for requests, lookups and background tasks; single connections |
//! | [`health`], [`heartbeat`], [`lease`] | availability, and the deadlines of all work |
//! | [`commits`] | the commits in progress, and whether the database completes them |
//! | [`database`] | the handle that the rest of the store uses |
//! | [`clicks`], [`create_links`], [`import`], [`links`] | statements for PostgreSQL only |

mod clicks;
mod commits;
mod connector;
mod create_links;
mod database;
mod dedicated;
mod health;
mod heartbeat;
mod import;
mod lease;
mod link_columns;
mod links;
mod pool;
mod server_info;

pub(super) use self::connector::Isolation;
pub(super) use self::database::Postgres;
pub(super) use self::lease::LeasedTransaction as Transaction;
