//! What differs between SQLite and PostgreSQL in queries that both run otherwise.

use sea_orm::{ConnectionTrait, DbBackend};

use super::error::StoreError;

/// The database that runs a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlDialect {
    Sqlite,
    Postgres,
}

/// How a list reads the index that has its links.
#[derive(Debug)]
pub(super) struct IndexUse {
    /// What follows the name of the table.
    pub(super) hint: String,
    /// Condition that the query repeats for the index. `$1` is the bound of the identifiers.
    pub(super) bound: &'static str,
    pub(super) order: &'static str,
}

/// The index of links by owner and campaign.
pub(super) const CAMPAIGN_INDEX: &str = "links_owner_id_campaign_idx";

impl SqlDialect {
    /// Returns the database behind a connection.
    pub(super) fn from_connection(db: &impl ConnectionTrait) -> Self {
        if db.get_database_backend() == DbBackend::Postgres { Self::Postgres } else { Self::Sqlite }
    }

    /// Returns whether the rows of links have checksums.
    pub(super) const fn has_checksums(self) -> bool {
        matches!(self, Self::Sqlite)
    }

    /// Returns the tables with counts of clicks. On PostgreSQL, `recent_counts` is a view without
    /// rows.
    pub(super) const fn count_tables(self) -> &'static [&'static str] {
        match self {
            Self::Sqlite => &["click_counts", "recent_counts"],
            Self::Postgres => &["click_counts"],
        }
    }

    /// Returns the condition that a column has one of the values of a query, by which the database
    /// searches an index for each value.
    pub(super) fn is_any_of(self, column: &str, query: &str) -> String {
        match self {
            Self::Sqlite => format!("{column} IN ({query})"),
            Self::Postgres => format!("{column} = ANY (ARRAY({query}))"),
        }
    }

    /// Returns what follows the name of a table to read it by an index, which SQLite might not choose.
    pub(super) fn index_hint(self, index: &str) -> String {
        match self {
            Self::Sqlite => format!(" INDEXED BY {index}"),
            Self::Postgres => String::new(),
        }
    }

    /// Returns the functions for the lowest and the highest of several values.
    pub(super) const fn extremes(self) -> [&'static str; 2] {
        match self {
            Self::Sqlite => ["MIN", "MAX"],
            Self::Postgres => ["LEAST", "GREATEST"],
        }
    }

    /// Returns the number of the month of a day, such as 202601.
    pub(super) fn month_of_day(self, day: &str) -> String {
        match self {
            Self::Sqlite => {
                format!("CAST(strftime('%Y%m', ({day}) * 86400, 'unixepoch') AS integer)")
            }
            Self::Postgres => format!(
                "CAST(to_char(to_timestamp(({day}) * 86400) AT TIME ZONE 'UTC', 'YYYYMM') AS bigint)"
            ),
        }
    }

    /// Returns what follows a column to sort missing values before all others.
    pub(super) const fn nulls_first(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "NULLS FIRST",
        }
    }

    /// Returns the end of a query that locks its rows in this mode of PostgreSQL. On SQLite,
    /// transactions that write exclude each other anyway.
    pub(super) const fn row_lock(self, mode: &'static str) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => mode,
        }
    }

    /// Returns how a list of the newest links of an owner reads an index.
    pub(super) fn index_use(self, index: &str) -> IndexUse {
        let hint = self.index_hint(index);
        match self {
            // The index stores `id >> 10`, so that 1,024 identifiers share one entry.
            Self::Postgres if index == CAMPAIGN_INDEX => IndexUse {
                hint,
                bound: " AND id >> 10 <= ($1 - 1) >> 10",
                order: "id >> 10 DESC, id DESC",
            },
            Self::Sqlite | Self::Postgres => IndexUse { hint, bound: "", order: "id DESC" },
        }
    }

    /// Returns the statements that let the next identifiers of a table follow `last`, which is SQL.
    /// SQLite does so by itself, unless the last row was deleted.
    pub(super) fn continue_identifiers(self, table: &str, last: &str) -> Vec<String> {
        match self {
            Self::Sqlite => vec![
                format!("DELETE FROM sqlite_sequence WHERE name = '{table}'"),
                format!("INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', {last})"),
            ],
            Self::Postgres => vec![format!(
                "SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last} + 1, false)"
            )],
        }
    }
}

/// Takes a lock of this number until the transaction ends. On SQLite, transactions that write
/// exclude each other anyway.
pub(super) async fn lock(db: &impl ConnectionTrait, number: u64) -> Result<(), StoreError> {
    if SqlDialect::from_connection(db) == SqlDialect::Postgres {
        db.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({number})")).await?;
    }
    Ok(())
}
