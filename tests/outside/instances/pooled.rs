//! `PgBouncer` between the instances and PostgreSQL, in transaction mode.

use std::sync::Arc;

use serde_json::json;

use super::{URL, get, run_clients, shorten};
use crate::harness::{Cluster, Database, Load, Proxy, Server, assert_within_a_second, only_on};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pgbouncer_with_few_connections_serves_many_clients() {
    only_on!(Postgres: "SQLite has no pooler");
    let pool = Proxy::pooling(&Cluster::shared(), 5);
    let database = Database::new().with_default_owner();
    let database = Arc::new(database.through(pool.port()));
    let servers = [Server::on(&database), Server::on(&database)];
    let apis = [servers[0].api(), servers[1].api()];
    let codes = [apis[0].create(URL).await, apis[1].create(URL).await];
    let mut load = Load::default();
    for server in &servers {
        load.visit(server, 32, &codes);
        load.create(server, 4, server.key(), &[]);
    }
    let own = run_clients(&servers, 8, |number, connection| {
        let key = database.default_key();
        let wanted = format!("wanted-{number}");
        shorten(connection, key, &json!({"url": URL, "custom_code": wanted})).expect(201);
        for clicks in 1..=20 {
            get(connection, &format!("/{wanted}"), key).expect(302);
            let stats = get(connection, &format!("/api/v1/stats/{wanted}"), key).expect(200);
            assert_eq!(stats.data()["clicks"], clicks);
        }
        wanted
    });
    let mut both = servers.iter().zip(&apis).cycle();
    for code in &own {
        let (server, api) = both.next().unwrap();
        api.qr(&json!({"short_code": code})).await.expect(201);
        server.anyone().get(&format!("/{code}/qr.svg")).await.expect(200);
    }
    assert_eq!(apis[0].qr_list().await.data(), apis[1].qr_list().await.data());
    assert_eq!(apis[0].qr_list().await.codes().len(), own.len());

    let revoked = database.terse(&["key", "add", "default", "--label", "bad"]).key();
    let revoked = [servers[0].with_key(&revoked), servers[1].with_key(&revoked)];
    for api in &revoked {
        api.links().await.expect(200);
    }
    database.terse(&["key", "revoke", &database.key_id("default", "bad")]).done();
    assert_within_a_second("the key is refused", async || {
        let mut refused = 0;
        for api in &revoked {
            // A list would be aborted on the way.
            refused += usize::from(api.stats(&codes[0]).await.status == 401);
        }
        refused == revoked.len()
    })
    .await;

    load.wait_for_redirects(2_000).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    for api in &apis {
        load.assert_counted(api).await;
        let created = codes.len() + own.len() + load.created().len();
        assert_eq!(api.listed().await.len(), created);
    }
}
