//! Owners' domains: the command line, short URLs, and what each change reaches.

mod addresses;
mod codes;
mod hosts;
mod outages;
mod proxies;
mod routes;
mod way;

use std::sync::Arc;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::harness::{Database, Server, TIMEOUT, assert_within_a_second, eventually};

const URL: &str = "https://example.com/";

/// A response of which only these parts matter.
#[derive(Debug, PartialEq)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn location(&self) -> Option<&str> {
        self.headers.get("location").map(|value| value.to_str().unwrap())
    }

    /// Removes the headers that differ between all responses.
    fn without_id(mut self) -> Self {
        self.headers.remove("x-request-id");
        self.headers.remove("date");
        self
    }
}

/// Sends a request with this host, and with these fields and a body.
fn ask_with(server: &Server, host: &str, request: &str, fields: &str, body: &str) -> Answer {
    let method = request.split(' ').next().unwrap();
    let mut connection = server.connect();
    let head = format!("{request} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n{body}");
    connection.send(head.as_bytes()).unwrap();
    let (status, headers, body) = connection.read_response(method == "HEAD").unwrap();
    Answer { status, headers, body }
}

/// Sends a request such as `GET /code` with this host.
fn ask(server: &Server, host: &str, request: &str) -> Answer {
    ask_with(server, host, request, "", "")
}

/// Adds a domain, and waits until the server serves it.
async fn add(server: &Server, host: &str, owner: &str, home: Option<&str>) {
    let mut arguments = vec!["domain", "add", host, "--owner", owner];
    arguments.extend(home.iter().flat_map(|home| ["--home", home]));
    server.terse(&arguments).done();
    assert_within_a_second("the domain is served", async || {
        ask(server, host, "GET /docs").status == 404
    })
    .await;
}

/// Returns the short URL of a new link.
async fn short_url(server: &Server, key: &str) -> String {
    let created = server.with_key(key).shorten(&json!({ "url": URL })).await.expect(201);
    created.json()["short_url"].as_str().unwrap().to_owned()
}

fn list(database: &Arc<Database>) -> Vec<Value> {
    let listed = database.terse(&["domain", "list", "--json"]).json();
    listed.as_array().unwrap().clone()
}

fn hosts(database: &Arc<Database>) -> Vec<String> {
    list(database).iter().map(|one| one["host"].as_str().unwrap().to_owned()).collect()
}

fn event(outcome: &Value) -> String {
    outcome["event_id"].as_i64().unwrap().to_string()
}

#[tokio::test]
async fn short_urls_and_qr_codes_have_the_default_domain() {
    let server = Server::start();
    let acme = server.database().owner("acme", "pro");
    let api = server.with_key(&acme);
    let before = api.create(URL).await;
    add(&server, "go.acme.example", "acme", None).await;
    let created = api.shorten(&json!({ "url": URL, "custom_code": "branded" })).await.expect(201);
    assert_eq!(created.json()["short_url"], "http://go.acme.example/branded");
    // Addresses of the API stay on the base URL.
    let stats = format!("{}/api/v1/stats/branded", server.base_url());
    assert_eq!(created.header("location").unwrap(), stats);
    let enabled = api.qr(&json!({ "short_code": "branded" })).await.expect(201);
    let image = format!("{}/branded/qr.svg", server.base_url());
    assert_eq!(enabled.header("location").unwrap(), image);
    assert!(enabled.text().contains("http://go.acme.example/branded/qr.svg"), "{enabled:?}");
    // Another owner is not concerned.
    assert!(short_url(&server, server.key()).await.starts_with(server.base_url()));

    add(&server, "acme.link", "acme", None).await;
    assert!(short_url(&server, &acme).await.starts_with("http://go.acme.example/"));
    let image = |host| ask(&server, host, "GET /branded/qr.svg").body;
    let first = image("acme.link");
    server.terse(&["domain", "default", "acme.link"]).done();
    assert_within_a_second("the default changes", async || {
        short_url(&server, &acme).await.starts_with("http://acme.link/")
    })
    .await;
    // Printed codes of both domains go on, and every image has the new one.
    assert_ne!(image("go.acme.example"), first);
    assert_eq!(image("go.acme.example"), image("acme.link"));
    for host in ["go.acme.example", "acme.link", server.authority()] {
        for code in ["branded", &before] {
            assert_eq!(ask(&server, host, &format!("GET /{code}")).location(), Some(URL), "{host}");
        }
    }
    let stats = api.stats("branded").await;
    assert_eq!(stats.data()["clicks"], 3, "clicks of all domains count");
}

