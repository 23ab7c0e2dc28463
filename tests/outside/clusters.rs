//! The harness of outage tests: clusters and proxies.

use std::time::Duration;

use crate::harness::{Cluster, Database, Proxy, eventually, only_on};

#[test]
fn cluster_can_be_paused_and_crashed() {
    only_on!(Postgres: "it is about clusters");
    let cluster = Cluster::private(&["max_connections=30"]);
    let database = Database::on(&cluster);
    assert_eq!(database.sql("SHOW max_connections"), "30");
    database.sql("CREATE TABLE stored (number int)");
    database.sql("INSERT INTO stored VALUES (7)");
    cluster.stop_immediately();
    assert!(!database.responds());
    cluster.start();
    assert_eq!(database.sql("SELECT number FROM stored"), "7");
    cluster.pause();
    assert!(!database.responds());
    cluster.resume();
    assert!(database.responds());
}

#[tokio::test]
async fn haproxy_switches_to_the_standby() {
    only_on!(Postgres: "it is about clusters");
    let primary = Cluster::private(&[]);
    let standby = primary.synchronous_standby();
    let proxy = Proxy::to_first_available(&[&primary, &standby]);
    let database = Database::on(&primary);
    database.sql("CREATE TABLE stored (number int)");
    database.sql("INSERT INTO stored VALUES (7)");
    let behind = database.through(proxy.port());
    assert_eq!(behind.sql("SELECT number FROM stored"), "7");
    primary.stop_immediately();
    standby.promote();
    assert_eq!(standby.sql("SELECT pg_is_in_recovery()"), "f");
    let soon = Duration::from_secs(20);
    eventually(soon, "connections lead to the standby", async || behind.responds()).await;
    assert_eq!(behind.sql("SELECT number FROM stored"), "7");
}

#[test]
fn pgbouncer_forwards_to_a_cluster() {
    only_on!(Postgres: "it is about clusters");
    let proxy = Proxy::pooling(&Cluster::shared(), 2);
    let database = Database::new();
    assert_eq!(database.through(proxy.port()).sql("SELECT 1"), "1");
}
