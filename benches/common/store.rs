//! The databases that are compared.

use harness::{Cluster, Store};

/// Removes PostgreSQL from the stores, with a message, if it is not installed.
pub fn keep_available(stores: &mut Vec<Store>) {
    if stores.contains(&Store::Postgres) && !Cluster::is_available() {
        eprintln!(
            "PostgreSQL is not installed (no initdb in /usr/lib/postgresql or PATH): left out"
        );
        stores.retain(|store| *store != Store::Postgres);
    }
}
