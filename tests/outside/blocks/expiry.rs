//! Blocks that end while patterns cannot be read.

use super::{block, import, status, wait_for_status};
use crate::harness::{Server, TIMEOUT, eventually};

#[tokio::test]
async fn block_ends_at_its_time_even_if_patterns_cannot_be_read() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let evil = api.create("https://evil.example/").await;
    let listed = api.create("https://listed.example/").await;
    block(database, &["add", "evil.example", "--until", "8s"]);
    wait_for_status(&server, &evil, 410).await;
    // The import announces a change, and the server then cannot read the operator's own patterns.
    database.execute("ALTER TABLE block_patterns RENAME TO unreadable").await;
    import(database, "feed", "listed.example\n", &[]).done();
    wait_for_status(&server, &listed, 410).await;
    eventually(TIMEOUT, "the server fails to read", async || {
        server.log().contains("blocked destinations cannot be read")
    })
    .await;
    assert_eq!(status(&server, &evil).await, 410);
    eventually(TIMEOUT, "the block has ended", async || status(&server, &evil).await == 302).await;
    database.execute("ALTER TABLE unreadable RENAME TO block_patterns").await;
}