#[tokio::test]
async fn managed_links_and_the_owner_show_domains() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    for host in ["one.example", "two.example"] {
        add(&server, host, "default", None).await;
    }
    server.terse(&["domain", "default", "two.example"]).done();
    let owner = api.get("/api/manage/v1/owner").await.expect(200).json();
    let domain =
        |host, is_default| json!({ "host": host, "home_url": null, "is_default": is_default == 1 });
    assert_eq!(owner["domains"], json!([domain("two.example", 1), domain("one.example", 0)]));
    assert_within_a_second("the links follow", async || {
        let link = api.get(&format!("/api/manage/v1/links/{code}")).await.expect(200).json();
        link["short_url"] == format!("http://two.example/{code}")
    })
    .await;
    let links = api.get("/api/manage/v1/links").await.expect(200).json();
    assert_eq!(links["data"][0]["short_url"], format!("http://two.example/{code}"));
}

/// Operations that create links, each with a body, and the parts of a response that stay.
const CREATIONS: [&str; 3] =
    ["/api/v1/shorten", "/api/manage/v1/links", "/api/manage/v1/link-batches"];

async fn create_by(server: &Server, path: &str, key: &str) -> (String, [Option<String>; 3]) {
    let link = json!({ "destination_url": URL });
    let body = match path {
        "/api/v1/shorten" => json!({ "url": URL }),
        "/api/manage/v1/links" => link,
        _ => json!({ "links": [link, { "destination_url": URL, "title": "second" }] }),
    };
    let request = server.api().ask(reqwest::Method::POST, path);
    let response = request.header("Idempotency-Key", key).json(&body).send().await;
    assert!([200, 201].contains(&response.status), "{path}: {response:#?}");
    let header = |name| response.header(name).map(str::to_owned);
    let headers = ["location", "etag", "content-type"].map(header);
    (response.text(), headers)
}

/// A repetition returns the address that the link had at first, whatever the default domain is now.
#[tokio::test]
async fn replayed_responses_keep_their_short_url() {
    let server = Server::start();
    let default = async |origin: &str| {
        assert_within_a_second("the default domain changes", async || {
            short_url(&server, server.key()).await.starts_with(&format!("{origin}/"))
        })
        .await;
    };
    let mut known = Vec::new();
    for (origin, change) in [
        (server.base_url(), &[][..]),
        ("http://go.example", &["domain", "add", "go.example", "--owner", "default"]),
        ("http://go.example", &["domain", "add", "new.example", "--owner", "default"]),
        ("http://new.example", &["domain", "default", "new.example"]),
        ("http://go.example", &["domain", "remove", "new.example"]),
        (server.base_url(), &["domain", "remove", "go.example"]),
    ] {
        if !change.is_empty() {
            server.terse(change).done();
        }
        default(origin).await;
        for path in CREATIONS {
            let key = format!("{path}-{}", known.len());
            let created = create_by(&server, path, &key).await;
            assert!(created.0.contains(&format!("\"{origin}/")), "{path}: {}", created.0);
            known.push((path, key, created));
        }
        for (path, key, first) in &known {
            assert_eq!(create_by(&server, path, key).await, *first, "{path} at {origin}");
        }
    }
}

