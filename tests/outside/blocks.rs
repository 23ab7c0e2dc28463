//! Blocked destinations: what patterns match, and what follows for links and clients.

mod commands;
mod confirmations;
mod expiry;
mod file;
mod imports;
mod large;
mod lists;
mod patterns;
mod sources;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::{
    Api, COMMAND_EFFECT_TIMEOUT, Database, Outcome, Server, assert_within_a_second,
};

/// Runs a `terse block` command that must change patterns, and returns its output.
#[track_caller]
pub(crate) fn block(database: &Database, arguments: &[&str]) -> Value {
    let outcome = database.terse(&[&["block"], arguments, &["--json"]].concat()).done();
    let changed = outcome.json();
    assert!(changed["event_id"].is_i64(), "{changed}");
    changed
}

/// Imports the patterns in `text` as the list `source`, with these further arguments.
pub(crate) fn import(database: &Database, source: &str, text: &str, more: &[&str]) -> Outcome {
    let file = database.directory().join(format!("{source}.txt"));
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    database.terse(&[&["block", "import", file, "--source", source, "--yes"], more].concat())
}

/// Panics unless the command rejected its arguments, and returns the message.
#[track_caller]
fn misuse(outcome: Outcome) -> String {
    let message = outcome.stderr.clone();
    outcome.misused();
    message
}

/// Visits a link, and returns the status.
pub(crate) async fn status(server: &Server, code: &str) -> u16 {
    server.anyone().get(&format!("/{code}")).await.status
}

/// Waits until a visit has this status.
pub(crate) async fn wait_for_status(server: &Server, code: &str, expected: u16) {
    assert_within_a_second(&format!("{code} returns {expected}"), async || {
        status(server, code).await == expected
    })
    .await;
}

fn check(database: &Database, url: &str) -> Value {
    database.terse(&["block", "check", url, "--json"]).json()
}

#[track_caller]
fn is_blocked(database: &Database, url: &str) -> bool {
    check(database, url)["is_blocked"].as_bool().unwrap()
}

#[tokio::test]
async fn blocked_destination_is_reported_after_invalid_fields_and_before_conflicts() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let keyed = api.with("Idempotency-Key", "before");
    let request = json!({"url": "https://evil.example/login"});
    let created = keyed.shorten(&request).await.expect(201).code();
    block(database, &["add", "evil.example", "--reason", "phishing"]);
    assert_within_a_second("the destination is blocked", async || {
        api.shorten(&request).await.status == 422
    })
    .await;
    let problem = api.shorten(&request).await.problem(422, "destination-blocked");
    assert_eq!(problem.pointers().into_iter().collect::<Vec<_>>(), ["/url"]);
    let detail = problem.json()["errors"][0]["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("evil.example") && detail.contains("phishing"), "{detail}");
    // The earlier success is replayed; a new request is rejected.
    assert_eq!(keyed.shorten(&request).await.expect(201).code(), created);
    let other = api.with("Idempotency-Key", "after");
    other.shorten(&request).await.problem(422, "destination-blocked");
    // Invalid fields are reported before the block, and conflicts after it.
    let url = "https://sub.evil.example/";
    api.shorten(&json!({"url": url, "custom_code": "a b"})).await.invalid(&["/custom_code"]);
    api.shorten(&json!({"url": url, "title": 1})).await.invalid(&["/title"]);
    let late = json!({"url": url, "expires_at": "2020-01-01T00:00:00Z"});
    api.shorten(&late).await.problem(422, "destination-blocked");
    let taken = json!({"url": url, "custom_code": "docs"});
    api.shorten(&taken).await.problem(422, "destination-blocked");
    // A host as long as a URL allows does not exceed the limits of the response.
    let long = format!("https://{}.evil.example/", "a".repeat(4_000));
    api.shorten(&json!({ "url": long })).await.problem(422, "destination-blocked");
    api.create("https://good.example/").await;
}

/// Visits to one instance: when each began, and its status.
type Visits = Vec<(Instant, u16)>;

/// Visits links one after another until `stop` is set.
async fn visit(anyone: Api, codes: Vec<String>, stop: Arc<AtomicBool>) -> Visits {
    let mut visits = Visits::new();
    while !stop.load(Ordering::SeqCst) {
        for code in &codes {
            let began = Instant::now();
            visits.push((began, anyone.get(&format!("/{code}")).await.status));
        }
    }
    visits
}

