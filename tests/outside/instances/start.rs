//! Instances that start concurrently.

use std::sync::Arc;
use std::thread;

use crate::harness::{Database, Server, only_on};

const INSTANCES: usize = 4;

/// Returns the names of the applied migrations.
fn applied_migrations(database: &Database) -> Vec<String> {
    let steps = database.sql("SELECT version FROM seaql_migrations ORDER BY version");
    steps.lines().map(str::to_owned).collect()
}

/// Starts instances concurrently on this number of empty databases.
async fn start_concurrently(databases: usize) {
    let alone = Database::new().with_default_owner();
    for _ in 0..databases {
        let database = Arc::new(Database::new());
        let servers: Vec<Server> = thread::scope(|scope| {
            let starts: Vec<_> =
                (0..INSTANCES).map(|_| scope.spawn(|| Server::on(&database))).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert_eq!(
            applied_migrations(&database),
            applied_migrations(&alone),
            "each migration was applied once"
        );
        let key = database.owner("another", "pro");
        for server in &servers {
            server.anyone().get("/health/ready").await.expect(200);
            let code = server.with_key(&key).create("https://example.com/").await;
            for other in &servers {
                other.anyone().get(&format!("/{code}")).await.expect(302);
            }
        }
    }
}

#[tokio::test]
async fn concurrent_starts_on_an_empty_database_succeed() {
    only_on!(Postgres: "a file has one first start");
    start_concurrently(2).await;
}

#[tokio::test]
#[ignore = "long"]
async fn concurrent_starts_on_many_empty_databases_succeed() {
    only_on!(Postgres: "a file has one first start");
    start_concurrently(50).await;
}
