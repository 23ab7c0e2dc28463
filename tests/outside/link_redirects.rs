//! Properties of a link that change its redirect: the forwarded query, and the fallback of an expired
//! link.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{Api, Database, Server, assert_within_a_second};

const URL: &str = "https://example.com/a?own=1#top";
const ENDED: &str = "https://ended.example/";

fn two_servers() -> (Arc<Database>, [Server; 2]) {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [Server::on(&database), Server::on(&database)];
    (database, servers)
}

async fn location(api: &Api, path: &str) -> Option<String> {
    api.get(path).await.header("location").map(str::to_owned)
}

/// Waits until all servers return this `Location`, or none.
async fn assert_leads(servers: &[Server], path: &str, expected: Option<&str>) {
    for server in servers {
        let anyone = server.anyone();
        assert_within_a_second(path, async || location(&anyone, path).await.as_deref() == expected)
            .await;
        let head = anyone.head(path).await;
        assert_eq!(head.header("location"), expected, "{head:#?}");
    }
}

#[tokio::test]
async fn query_of_a_request_is_forwarded_if_the_link_says_so() {
    let (database, servers) = two_servers();
    servers[0].api().create_from(&json!({"url": URL, "custom_code": "query"})).await;
    assert_leads(&servers, "/query?utm=x", Some(URL)).await;
    let edit = |value: &str| {
        database.terse(&["link", "edit", "query", "--forward-query", value, "--json"]).json()
    };
    let event = edit("true")["event_id"].to_string();
    assert_leads(&servers, "/query?utm=x", Some("https://example.com/a?own=1&utm=x#top")).await;
    for (query, forwarded) in [
        ("?", ""),
        ("?&&", ""),
        ("?OWN=2&own=3&%6Fwn=4", ""),
        ("?a=b&a=c", "&a=b&a=c"),
        ("?a=%20+%2B", "&a=%20+%2B"),
        ("?ids[]=1|2", "&ids[]=1|2"),
        ("?url=https://evil.example/", "&url=https://evil.example/"),
        // What parsers of form data take for the same name.
        ("?+own=2&%20own=3&own%00=4&own%00x=5&a=b", "&a=b"),
        ("?own[]=2&own[x]=3&own%5Bx%5D=4&[own]=5&own]=6&own[=7", ""),
        ("?a;own=2&b=1;own[]=3&c;d=4", "&c;d=4"),
    ] {
        let expected = format!("https://example.com/a?own=1{forwarded}#top");
        let found = location(&servers[0].anyone(), &format!("/query{query}")).await;
        assert_eq!(found, Some(expected), "{query}");
    }
    let long = format!("/query?x={}", "y".repeat(8_192));
    assert_eq!(location(&servers[0].anyone(), &long).await.as_deref(), Some(URL));
    assert_eq!(edit("true")["event_id"], Value::Null);
    let shown = database.terse(&["link", "show", "query", "--json"]).json();
    assert_eq!(shown["forward_query"], true);
    database.terse(&["undo", &event, "--yes"]).done();
    assert_leads(&servers, "/query?utm=x", Some(URL)).await;
    edit("true");
    let exported = database.terse(&["export"]).done().stdout;
    assert!(exported.lines().next().unwrap().ends_with(",forward_query,fallback_url,external_id"));
    let other = Arc::new(Database::new().migrated());
    other.owner("default", "unlimited");
    std::fs::write(other.directory().join("all.csv"), &exported).unwrap();
    other.terse(&["import", "all.csv", "--owner", "default"]).done();
    assert_eq!(other.terse(&["export"]).done().stdout, exported);
    database.terse(&["link", "edit", "query", "--forward-query", "maybe"]).misused();
    database.terse(&["check"]).done();
}

/// Checks that exactly the requests that are clicks of a redirect count for an expired link.
async fn assert_fallback_is_a_click(server: &Server, code: &str) {
    let (api, anyone, path) = (server.api(), server.anyone(), format!("/{code}"));
    let before = api.clicks(code).await;
    for _ in 0..3 {
        anyone.get(&path).await.expect(302);
        anyone.head(&path).await.expect(302);
        for (name, value) in [
            ("sec-purpose", "prefetch"),
            ("user-agent", "Googlebot/2.1 (+http://www.google.com/bot.html)"),
        ] {
            anyone.with(name, value).get(&path).await.expect(302);
        }
    }
    assert_eq!(api.clicks(code).await, before + 3, "{code}");
}