#[tokio::test(flavor = "multi_thread")]
async fn block_stops_links_on_all_instances_within_a_second_until_it_is_removed() {
    let first = Server::start();
    let servers = [Server::on(first.database()), Server::on(first.database()), first];
    let (api, database) = (servers[2].api(), servers[2].database());
    let (mut cached, mut uncached) = (Vec::new(), Vec::new());
    for number in 0..20 {
        cached.push(api.create(&format!("https://evil.example/{number}")).await);
        uncached.push(api.create(&format!("https://www.evil.example/{number}")).await);
    }
    let other = api.create("https://notevil.example/").await;
    for server in &servers {
        for code in &cached {
            assert_eq!(status(server, code).await, 302);
        }
    }
    // Visits during the change must not bring an outdated verdict back into a cache.
    let stop = Arc::new(AtomicBool::new(false));
    let visitors = servers
        .each_ref()
        .map(|server| tokio::spawn(visit(server.anyone(), cached.clone(), Arc::clone(&stop))));
    block(database, &["add", "evil.example"]);
    let returned = Instant::now();
    tokio::time::sleep(COMMAND_EFFECT_TIMEOUT).await;
    let mut gone = 0;
    for server in &servers {
        for code in cached.iter().chain(&uncached) {
            assert_eq!(status(server, code).await, 410);
            gone += 1;
        }
        assert_eq!(status(server, &other).await, 302);
        server.anyone().head(&format!("/{}", cached[0])).await.expect(410);
        gone += 1;
    }
    stop.store(true, Ordering::SeqCst);
    let mut redirects = servers.len() * cached.len();
    for visits in visitors {
        let visits = visits.await.unwrap();
        let (late, early): (Visits, Visits) =
            visits.into_iter().partition(|(began, _)| *began > returned + COMMAND_EFFECT_TIMEOUT);
        assert!(!late.is_empty());
        assert!(late.iter().all(|(_, status)| *status == 410), "{late:?}");
        redirects += early.iter().filter(|(_, status)| *status == 302).count();
        gone += late.len() + early.iter().filter(|(_, status)| *status == 410).count();
    }
    let mut clicks = 0;
    for code in &cached {
        clicks += api.clicks(code).await;
    }
    assert_eq!(clicks, redirects as u64);
    for code in &uncached {
        assert_eq!(api.clicks(code).await, 0);
    }
    let mut counted = 0;
    for server in &servers {
        let metrics = server.anyone().get("/metrics").await.text();
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("terse_blocked_visits_total{reason=\"other\"} "));
        counted += line.unwrap_or_else(|| panic!("{metrics}")).parse::<usize>().unwrap();
    }
    assert_eq!(counted, gone);
    block(database, &["remove", "evil.example"]);
    for server in &servers {
        wait_for_status(server, &cached[0], 302).await;
        for code in cached.iter().chain(&uncached) {
            assert_eq!(status(server, code).await, 302);
        }
    }
}

#[tokio::test]
async fn patterns_in_force_are_loaded_at_the_start() {
    let server = Server::start();
    let code = server.api().create("https://evil.example/").await;
    let database = server.terminate().database;
    block(&database, &["add", "evil.example"]);
    let server = Server::on(&database);
    assert_eq!(status(&server, &code).await, 410);
}

#[tokio::test]
async fn qr_images_of_blocked_links_are_gone() {
    let server = Server::start();
    let api = server.api();
    let code = api.create("https://evil.example/").await;
    api.qr(&json!({ "short_code": code })).await.expect(201);
    let image = format!("/{code}/qr.svg");
    server.anyone().get(&image).await.expect(200);
    block(server.database(), &["add", "evil.example"]);
    assert_within_a_second("the image is gone", async || {
        server.anyone().get(&image).await.status == 410
    })
    .await;
    server.anyone().get(&format!("/{code}/qr.png")).await.expect(410);
}

#[tokio::test]
async fn block_ends_at_its_time_on_a_running_server() {
    let server = Server::start();
    let code = server.api().create("https://evil.example/").await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let database = server.database();
    block(database, &["add", "evil.example", "--until", "3s"]);
    wait_for_status(&server, &code, 410).await;
    crate::harness::eventually(crate::harness::TIMEOUT, "the block has ended", async || {
        status(&server, &code).await == 302
    })
    .await;
    assert!(!is_blocked(database, "https://evil.example/"));
    for past in ["2020-01-01", "0s"] {
        database.terse(&["block", "add", "evil.example", "--until", past]).misused();
    }
}

