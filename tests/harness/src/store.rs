//! The databases that Terse supports.

use std::sync::OnceLock;

use clap::ValueEnum;

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Store {
    /// A file that belongs to one server.
    Sqlite,
    /// A database server, which several instances may share.
    Postgres,
}

impl Store {
    /// Returns the store that the variable `TEST_STORE` names, by default SQLite.
    ///
    /// # Panics
    /// If the variable has another value.
    pub fn chosen() -> Self {
        static CHOSEN: OnceLock<Store> = OnceLock::new();
        *CHOSEN.get_or_init(|| match std::env::var("TEST_STORE").as_deref() {
            Err(_) | Ok("sqlite") => Self::Sqlite,
            Ok("postgres") => Self::Postgres,
            Ok(other) => panic!("TEST_STORE is sqlite or postgres, not {other}"),
        })
    }
}
