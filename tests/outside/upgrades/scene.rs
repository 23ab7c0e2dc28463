//! A database with every kind of content.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::steps::{command, creation, idempotent, request};
use crate::click_days::{serve_later, visit};
use crate::harness::{Database, Server, Store, TIMEOUT, eventually};
use crate::outage::{block_writers, wait_for_outage};

/// Where visitors of start pages go.
const HOME: &str = "https://example.org/home";
/// The operation that creates keys of an owner.
const KEYS: &str = "/api/manage/v1/keys";
/// A time that no test reaches.
const FAR: &str = "2100-01-01T00:00:00.000Z";
const FAR_MILLIS: u64 = 4_102_444_800_000;

/// Links with their owners. The other members of the request follow.
fn links() -> Vec<(&'static str, Value)> {
    let spring = json!({ "title": "Frühling 🌱 \"'", "campaign": "=1+1, O'Reilly" });
    let link = |owner, code: &str, url: &str, mut more: Value| {
        more["custom_code"] = code.into();
        more["url"] = url.into();
        (owner, more)
    };
    vec![
        link("default", "plain", "http://192.0.2.1:8080/a%20b?c=d&e#f", json!({})),
        link("acme", "spring", "https://example.org/spring", spring.clone()),
        link("acme", "lasting", "https://example.org/", json!({ "expires_at": FAR })),
        link("acme", "edited", "https://example.org/before", json!({ "title": "Before" })),
        link("acme", "notice", "https://example.org/notice", json!({})),
        link("acme", "-dash_", "https://example.org/dash", json!({})),
        link("acme", "retired", "https://example.org/secret", json!({ "title": "Secret" })),
        link("büro", "unicode", "https://münchen.example/ä b?ü=ö", spring),
        link("büro", "punycode", "HTTPS://user@xn--mnchen-3ya.EXAMPLE./", json!({})),
        link("büro", "blocked", "https://www.evil.example/login", json!({})),
        link("büro", "excepted", "https://www.evil.example/good/", json!({})),
        link("büro", "listed", "https://ads.example/", json!({})),
        link("spammer", "spam", "https://spam.example/", json!({})),
        link("leaving", "left", "https://example.org/leaving", json!({})),
    ]
}

/// Rows of an import: clicks that belong to no day, a link that has expired, and a disabled one.
const ROWS: &str = "\
short_code,destination_url,title,campaign,clicks,is_active,has_qr,created_at,expires_at,is_paused,forward_query,fallback_url,external_id
imported,https://example.net/,Imported,old,9007199254740991,1,1,2020-02-29T23:59:59Z,,,,,erp/1
expired,https://example.net/expired,,,3,1,0,2020-01-01T00:00:00Z,2021-01-01T00:00:00Z,,,https://example.net/ended,
off,https://example.net/off,,,0,0,0,,,,,,
Größe/1.0,https://example.net/wide?a=1,,,1,1,0,,,,1,,
resting,https://example.net/rest,,,1,1,0,,,1,,,
";

/// A webhook of `acme`, a delivery, and a click that it was not told of.
const WEBHOOKS: [&str; 3] = [
    "INSERT INTO webhooks (id, owner_id, url, types, description, is_enabled, secret, secret_at,
        previous_secret, created_at, last_success_at, dropped)
     SELECT 7, id, 'http://127.0.0.1:1025/', 'link.deleted links.clicked', 'crm', TRUE,
        'whsec_bm90IGEgc2VjcmV0OiAzMiBieXRlcyBvZiBhbiBleGE=', 1700000000000, NULL, 1700000000000,
        1700000001000, 3 FROM owners WHERE name = 'acme'",
    "INSERT INTO webhook_deliveries (id, webhook_id, type, event_id, content, created_at, status,
        attempts, attempt_count)
     VALUES (9, 7, 'link.deleted', 1, '{\"short_code\":\"retired\",\"external_id\":null}',
        4102444800000, 'delivered',
        '[{\"at\":4102444800000,\"status_code\":204,\"error\":null,\"milliseconds\":5}]', 1)",
    "INSERT INTO webhook_clicks (link_id, owner_id)
     SELECT id, owner_id FROM links WHERE short_code = 'spring'",
];