#[test]
fn pattern_matches_every_spelling_of_a_destination() {
    let database = Database::new().migrated();
    block(&database, &["add", "Evil.Example.", "bücher.example", "https://host.example/Bad/page"]);
    block(&database, &["add", "192.0.2.1", "2001:db8::1"]);
    for url in [
        "https://evil.example",
        "HTTP://EVIL.EXAMPLE./x",
        "https://a.b.evil.example:8443/?q#f",
        "https://good.example@evil.example/",
        "https://user:password@evil.example/",
        "https://ev%69l.example/",
        "https://ｅvil.example/",
        "https://evil。example/",
        "https://evil.example\\@good.example/",
        "https://xn--bcher-kva.example/",
        "https://BÜCHER.example/",
        "https://host.example/Bad/page",
        "http://host.example:81/Bad/page/",
        "https://host.example//Bad//page//x",
        "https://host.example/%42ad/p%61ge?q",
        "https://host.example/x/../Bad/%2e/page/y",
        "https://host.example/Bad\\page",
        "https://host.example/Bad%2Fpage%2fx",
        "https://host.example/x%2F..%2F%42ad/page",
        "http://192.0.2.1/",
        "http://3221225985/",
        "http://0xc0.0.2.1:80/",
        "http://[::ffff:192.0.2.1]/",
        "http://[2001:DB8:0:0::1]/",
    ] {
        assert!(is_blocked(&database, url), "{url}");
    }
    for url in [
        "https://example/",
        "https://notevil.example/",
        "https://evil.example.org/",
        "https://evil.example@good.example/",
        "https://good.example/?evil.example",
        "https://host.example/",
        "https://host.example/Bad",
        "https://host.example/bad/page",
        "https://host.example/Bad/pages",
        "https://host.example/Bad%252Fpage",
        "https://www.host.example/Bad/page",
        "http://1.192.0.2.1.example/",
        "http://192.0.2.2/",
    ] {
        assert!(!is_blocked(&database, url), "{url}");
    }
}

#[test]
fn most_specific_pattern_decides_and_an_exception_wins_a_tie() {
    let database = Database::new().migrated();
    block(&database, &["add", "example", "https://a.example/x/y", "b.c.example"]);
    block(&database, &["allow", "a.example", "https://a.example/x/y/z", "c.example"]);
    block(&database, &["add", "https://d.example/"]);
    block(&database, &["allow", "d.example"]);
    import(&database, "feed", "tie.example\n", &["--reason", "malware"]).done();
    for (url, blocked) in [
        ("https://example/", true),
        ("https://other.example/", true),
        ("https://a.example/", false),
        ("https://sub.a.example/x/y", false),
        ("https://a.example/x", false),
        ("https://a.example/x/y", true),
        ("https://a.example/x/y/w", true),
        ("https://a.example/x/y/z/w", false),
        ("https://c.example/", false),
        ("https://b.c.example/", true),
        ("https://sub.b.c.example/", true),
        ("https://d.example/", true),
        ("https://sub.d.example/", false),
        ("https://tie.example/", true),
    ] {
        assert_eq!(is_blocked(&database, url), blocked, "{url}");
    }
    let decided = check(&database, "https://www.tie.example/path");
    assert_eq!(
        decided,
        json!({
            "url": "https://www.tie.example/path", "is_blocked": true, "pattern": "tie.example",
            "source": "feed", "action": "block", "reason": "malware", "expires_at": null,
        })
    );
    block(&database, &["allow", "tie.example"]);
    assert_eq!(check(&database, "https://tie.example/")["action"], "allow");
    assert!(!is_blocked(&database, "https://tie.example/"));
    // The removal leaves the pattern of the source.
    block(&database, &["remove", "tie.example"]);
    assert!(is_blocked(&database, "https://tie.example/"));
}

/// Returns whether a list of the API contains the link.
pub(crate) async fn is_listed(api: &Api, target: &str, code: &str) -> bool {
    api.get(target).await.expect(200).codes().iter().any(|listed| listed == code)
}
