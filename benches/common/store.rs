//! What Terse keeps its links in.

use clap::ValueEnum;

use super::postgres::Cluster;

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

impl Store {
    /// Leaves out what is not installed, and says so.
    pub(crate) fn keep_possible(stores: &mut Vec<Self>) {
        if stores.contains(&Self::Postgres) && !Cluster::is_possible() {
            eprintln!(
                "PostgreSQL is not installed (no initdb in /usr/lib/postgresql or PATH): left out"
            );
            stores.retain(|store| *store != Self::Postgres);
        }
    }
}