#[test]
fn commands_validate_hosts() {
    let database = Arc::new(Database::new().migrated());
    database.owner("default", "pro");
    let add = |host: &str| {
        let base = ["--base-url", "https://go.example.org", "--also-at", "https://old.example.org"];
        let arguments = ["domain", "add", host, "--owner", "default"];
        database.terse(&[&arguments[..], &base].concat())
    };
    let own = ["go.example.org", "GO.example.org.", "go.example.org:8443", "old.example.org"];
    let malformed =
        ["", "*.acme.example", "a b", "u@acme.example", "acme.example/x", "acme.example:0"];
    for host in own.into_iter().chain(malformed).chain(addresses::ADDRESSES) {
        add(host).misused();
    }
    assert!(list(&database).is_empty());
    for (host, stored) in [
        ("Exämple.ORG.", "xn--exmple-cua.org"),
        ("acme.example:443", "acme.example"),
        ("acme.example:8443", "acme.example:8443"),
        ("go", "go"),
    ] {
        add(host).done();
        let error = add(stored).failed();
        assert!(error.contains("already exists"), "{error}");
        assert!(hosts(&database).contains(&stored.to_owned()), "{stored}");
    }
    assert!(
        database.terse(&["domain", "remove", "unknown.example"]).failed().contains("no domain")
    );
    let unknown = ["domain", "add", "x.example", "--owner", "unknown"];
    assert!(database.terse(&unknown).failed().contains("no owner"));
}

#[tokio::test]
async fn domains_are_the_service_itself_for_destinations() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    add(&server, "go.acme.example", "default", None).await;
    add(&server, "port.example:8443", "default", None).await;
    let destinations =
        ["https://go.acme.example/x", "http://GO.acme.example./", "https://port.example:8443/"];
    for url in destinations {
        api.shorten(&json!({ "url": url })).await.invalid(&["/url"]);
        let target = format!("/api/manage/v1/links/{code}");
        for (name, pointer) in
            [("destination_url", "/destination_url"), ("fallback_url", "/fallback_url")]
        {
            let patch = api.ask(reqwest::Method::PATCH, &target).json(&json!({ name: url }));
            patch.send().await.invalid(&[pointer]);
        }
        for arguments in [
            &["link", "edit", &code, "--destination", url][..],
            &["owner", "edit", "default", "--fallback", url],
            &["domain", "edit", "go.acme.example", "--home", url],
            &["domain", "add", "other.example", "--owner", "default", "--home", url],
        ] {
            server.terse(arguments).misused();
        }
        let file = server.database().directory().join("in.csv");
        std::fs::write(&file, format!("destination_url\n{url}\n")).unwrap();
        let import = ["import", file.to_str().unwrap(), "--owner", "default", "--json"];
        assert_eq!(server.terse(&import).stdout.matches("\"rejected\":1").count(), 1, "{url}");
    }
    api.shorten(&json!({ "url": "https://go.acme.example:9000/" })).await.expect(201);
    server.terse(&["domain", "remove", "go.acme.example"]).done();
    assert_within_a_second("the host is free", async || {
        api.shorten(&json!({ "url": destinations[0] })).await.status == 201
    })
    .await;
}

#[tokio::test]
async fn destinations_at_the_host_are_counted() {
    let server = Server::start();
    let api = server.api();
    for url in ["https://go.example/a", "http://GO.example:8080/b", "https://www.go.example/"] {
        api.create(url).await;
    }
    let code = api.create(URL).await;
    let fallback = ["--fallback", "https://go.example/ended"];
    server.terse(&[&["link", "edit", &code], &fallback[..]].concat()).done();
    server.terse(&[&["owner", "edit", "default"], &fallback[..]].concat()).done();
    let add = ["domain", "add", "go.example", "--owner", "default"];
    let refused = server.terse(&add);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("4 destinations or fallbacks lead to go.example already"),
        "{refused:?}"
    );
    assert!(hosts(server.database()).is_empty());
    let dry_run = server.terse(&[&add[..], &["--dry-run", "--json"]].concat()).json();
    assert_eq!((&dry_run["destinations"], &dry_run["event_id"]), (&json!(4), &Value::Null));
    assert!(hosts(server.database()).is_empty());
    let added = server.terse(&[&add[..], &["--yes", "--json"]].concat()).json();
    assert_eq!((&added["destinations"], &added["changed"]), (&json!(4), &json!(1)));
    assert_eq!(hosts(server.database()), ["go.example"]);
}

