//! Domains on several instances, and while the database is unavailable.

use std::sync::Arc;
use std::thread;

use super::way::Way;
use super::{URL, add, ask, hosts};
use crate::harness::{
    Cluster, Database, Server, Store, TIMEOUT, assert_within_a_second, eventually, only_on,
};

#[tokio::test]
async fn every_instance_follows_within_a_second() {
    let first = Server::start();
    let code = first.api().create(URL).await;
    let second = Server::on(first.database());
    let (own, docs) = (format!("GET /{code}"), "GET /docs");
    add(&first, "go.example", "default", None).await;
    let status = |request: &str| ask(&second, "go.example", request).status;
    assert_within_a_second("the domain is served", async || status(docs) == 404).await;
    assert_eq!(status(&own), 302);
    let home = ["domain", "edit", "go.example", "--home", URL];
    first.terse(&home).done();
    assert_within_a_second("the start page redirects", async || status("GET /") == 302).await;
    first.terse(&["owner", "suspend", "default"]).done();
    assert_within_a_second("the start page is gone", async || status("GET /") == 410).await;
    first.terse(&["owner", "resume", "default"]).done();
    first.terse(&["domain", "remove", "go.example"]).done();
    assert_within_a_second("the host is unknown", async || status(docs) == 200).await;
}

#[tokio::test]
async fn domains_survive_an_outage() {
    only_on!(Postgres: "a file does not go away");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    let mine = server.api().create(URL).await;
    let key = database.owner("globex", "pro");
    let theirs = server.with_key(&key).create(URL).await;
    add(&server, "go.example", "default", Some(URL)).await;
    // Both links are in the cache.
    for code in [&mine, &theirs] {
        assert_eq!(ask(&server, server.authority(), &format!("GET /{code}")).status, 302);
    }
    cluster.stop_immediately();
    eventually(TIMEOUT, "the outage begins", async || {
        ask(&server, server.authority(), "GET /health/ready").status == 503
    })
    .await;
    let statuses = |server: &Server| {
        let requests = [format!("GET /{mine}"), format!("GET /{theirs}"), "GET /".to_owned()];
        let more = ["GET /api/v1/links", "GET /docs"].map(str::to_owned);
        let all = requests.iter().chain(&more);
        all.map(|request| ask(server, "go.example", request).status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&server), [302, 404, 302, 404, 404]);
    cluster.start();
    eventually(TIMEOUT, "the outage ends", async || {
        ask(&server, server.authority(), "GET /health/ready").status == 200
    })
    .await;
    assert_eq!(statuses(&server), [302, 404, 302, 404, 404]);
    server.terse(&["domain", "remove", "go.example"]).done();
    eventually(TIMEOUT, "the change arrives", async || {
        ask(&server, "go.example", "GET /docs").status == 200
    })
    .await;
}

/// Two instances reach the database by ways of their own, and one way breaks.
#[tokio::test]
async fn instance_without_its_database_keeps_its_domains_and_then_follows() {
    only_on!(Postgres: "a file has no way to it that breaks");
    let first = Server::start();
    let (mine, key) = (first.api().create(URL).await, first.database().owner("globex", "pro"));
    let theirs = first.with_key(&key).create(URL).await;
    let way = Way::new(first.database().cluster().unwrap().port());
    let second = Server::on(&Arc::new(first.database().through(way.port())));
    add(&first, "stays.example", "default", None).await;
    add(&first, "removed.example", "default", None).await;
    let status =
        |server: &Server, host: &str, code: &str| ask(server, host, &format!("GET /{code}")).status;
    for host in ["stays.example", "removed.example"] {
        assert_within_a_second(host, async || status(&second, host, &theirs) == 404).await;
        assert_eq!(status(&second, host, &mine), 302);
    }
    // Both links are in the cache.
    assert_eq!(status(&second, second.authority(), &theirs), 302);
    way.interrupt();
    eventually(TIMEOUT, "the outage begins", async || {
        ask(&second, second.authority(), "GET /health/ready").status == 503
    })
    .await;
    // The change holds within a second where the database is, and nowhere else.
    first.terse(&["domain", "remove", "removed.example"]).done();
    first.terse(&["domain", "add", "added.example", "--owner", "globex"]).done();
    assert_within_a_second("the domain is served", async || {
        status(&first, "added.example", &mine) == 404
    })
    .await;
    assert_eq!(status(&first, "added.example", &theirs), 302);
    assert_within_a_second("the host is unknown", async || {
        status(&first, "removed.example", &theirs) == 302
    })
    .await;
    for host in ["stays.example", "removed.example"] {
        assert_eq!(
            (status(&second, host, &mine), status(&second, host, &theirs)),
            (302, 404),
            "{host}"
        );
    }
    way.restore();
    eventually(TIMEOUT, "the outage ends", async || {
        ask(&second, second.authority(), "GET /health/ready").status == 200
    })
    .await;
    assert_within_a_second("the changes arrive", async || {
        status(&second, "removed.example", &theirs) == 302
            && status(&second, "added.example", &mine) == 404
    })
    .await;
}

/// A server that served before it knows the domains would show each customer the links of others.
#[tokio::test]
async fn server_that_starts_in_an_outage_serves_nothing() {
    only_on!(Postgres: "a file has no way to it that breaks");
    let first = Server::start();
    let key = first.database().owner("globex", "pro");
    let theirs = first.with_key(&key).create(URL).await;
    add(&first, "go.example", "default", None).await;
    let way = Way::new(first.database().cluster().unwrap().port());
    let database = Arc::new(first.database().through(way.port()));
    way.interrupt();
    let ended = Server::try_on(&database).map(drop).unwrap_err();
    assert_eq!(ended.code, Some(1), "{}", ended.log);
    way.restore();
    let server = Server::on(&database);
    assert_eq!(ask(&server, "go.example", &format!("GET /{theirs}")).status, 404);
    assert_eq!(ask(&server, "go.example", "GET /docs").status, 404);
}

#[tokio::test]
async fn domains_are_copied() {
    let server = Server::start();
    add(&server, "go.example", "default", Some(URL)).await;
    add(&server, "acme.link", "default", None).await;
    server.terse(&["domain", "default", "acme.link"]).done();
    for store in [Store::Sqlite, Store::Postgres] {
        let copy = Arc::new(Database::of(store));
        let from = server.database().url();
        server.database().terse(&["copy", "--from", &from, "--to", &copy.url()]).done();
        let listed =
            |database: &Arc<Database>| database.terse(&["domain", "list", "--json"]).json();
        assert_eq!(listed(&copy), listed(server.database()));
    }
}

#[test]
fn concurrent_commands_leave_one_owner_and_one_default() {
    let database = Arc::new(Database::new().migrated());
    database.owner("default", "pro");
    database.owner("globex", "pro");
    thread::scope(|scope| {
        for number in 0..8 {
            let database = &database;
            scope.spawn(move || {
                let owner = if number % 2 == 0 { "default" } else { "globex" };
                database.terse(&["domain", "add", "shared.example", "--owner", owner]);
                let own = format!("own-{number}.example");
                database.terse(&["domain", "add", &own, "--owner", owner]).done();
                database.terse(&["domain", "default", &own]).done();
            });
        }
    });
    assert_eq!(hosts(&database).len(), 9);
    for owner in ["default", "globex"] {
        let defaults = super::list(&database).into_iter();
        let defaults =
            defaults.filter(|one| one["owner_name"] == owner && one["is_default"] == true);
        assert_eq!(defaults.count(), 1, "{owner}");
    }
}
