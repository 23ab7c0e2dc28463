//! Databases with a stricter default isolation level than Terse expects.

use std::sync::Arc;

use serde_json::json;

use super::{URL, link_count, run_clients, shorten};
use crate::harness::{Database, Load, Server, only_on};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_are_exact_if_the_default_isolation_is_serializable() {
    only_on!(Postgres: "a file has one writer at a time");
    for level in ["repeatable read", "serializable"] {
        let database = Database::new().with_default_owner();
        database.set("default_transaction_isolation", level);
        let database = Arc::new(database);
        let servers = [Server::on(&database), Server::on(&database)];
        database.plan("hundred", "100", true);
        let key = database.owner("crowd", "hundred");
        let codes = [servers[0].api().create(URL).await, servers[1].api().create(URL).await];
        let mut load = Load::default();
        for server in &servers {
            load.visit(server, 16, &codes);
        }
        let created = run_clients(&servers, 8, |number, connection| {
            let (mut created, mut refused) = (0, 0);
            for round in 0.. {
                if refused == 5 {
                    break;
                }
                // Two clients request each code.
                let code = format!("wanted-{}-{round}", number / 2);
                let response = shorten(connection, &key, &json!({"url": URL, "custom_code": code}));
                match response.status {
                    201 => created += 1,
                    409 if response.json()["code"] == "plan-limit-reached" => refused += 1,
                    409 => drop(response.problem(409, "code-in-use")),
                    _ => drop(response.problem(503, "unavailable")),
                }
            }
            created
        });
        assert_eq!(load.stop(), 0, "no client lost its connection");
        assert_eq!(created.into_iter().sum::<u64>(), 100, "{level}");
        assert_eq!(link_count(&database, "crowd"), 100, "{level}");
        load.assert_counted(&servers[0].api()).await;
        for server in &servers {
            assert!(!server.log().contains("clicks cannot be stored"), "{}", server.log());
        }
    }
}