#[test]
fn changes_are_recorded_and_undone() {
    let database = Arc::new(Database::new().migrated());
    database.owner("default", "pro");
    let run = |arguments: &[&str]| database.terse(&[arguments, &["--json"]].concat()).json();
    let shown = || {
        let of = |one: &Value| {
            (one["host"].to_string(), one["is_default"].to_string(), one["home_url"].to_string())
        };
        list(&database).iter().map(of).collect::<Vec<_>>()
    };
    run(&["domain", "add", "one.example", "--owner", "default", "--home", URL, "--case", "7"]);
    let mut undo = Vec::new();
    // Another default is a change of two domains.
    for (changed, arguments) in [
        (1, &["domain", "add", "two.example", "--owner", "default"][..]),
        (2, &["domain", "default", "two.example"]),
        (1, &["domain", "edit", "one.example", "--home", "none"]),
        (2, &["domain", "remove", "two.example"]),
    ] {
        let (before, done) = (shown(), run(arguments));
        assert_eq!(done["changed"], changed, "{arguments:?}");
        undo.push((before, event(&done), json!(changed)));
    }
    for (before, event, changed) in undo.into_iter().rev() {
        let undone = run(&["undo", &event, "--yes"]);
        assert_eq!((&undone["changed"], &undone["skipped"]), (&changed, &json!([])), "{event}");
        assert_eq!(shown(), before, "{event}");
    }
    // Only what has not changed since is reverted, even if it is again as it was.
    let edited = run(&["domain", "edit", "one.example", "--home", "none"]);
    for home in ["https://example.org/", "none"] {
        run(&["domain", "edit", "one.example", "--home", home]);
        let undone = run(&["undo", &event(&edited), "--yes"]);
        assert_eq!(undone["skipped"], json!(["one.example"]));
    }
    let unchanged = run(&["domain", "default", "one.example"]);
    assert_eq!((&unchanged["event_id"], &unchanged["changed"]), (&Value::Null, &json!(0)));
    let history = database.terse(&["history", "--owner", "default", "--case", "7", "--json"]);
    let added: Value = serde_json::from_str(history.stdout.trim()).unwrap();
    assert_eq!(
        (&added["action"], &added["subject"]),
        (&json!("domain add"), &json!("one.example"))
    );
}

#[tokio::test]
async fn owner_deletion_removes_domains_and_their_values() {
    let server = Server::start();
    let database = server.database();
    database.owner("acme", "pro");
    let secret = "https://secret.example/home";
    add(&server, "former.example", "acme", Some(secret)).await;
    server.terse(&["domain", "remove", "former.example"]).done();
    add(&server, "go.acme.example", "acme", Some(secret)).await;
    server.terse(&["owner", "suspend", "acme"]).done();
    assert_within_a_second("the start page is suspended", async || {
        ask(&server, "go.acme.example", "GET /").status == 410
    })
    .await;
    server.terse(&["owner", "resume", "acme"]).done();
    assert_within_a_second("the start page is back", async || {
        ask(&server, "go.acme.example", "GET /").location() == Some(secret)
    })
    .await;
    server.terse(&["owner", "rename", "acme", "globex"]).done();
    assert_eq!(list(database)[0]["owner_name"], "globex");
    let deleted = server.terse(&["owner", "delete", "globex", "--confirm", "globex"]).done();
    assert!(deleted.stderr.contains("1 domain"), "{deleted:?}");
    assert_eq!(hosts(database), [""; 0]);
    let values =
        "SELECT COUNT(*) FROM event_changes WHERE before LIKE '%secret%' OR after LIKE '%secret%'";
    assert_eq!(database.number(values).await, 0);
    // The names are free again.
    for host in ["former.example", "go.acme.example"] {
        add(&server, host, "default", None).await;
    }
    eventually(TIMEOUT, "no home", async || ask(&server, "go.acme.example", "GET /").status == 200)
        .await;
}
