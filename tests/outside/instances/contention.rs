//! Clients that compete through two instances.

use std::collections::BTreeSet;

use serde_json::json;

use super::{URL, link_count, run_clients, shorten, two_instances};
use crate::harness::{Cluster, Load, only_on};

/// Panics if PostgreSQL has detected a deadlock.
fn assert_no_deadlock() {
    let log = Cluster::shared().log();
    let found = log.lines().find(|line| line.contains("deadlock detected"));
    assert_eq!(found, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plan_limit_is_exact_across_instances() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let database = servers[0].database();
    database.plan("thousand", "1000", false);
    let key = database.owner("crowd", "thousand");
    let created = run_clients(&servers, 8, |_, connection| {
        let (mut created, mut refused) = (Vec::new(), 0);
        while refused < 5 {
            let response = shorten(connection, &key, &json!({"url": URL}));
            if response.status == 201 {
                created.push(response.code());
            } else {
                response.problem(409, "plan-limit-reached");
                refused += 1;
            }
        }
        created
    });
    let created: Vec<String> = created.into_iter().flatten().collect();
    assert_eq!(created.len(), 1_000);
    assert_eq!(link_count(database, "crowd"), 1_000);
    let listed = servers[1].with_key(&key).listed().await;
    assert_eq!(listed.len(), 1_000);
    assert_eq!(listed, created.into_iter().collect());
    assert_no_deadlock();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn custom_code_is_unique_across_instances() {
    const OWNERS: usize = 4;
    const CODES: usize = 60;
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let database = servers[0].database();
    let names: Vec<String> = (0..OWNERS).map(|number| format!("owner-{number}")).collect();
    let keys: Vec<String> = names.iter().map(|name| database.owner(name, "pro")).collect();
    let created = run_clients(&servers, 4 * OWNERS, |number, connection| {
        let owner = number / 2 % OWNERS;
        let mut created = Vec::new();
        for code in 0..CODES {
            // Half of the clients begin at the other end.
            let code = if number < 2 * OWNERS { code } else { CODES - 1 - code };
            let body = json!({"url": URL, "custom_code": format!("wanted-{code}")});
            let response = shorten(connection, &keys[owner], &body);
            if response.status == 201 {
                assert_eq!(response.json()["short_code"], body["custom_code"]);
                created.push((owner, code));
            } else {
                response.problem(409, "code-in-use");
            }
        }
        created
    });
    let created: Vec<(usize, usize)> = created.into_iter().flatten().collect();
    let codes: BTreeSet<usize> = created.iter().map(|(_, code)| *code).collect();
    assert_eq!((created.len(), codes.len()), (CODES, CODES), "each code was used once");
    for (owner, (name, key)) in names.iter().zip(&keys).enumerate() {
        let mine: BTreeSet<usize> =
            created.iter().filter(|(other, _)| *other == owner).map(|(_, code)| *code).collect();
        assert_eq!(link_count(database, name), mine.len() as u64, "{name}");
        let mine = mine.iter().map(|code| format!("wanted-{code}")).collect();
        assert_eq!(servers[0].with_key(key).listed().await, mine, "{name}");
    }
    assert_no_deadlock();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hot_link_clicks_are_exact_across_instances() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    for hot in [1, 3] {
        let mut codes = Vec::new();
        for _ in 0..hot {
            codes.push(servers[0].api().create(URL).await);
        }
        let mut load = Load::default();
        for server in &servers {
            load.visit(server, 64, &codes);
        }
        load.wait_for_redirects(8_000).await;
        assert_eq!(load.stop(), 0, "no client lost its connection");
        for server in &servers {
            load.assert_counted(&server.with_key(servers[0].key())).await;
        }
    }
    assert_no_deadlock();
}