/// API keys by name.
type Keys = Vec<(&'static str, String)>;

fn key<'k>(keys: &'k Keys, name: &str) -> &'k str {
    &keys.iter().find(|(of, _)| *of == name).unwrap().1
}

/// Creates the database, and returns it with steps that show its content. No server runs.
pub(super) async fn create() -> (Arc<Database>, Vec<Value>) {
    let server = Server::start();
    let database = Arc::clone(server.database());
    let keys = add_owners(&database);
    add_links(&server, &keys).await;
    let server = click(server).await;
    let branded = server.with_key(key(&keys, "acme")).ask(reqwest::Method::POST, "/api/v1/shorten");
    let branded = branded.header("Idempotency-Key", "branded").json(&idempotent_body("branded"));
    branded.send().await.expect(201);
    let default = server.with_key(key(&keys, "default"));
    let derived = default.ask(reqwest::Method::POST, KEYS).header("Idempotency-Key", "derived");
    derived.json(&derived_key()).send().await.expect(201);
    change(&database);
    leave_pending_clicks(server).await;
    let lasting = format!(
        "UPDATE idempotency_keys SET created_at = {FAR_MILLIS}
         WHERE key IN ('once', 'branded', 'derived')"
    );
    database.execute(&lasting).await;
    // An instance that no longer runs.
    let instance = "INSERT INTO instances (id, kind, version, started_at, seen_at)
        VALUES (1, 'server', '0.1.0', 1, 1)";
    database.execute(instance).await;
    for statement in WEBHOOKS {
        database.execute(statement).await;
    }
    let steps = steps(&database, &keys).await;
    (database, steps)
}

/// Runs a command as an operator, and returns its output.
fn terse(database: &Database, arguments: &[&str]) -> String {
    // Options precede `--`.
    let (command, rest) = arguments.split_at(2);
    let outcome = database.terse(&[command, &["--actor", "alice"], rest].concat()).done();
    outcome.stdout.trim_end().to_owned()
}

fn add_owners(database: &Database) -> Keys {
    let terse = |arguments: &[&str]| terse(database, arguments);
    let limits = ["--requests", "1000/s", "--burst", "2000", "--links-per-day", "1000"];
    terse(
        &[&["plan", "add", "gold", "--max-links", "500", "--custom-codes", "true"], &limits[..]]
            .concat(),
    );
    terse(&["plan", "add", "basic"]);
    terse(&["operator", "add", "billing", "--role", "provisioner"]);
    terse(&["operator", "revoke", "billing"]);
    terse(&["operator", "add", "billing", "--role", "auditor"]);
    let mut keys = vec![("default", database.default_key().to_owned())];
    for (name, plan) in [("acme", "gold"), ("büro", "pro"), ("spammer", "unlimited")] {
        keys.push((name, terse(&["owner", "add", name, "--plan", plan])));
    }
    keys.push(("leaving", terse(&["owner", "add", "leaving", "--plan", "unlimited"])));
    for (name, option, value) in [
        ("read", "--scope", "read"),
        ("create", "--scope", "create"),
        ("lasting", "--expires", FAR),
        ("past", "--expires", "2026-01-01"),
        ("leaked", "--scope", "edit"),
    ] {
        keys.push((name, terse(&["key", "add", "acme", "--label", name, option, value])));
    }
    terse(&["domain", "add", "go.acme.example", "--owner", "acme"]);
    terse(&["key", "revoke", &database.key_id("acme", "leaked"), "--note", "seen in a log"]);
    terse(&["key", "expire", &database.key_id("acme", "past"), "--at", "2026-02-01"]);
    keys
}

