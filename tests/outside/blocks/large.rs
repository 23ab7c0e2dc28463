//! A million patterns.

use std::fmt::Write as _;

use super::import;
use crate::harness::{Server, TIMEOUT, eventually};

/// Maximum number of bytes by which a million patterns may increase the server's memory.
const MAX_BYTES: u64 = 70_000_000;

fn million_patterns(host: &str) -> String {
    let mut text = String::new();
    for number in 0..1_000_000 {
        writeln!(text, "{host}{number}.blocked.example").unwrap();
    }
    text
}

#[tokio::test]
#[ignore = "long"]
async fn million_patterns_stay_within_the_memory_limit() {
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
        import(database, "feed", &million_patterns(host), &[]).done();
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
