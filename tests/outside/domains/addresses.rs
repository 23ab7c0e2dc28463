//! Addresses, which are no domains, and what pages say about the address that a visitor asked.

use serde_json::json;

use std::sync::Arc;

use super::{ask, event, hosts, short_url};
use crate::harness::{Database, Server, assert_within_a_second};

/// Addresses, by which health checks reach the service itself.
pub(super) const ADDRESSES: [&str; 14] = [
    "127.0.0.1",
    "127.0.0.1:8080",
    "127.0.0.1.",
    "0177.0.0.0x1",
    "2130706433",
    "0x7f000001..",
    "127.1",
    "192.0.2.1",
    "::1",
    "[::1]:8080",
    "[::ffff:127.0.0.1]",
    "localhost",
    "LOCALHOST.:81",
    "go.localhost",
];

#[tokio::test]
async fn addresses_are_no_domains() {
    let server = Server::with_operator();
    let operator = server.operator("provisioner");
    let add = async |host: &str| {
        let ask = operator.ask(reqwest::Method::POST, "/api/operator/v1/domains");
        let ask = ask.header("Idempotency-Key", "1");
        let rejected = ask.json(&json!({ "host": host, "owner_id": 1 })).send().await;
        rejected.expect(422).json()
    };
    for host in ADDRESSES {
        assert_eq!(add(host).await["errors"][0]["pointer"], json!("/host"), "{host}");
    }
    let suggestion = add("go[.]acme.example").await["detail"].to_string();
    assert!(suggestion.ends_with("did you mean 'go.acme.example'?\""), "{suggestion}");
    // The history may have one, which an older version added.
    let removed = ["domain", "remove", "old.example", "--json"];
    server.terse(&["domain", "add", "old.example", "--owner", "default"]).done();
    let event = event(&server.terse(&removed).json());
    let rename = "UPDATE event_changes SET subject = '127.0.0.1' WHERE subject = 'old.example'";
    server.database().connect().await.execute(rename).await.unwrap();
    let undone = server.terse(&["undo", &event, "--yes", "--json"]).json();
    assert_eq!(undone["skipped"], json!(["127.0.0.1"]));
    assert!(hosts(server.database()).is_empty());
}

/// An older version may have added such a domain.
#[tokio::test]
async fn stored_addresses_hide_no_path_of_the_service() {
    let database = Arc::new(Database::new().migrated());
    let key = database.owner("acme", "unlimited");
    database.terse(&["domain", "add", "old.example", "--owner", "acme"]).done();
    for host in ["192.0.2.1", "[::1]:8081", "localhost"] {
        let rename = format!("UPDATE domains SET host = '{host}'");
        database.connect().await.execute(&rename).await.unwrap();
        let server = Server::on(&database);
        for path in ["/health/ready", "/metrics", "/docs"] {
            assert_eq!(ask(&server, host, &format!("GET {path}")).status, 200, "{host}{path}");
        }
        let short_url = short_url(&server, &key).await;
        assert!(short_url.starts_with(&format!("{}/", server.base_url())), "{short_url}");
        let log = server.terminate().log;
        let warnings = log.lines().filter(|line| line.contains("domain ignored"));
        assert_eq!(warnings.filter(|line| line.contains(host)).count(), 1, "{log}");
        let check = database.terse(&["check"]).done().stdout;
        assert!(check.contains(host) && check.contains("remove it"), "{check}");
    }
}

#[tokio::test]
async fn pages_lead_to_the_site_that_the_visitor_asked() {
    let server = Server::start();
    server.terse(&["domain", "add", "go.acme.example", "--owner", "default"]).done();
    let name = server.base_url().trim_start_matches("http://").to_owned();
    let page = async |host: Option<&str>| {
        let request = reqwest::Client::new().get(format!("{}/unknown", server.base_url()));
        let request =
            host.map_or(request.try_clone().unwrap(), |host| request.header("Host", host));
        request.send().await.unwrap().text().await.unwrap()
    };
    let own = page(None).await;
    assert!(own.contains(&format!("<title>There is no such link · {name}</title>")), "{own}");
    assert!(own.contains(&format!("<a href=\"{}\">{name}</a>", server.base_url())), "{own}");
    assert_within_a_second("the domain is served", async || {
        let page = page(Some("go.acme.example")).await;
        page.contains("<title>There is no such link</title>")
            && page.contains("<a href=\"/\">Start page</a>")
            && !page.contains(&name)
            && !page.contains("Terse")
    })
    .await;
    let malformed = server.anyone().get("/%zz").await.text();
    assert!(!malformed.contains("Terse"), "{malformed}");
}