async fn add_links(server: &Server, keys: &Keys) {
    for (owner, body) in links() {
        server.with_key(key(keys, owner)).create_from(&body).await;
    }
    for name in ["once", "short-lived"] {
        let request = server.api().ask(reqwest::Method::POST, "/api/v1/shorten");
        let request = request.header("Idempotency-Key", name);
        request.json(&idempotent_body(name)).send().await.expect(201);
    }
    let acme = server.with_key(key(keys, "acme"));
    for code in ["spring", "notice"] {
        acme.qr(&json!({ "short_code": code })).await.expect(201);
    }
    let settings = json!({
        "short_code": "lasting", "error_correction": "H", "margin": 6,
        "foreground": "#000080", "background": "#ffffee"
    });
    acme.qr(&settings).await.expect(201);
    let file = server.database().directory().join("in.csv");
    std::fs::write(&file, ROWS).unwrap();
    let import = ["import", file.to_str().unwrap(), "--owner", "acme", "--ignore-case"];
    server.terse(&import).done();
}

/// A key whose secret a repetition returns again.
fn derived_key() -> Value {
    json!({ "label": "derived", "scope": "read" })
}

fn idempotent_body(name: &str) -> Value {
    json!({ "url": "https://example.com/once", "custom_code": name })
}

/// Adds clicks of several days, and those of an outage.
async fn click(mut server: Server) -> Server {
    for (days, clicks) in [(1, 1), (3, 2), (30, 3)] {
        for code in ["plain", "spring", "retired", "left", "imported"] {
            visit(&server, code, clicks).await;
        }
        server = serve_later(server, days, &[]).await;
    }
    let database = Arc::clone(server.database());
    let outage = block_writers(&server).await;
    visit(&server, "spring", 2).await;
    wait_for_outage(&server).await;
    server.terminate();
    outage.close().await;
    Server::on(&database)
}

/// Changes links, owners and patterns as an operator, and reverts some of the changes.
fn change(database: &Database) {
    let terse = |arguments: &[&str]| terse(database, arguments);
    let case = ["--case", "4711", "--note", "Anzeige vom 1. März"];
    terse(&[&["link", "disable", "notice", "--reason", "legal"], &case[..]].concat());
    terse(&["link", "disable", "--reason", "phishing", "--", "-dash_"]);
    terse(&["link", "edit", "edited", "--destination", "https://example.org/after"]);
    terse(&["link", "edit", "edited", "--title", "", "--campaign", "autumn", "--expires", FAR]);
    terse(&["link", "delete", "retired", "--reason", "owner-request"]);
    terse(&["link", "edit", "plain", "--external-id", "Übung 7"]);
    terse(&["owner", "edit", "acme", "--external-id", "customer/7"]);
    terse(&["link", "pause", "lasting", "--case", "4712"]);
    terse(&["owner", "suspend", "spammer", "--reason", "spam"]);
    terse(&["owner", "edit", "acme", "--fallback", "https://example.org/ended"]);
    terse(&["owner", "rename", "büro", "Büro & Söhne"]);
    terse(&["domain", "add", "Links.ACME.example:8443", "--owner", "acme", "--home", HOME]);
    terse(&["domain", "default", "links.acme.example:8443"]);
    terse(&["domain", "add", "left.example", "--owner", "leaving", "--home", HOME]);
    terse(&["domain", "add", "removed.example", "--owner", "default"]);
    terse(&["domain", "remove", "removed.example"]);
    terse(&["owner", "delete", "leaving", "--confirm", "leaving", "--yes"]);
    terse(&["block", "add", "evil.example", "--reason", "malware"]);
    terse(&["block", "add", "temporary.example", "--until", FAR]);
    terse(&["block", "allow", "https://www.evil.example/good"]);
    terse(&["block", "add", "removed.example"]);
    terse(&["block", "remove", "removed.example"]);
    let list = database.directory().join("list.txt");
    std::fs::write(&list, "ads.example\nhttps://tracker.example/pixel\n").unwrap();
    terse(&["block", "import", list.to_str().unwrap(), "--source", "list", "--yes"]);
    let disabled = terse(&["link", "disable", "plain", "--json"]);
    let disabled: Value = serde_json::from_str(&disabled).unwrap();
    terse(&["undo", &disabled["event_id"].to_string(), "--yes"]);
}

