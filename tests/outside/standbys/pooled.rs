//! `PgBouncer` in transaction mode before the standby and before the primary.

use std::sync::Arc;

use super::{PACE, Scene, URL, assert_changes_are_refused, wait_for_delivery, wait_for_ready_text};
use crate::harness::{Load, Proxy, Server, only_on};
use crate::stalls::metric;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_behind_a_pooler_counts_each_click_once() {
    only_on!(Postgres: "a file has no pooler");
    let mut scene = Scene::new().await;
    let pools = [&scene.primary, &scene.standby].map(|cluster| Proxy::pooling(cluster, 5));
    let [primary, standby] = pools.each_ref().map(|pool| scene.database.through(pool.port()));
    scene.replica = Arc::new(standby);
    let mut load = Load::paced(PACE);

    let server = scene.kill_rounds(&mut load, 2, 300, &["--primary-url", &primary.url()]).await;
    assert_changes_are_refused(&server.api(), &scene.codes[0]).await;
    // Sessions get other connections of the pool if another server uses it, too.
    let other = Server::on(&Arc::new(primary));
    load.visit(&other, 8, &scene.codes);
    scene.visit(&mut load, &server, 4_000).await;
    wait_for_delivery(&server).await;
    scene.wait_for_replay().await;
    load.assert_counted(&server.api()).await;
    wait_for_ready_text(&server, "read-only").await;
    for server in [&server, &other] {
        assert!(!server.log().contains("clicks cannot be stored"), "{}", server.log());
    }
    other.terminate();

    scene.primary.stop_immediately();
    scene.visit(&mut load, &server, 300).await;
    assert!(!metric(&server, "terse_clicks_undelivered 0").await, "the primary is away");
    scene.promote();
    wait_for_ready_text(&server, "ok").await;
    scene.visit(&mut load, &server, 300).await;
    wait_for_delivery(&server).await;
    server.api().create(URL).await;
    load.assert_counted(&server.api()).await;
}
