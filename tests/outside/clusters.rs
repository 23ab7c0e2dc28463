//! What the tests of failures stand on: clusters that can be hurt, and what stands before them.

use std::time::Duration;

use crate::harness::{Cluster, Database, Proxy, eventually, only_on};

#[test]
fn a_cluster_can_be_hurt_and_heals() {
    only_on!(Postgres: "it is about clusters");
    let cluster = Cluster::private(&["max_connections=30"]);
    let database = Database::on(&cluster);
    assert_eq!(database.sql("SHOW max_connections"), "30");
    database.sql("CREATE TABLE kept (number int)");
    database.sql("INSERT INTO kept VALUES (7)");
    cluster.stop_immediately();
    assert!(!database.responds());
    cluster.start();
    assert_eq!(database.sql("SELECT number FROM kept"), "7");
    cluster.pause();
    assert!(!database.responds());
    cluster.resume();
    assert!(database.responds());
}

#[tokio::test]
async fn a_standby_takes_over_behind_the_same_port() {
    only_on!(Postgres: "it is about clusters");
    let primary = Cluster::private(&[]);
    let standby = primary.synchronous_standby();
    let proxy = Proxy::to_first_available(&[&primary, &standby]);
    let database = Database::on(&primary);
    database.sql("CREATE TABLE kept (number int)");
    database.sql("INSERT INTO kept VALUES (7)");
    let behind = database.through(proxy.port());
    assert_eq!(behind.sql("SELECT number FROM kept"), "7");
    primary.stop_immediately();
    standby.promote();
    assert_eq!(standby.sql("SELECT pg_is_in_recovery()"), "f");
    let soon = Duration::from_secs(20);
    eventually(soon, "connections lead to the standby", async || behind.responds()).await;
    assert_eq!(behind.sql("SELECT number FROM kept"), "7");
}

#[test]
fn a_pool_stands_before_a_cluster() {
    only_on!(Postgres: "it is about clusters");
    let proxy = Proxy::pooling(&Cluster::shared(), 2);
    let database = Database::new();
    assert_eq!(database.through(proxy.port()).sql("SELECT 1"), "1");
}