/// Kills the server while clicks are pending and, on SQLite, counts are recent.
async fn leave_pending_clicks(mut server: Server) {
    let database = Arc::clone(server.database());
    if database.store() == Store::Sqlite {
        visit(&server, "plain", 1).await;
        eventually(TIMEOUT, "a rollup", async || {
            database.number("SELECT COUNT(*) FROM recent_counts").await > 0
        })
        .await;
    }
    loop {
        visit(&server, "spring", 1).await;
        visit(&server, "plain", 1).await;
        server.kill9();
        eventually(TIMEOUT, "its statements end", async || database.is_idle()).await;
        if database.number("SELECT COUNT(*) FROM pending_clicks").await > 0 {
            break;
        }
        server = Server::on(&database);
    }
}

/// Returns the steps that show the content. Those that change something come last.
async fn steps(database: &Database, keys: &Keys) -> Vec<Value> {
    let number = async |column: &str| database.number(&format!("SELECT {column}")).await;
    let mut steps: Vec<Value> =
        ["owner", "plan", "block", "operator", "domain"].map(|of| command(&[of, "list"])).into();
    steps.extend([&["export"][..], &["export", "--days"], &["history"]].map(command));
    for owner in ["default", "acme", "Büro & Söhne", "spammer"] {
        steps.push(command(&["key", "list", owner]));
        steps.push(command(&["link", "find", "--owner", owner]));
    }
    steps.push(command(&["link", "find", "--host", "xn--mnchen-3ya.example"]));
    steps.push(command(&["link", "find", "retired", "left"]));
    steps.push(command(&["link", "show", "--", "-dash_"]));
    for url in ["https://evil.example/", "https://www.evil.example/good/x", "https://ads.example"] {
        steps.push(command(&["block", "check", url]));
    }
    for event in 1..=number("MAX(id) FROM events").await {
        if number(&format!("COUNT(*) FROM event_changes WHERE event_id = {event}")).await > 0 {
            steps.push(command(&["history", "--event", &event.to_string()]));
        }
    }
    // Clicks that are not closed belong to the day after the last closed one.
    let days =
        number("MIN(day) FROM click_days").await..=number("closed_until + 1 FROM day_close").await;
    let mut months: Vec<String> = days.map(month).collect();
    months.dedup();
    for month in months {
        steps.push(command(&["report", "--month", &month, "--by", "owner,campaign,link"]));
    }
    steps.push(command(&["check"]));

    for (_, key) in keys {
        steps.push(request("GET", "/api/v1/links", key));
        steps.push(request("GET", "/api/v1/qrcodes", key));
    }
    let links = links();
    let codes = links.iter().map(|(_, body)| body["custom_code"].as_str().unwrap());
    for code in codes.chain([
        "once",
        "imported",
        "expired",
        "off",
        "resting",
        "unknown",
        "GR%C3%B6sse/1.0?b=2",
    ]) {
        steps.push(request("HEAD", &format!("/{code}"), ""));
    }
    for code in ["spring", "notice", "lasting", "imported", "retired", "plain"] {
        steps.push(request("HEAD", &format!("/{code}/qr.svg"), ""));
    }
    let default = key(keys, "default");
    steps.push(creation(default, "once", &idempotent_body("once")));
    steps.push(idempotent(KEYS, default, "derived", &derived_key()));
    steps.push(creation(key(keys, "acme"), "branded", &idempotent_body("branded")));

    steps.push(creation(key(keys, "acme"), "new", &idempotent_body("new")));
    let edited = number("MAX(id) FROM events WHERE action = 'link edit'").await;
    steps.push(command(&["undo", &edited.to_string(), "--yes"]));
    // `link show` would print the time of the undo.
    steps.push(command(&["link", "find", "edited"]));
    steps
}

/// Returns the month of a day, which is a number since the Unix epoch.
fn month(day: i64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(day.cast_unsigned() * 86_400);
    humantime::format_rfc3339_seconds(time).to_string()[..7].to_owned()
}