#[tokio::test]
async fn clicks_on_a_fallback_survive_a_kill() {
    let server = Server::start();
    let database = Arc::clone(server.database());
    let rows = format!(
        "short_code,destination_url,expires_at,fallback_url\nlate,{URL},2020-01-01,{ENDED}\n"
    );
    std::fs::write(database.directory().join("in.csv"), rows).unwrap();
    server.terse(&["import", "in.csv", "--owner", "default"]).done();
    for _ in 0..20 {
        server.anyone().get("/late").await.expect(302);
    }
    server.kill9();
    let server = Server::on(&database);
    assert_eq!(server.api().clicks("late").await, 20);
    // A code that no link has leads to no owner's fallback.
    server.terse(&["owner", "edit", "default", "--fallback", ENDED]).done();
    server.anyone().get("/unknown").await.expect(404);
    database.terse(&["check"]).done();
}

#[tokio::test]
async fn visitors_of_an_expired_link_go_to_its_fallback() {
    let (database, servers) = two_servers();
    let rows = format!(
        "short_code,destination_url,expires_at,has_qr,fallback_url\n\
         own,{URL},2020-01-01,1,{ENDED}own\nnone,{URL},2020-01-01,1,\nlive,{URL},,0,{ENDED}live\n"
    );
    std::fs::write(database.directory().join("in.csv"), rows).unwrap();
    database.terse(&["import", "in.csv", "--owner", "default"]).done();
    let own = format!("{ENDED}own");
    assert_leads(&servers, "/own", Some(&own)).await;
    assert_leads(&servers, "/none", None).await;
    assert_leads(&servers, "/live", Some(URL)).await;
    let owner = |fallback: &str| {
        database.terse(&["owner", "edit", "default", "--fallback", fallback, "--json"]).json()
    };
    let edited = owner("https://owner.example/ä");
    assert_eq!(edited["changed"], 1);
    assert_eq!(owner("https://owner.example/ä")["event_id"], Value::Null);
    assert_leads(&servers, "/none", Some("https://owner.example/%C3%A4")).await;
    assert_leads(&servers, "/own", Some(&own)).await;
    let listed = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(listed[0]["fallback_url"], "https://owner.example/ä");
    // A redirect to the fallback is a click of the link, and an image is gone.
    assert_fallback_is_a_click(&servers[0], "own").await;
    assert_fallback_is_a_click(&servers[0], "none").await;
    assert_eq!(servers[0].api().stats("own").await.data()["is_active"], 0);
    servers[0].anyone().get("/own/qr.svg").await.expect(410);
    // Visitors do not go to a blocked fallback, or to the fallback of a link in another state.
    database.terse(&["block", "add", "ended.example", "--yes"]).done();
    assert_leads(&servers, "/own", None).await;
    database.terse(&["block", "remove", "ended.example", "--yes"]).done();
    assert_leads(&servers, "/own", Some(&own)).await;
    for (change, back) in [
        (["link", "disable", "own"], ["link", "enable", "own"]),
        (["owner", "suspend", "default"], ["owner", "resume", "default"]),
    ] {
        database.terse(&change).done();
        assert_leads(&servers, "/own", None).await;
        servers[0].anyone().get("/own").await.expect(410);
        database.terse(&back).done();
        assert_leads(&servers, "/own", Some(&own)).await;
    }
    database.terse(&["link", "edit", "own", "--fallback", "none"]).done();
    assert_leads(&servers, "/own", Some("https://owner.example/%C3%A4")).await;
    owner("none");
    assert_leads(&servers, "/own", None).await;
    database.terse(&["link", "delete", "own", "--yes"]).done();
    assert_leads(&servers, "/own", None).await;
    database.terse(&["check"]).done();
}

#[tokio::test]
async fn fallback_of_an_owner_is_checked_like_a_destination() {
    let server = Server::start();
    server.terse(&["block", "add", "evil.example", "--yes"]).done();
    let settings = ["--base-url", server.base_url()];
    let inside = format!("{}/x", server.base_url());
    for url in [inside.as_str(), "https://evil.example/", "ftp://example.com/"] {
        let edit = ["owner", "edit", "default", "--fallback", url];
        let edit = server.terse(&[&edit, &settings[..]].concat());
        assert_ne!(edit.code, Some(0), "{edit:?}");
    }
    server.terse(&["owner", "edit", "default"]).misused();
    server.terse(&["owner", "edit", "default", "--plan", "pro"]).done();
    server.terse(&["owner", "edit", "default", "--plan", "missing"]).failed();
}
