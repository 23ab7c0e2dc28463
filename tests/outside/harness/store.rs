//! Which of the two databases this run of the tests is about.

use std::sync::OnceLock;

/// The databases that Terse works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// A file of the server's own.
    Sqlite,
    /// A database server, which several instances may share.
    Postgres,
}

impl Store {
    /// The one that the variable `TEST_STORE` names; SQLite unless it is set.
    pub(crate) fn chosen() -> Self {
        static CHOSEN: OnceLock<Store> = OnceLock::new();
        *CHOSEN.get_or_init(|| match std::env::var("TEST_STORE").as_deref() {
            Err(_) | Ok("sqlite") => Self::Sqlite,
            Ok("postgres") => Self::Postgres,
            Ok(other) => panic!("TEST_STORE is sqlite or postgres, not {other}"),
        })
    }
}

/// Ends a test that says nothing about the other store, and says so where everybody sees it.
macro_rules! only_on {
    ($store:ident: $reason:literal) => {
        if crate::harness::Store::chosen() != crate::harness::Store::$store {
            crate::harness::skip(std::thread::current().name(), stringify!($store), $reason);
            return;
        }
    };
}
pub(crate) use only_on;

/// Past the capture of what tests print.
pub(crate) fn skip(test: Option<&str>, store: &str, reason: &str) {
    use std::io::Write as _;

    let test = test.unwrap_or("a test");
    let line = format!("only on {store}: {test}: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
