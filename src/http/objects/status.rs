//! Whether all is well.

use poem_openapi::registry::MetaSchema;
use strum::VariantNames as _;

use super::fields::{Count, Text, TimeText, enum_schema, words};
use crate::domain::status::{self, Instance, ServerStatus};
use crate::http::openapi::field::{EXTENSIBLE, Nullable, response_fields};
use crate::http::openapi::response_object::response_object;
use crate::http::problem::Problem;
use crate::store::Store;
use crate::store::installation::Overview;
use crate::values::Timestamp;

words! {
    /// Kind of a database.
    DatabaseKindWord: &Store::KINDS;
    /// What needs attention.
    WarningWord: status::Warning::VARIANTS;
}

response_object! {
    example_status().into();

    /// Whether all is well: what the service has and does today, and what needs attention.
    pub struct Status: From<status::Status> = status::Status {
        overview: Overview { schema, last_backup_at, instances, links, links_today, owners, clicks_today },
        database_kind, size_bytes, free_bytes, are_clicks_waiting, server, warnings,
    } => {
        /// Version of the program that responds.
        version: Text = env!("CARGO_PKG_VERSION").to_owned().into(),
        /// The schema of the database: the name of its newest migration.
        schema: Text,
        /// The database.
        database: DatabaseStatus = (database_kind, size_bytes, free_bytes).into(),
        /// When the last complete backup of the SQLite database began; `null` if Terse knows none, and on
        /// PostgreSQL, which other programs back up.
        last_backup_at: Nullable<TimeText>,
        /// Number of running servers that share the database. One that was killed counts for 45 seconds;
        /// one that only reads counts for itself.
        instances: Count,
        /// Number of links, deleted ones not included.
        links: Count,
        /// Number of links created today (UTC), deleted ones included, imported ones not.
        links_today: Count,
        /// Number of owners.
        owners: Count,
        /// Number of clicks today (UTC).
        clicks_today: Count,
        /// Whether clicks wait until the database takes them.
        are_clicks_waiting: bool,
        /// The server that responds; `null` if a command does.
        server: Nullable<ServerState>,
        /// What needs attention; empty if all is well.
        #[oai(validator(max_items = 100))]
        warnings: Vec<Warning> = warnings.into_iter().map(Into::into).collect(),
    }
}

response_object! {
    nested
    /// The database.
    pub struct DatabaseStatus: From<(&'static str, u64, Option<u64>)> = (kind, size_bytes, free_bytes) => {
        /// `sqlite` or `postgres`.
        kind: DatabaseKindWord,
        /// Size in bytes: of the tables and indexes, without a write-ahead log.
        size_bytes: Count = bytes(size_bytes),
        /// Free space in bytes on the disk of an SQLite database; `null` on PostgreSQL, which does not
        /// report it.
        free_bytes: Nullable<Count> = Nullable(free_bytes.map(bytes)),
    }
}

response_object! {
    nested
    /// The server that responds.
    pub struct ServerState: From<ServerStatus> = ServerStatus {
        instance: Instance { id: _, started_at }, failed_requests, can_commit: _,
    } => {
        /// When it started.
        started_at: TimeText,
        /// Number of requests that it has answered with a status of 500 or above since.
        failed_requests: Count = bytes(failed_requests),
    }
}

response_object! {
    nested
    /// Something that needs attention.
    pub struct Warning: From<status::Warning> = warning => {
        /// What it is: `database-read-only`, `clicks-waiting`, `disk-full` or `backup-overdue`.
        code: WarningWord = warning.into_str().into(),
        /// What is wrong, and what to do.
        detail: Text = Problem::sentence(warning.detail()).into(),
    }
}

fn bytes(number: u64) -> Count {
    Count(i64::try_from(number).unwrap_or(i64::MAX))
}

fn example_status() -> status::Status {
    let time = Timestamp::from_millis(1_700_000_000_000);
    let server = ServerStatus {
        instance: Instance { id: 1, started_at: time },
        failed_requests: 0,
        can_commit: true,
    };
    status::Status {
        overview: Overview {
            schema: "m1_0014_external_ids".to_owned(),
            last_backup_at: Some(time),
            instances: 1,
            links: 48_210,
            links_today: 312,
            owners: 35,
            clicks_today: 90_127,
        },
        database_kind: "sqlite",
        size_bytes: 41_943_040,
        free_bytes: Some(64_424_509_440),
        are_clicks_waiting: false,
        server: Some(server),
        warnings: Vec::new(),
    }
}
