//! Tests of one store.

/// Ends a test that applies to the other store only, and prints the reason.
macro_rules! only_on {
    ($store:ident: $reason:literal) => {
        if crate::harness::Store::chosen() != crate::harness::Store::$store {
            crate::harness::skip(std::thread::current().name(), stringify!($store), $reason);
            return;
        }
    };
}
pub(crate) use only_on;

/// Prints the reason, which the test runner does not capture.
pub(crate) fn skip(test: Option<&str>, store: &str, reason: &str) {
    use std::io::Write as _;

    let test = test.unwrap_or("a test");
    let line = format!("only on {store}: {test}: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
