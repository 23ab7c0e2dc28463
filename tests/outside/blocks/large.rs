//! A million patterns.

use std::fmt::Write as _;

use super::import;
use crate::harness::{Server, TIMEOUT, eventually};

/// Bytes that a million patterns may take, and what an idle server may take more at the second look.
const MAX_BYTES: u64 = 64 << 20;

fn million(host: &str) -> String {
    let mut text = String::new();
    for number in 0..1_000_000 {
        writeln!(text, "{host}{number}.blocked.example").unwrap();
    }
    text
}

#[tokio::test]
#[ignore = "long"]
async fn a_million_patterns_take_at_most_64_mebibytes_and_twice_that_while_they_are_replaced() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let [first, second] =
        ["first", "second"].map(|host| format!("https://{host}7.blocked.example/"));
    let (first, second) = (api.create(&first).await, api.create(&second).await);
    for code in [&first, &second] {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    let (before, most_before) = (server.private_memory(), server.max_private_memory());
    for (host, code) in [("first", &first), ("second", &second)] {
        import(database, "feed", &million(host), &[]).done();
        eventually(TIMEOUT, "the import is in force", async || {
            super::status(&server, code).await == 410
        })
        .await;
        let grown = server.private_memory().saturating_sub(before);
        let most = server.max_private_memory().saturating_sub(most_before);
        assert!(grown <= MAX_BYTES, "{grown} bytes");
        assert!(most <= 2 * MAX_BYTES, "{most} bytes");
    }
    assert_eq!(super::status(&server, &first).await, 302);
}
