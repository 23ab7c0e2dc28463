//! `terse link`: selectors, bulk changes, edits and deletions, next to running servers.

use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{Database, Server, assert_within_a_second};

const URL: &str = "https://example.org/";

/// Parses JSON Lines.
pub(crate) fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect()
}

/// Finds links and returns their codes, sorted.
fn find_codes(database: &Database, selectors: &[&str]) -> Vec<String> {
    let arguments = [&["link", "find", "--json"], selectors].concat();
    let outcome = database.terse(&arguments).done();
    let mut codes: Vec<String> = lines(&outcome.stdout)
        .iter()
        .map(|link| link["short_code"].as_str().expect("a code").to_owned())
        .collect();
    codes.sort();
    codes
}

/// Starts two servers on one new database, and returns the database and the servers.
pub(crate) fn start_two_servers() -> (Arc<Database>, Vec<Server>) {
    let database = Arc::new(Database::new().with_default_owner());
    let first = Server::on(&database);
    let mut servers = vec![first];
    servers.push(Server::on(&database));
    (database, servers)
}

async fn status(server: &Server, path: &str) -> u16 {
    server.anyone().head(path).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_must_all_match() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let other = server.api_of("other", "unlimited");
    let create = async |api: &crate::harness::Api, url: &str, campaign: Option<&str>| {
        api.create_from(&json!({"url": url, "campaign": campaign})).await
    };
    let plain = create(&api, "https://evil.example/login", Some("spring")).await;
    let sub = create(&api, "http://www.EVIL.example:8080/a?b#c", None).await;
    let dotted = create(&api, "https://user@evil.example./x", None).await;
    let lookalike = create(&api, "https://notevil.example/", Some("spring")).await;
    let within = create(&api, "https://example.com/evil.example", None).await;
    let theirs = create(&other, "https://login.evil.example/", Some("spring")).await;
    let idn = create(&api, "https://exämple.org/ü", None).await;

    let sorted = |codes: &[&String]| {
        let mut codes: Vec<String> = codes.iter().map(|code| (*code).clone()).collect();
        codes.sort();
        codes
    };
    let by_host = find_codes(database, &["--host", "Evil.Example."]);
    assert_eq!(by_host, sorted(&[&plain, &sub, &dotted, &theirs]));
    assert_eq!(find_codes(database, &["--host", "www.evil.example"]), sorted(&[&sub]));
    assert_eq!(find_codes(database, &["--host", "xn--exmple-cua.org"]), sorted(&[&idn]));
    assert_eq!(find_codes(database, &["--host", "exämple.org"]), sorted(&[&idn]));
    assert_eq!(find_codes(database, &["--host", "_vil.example"]), Vec::<String>::new());
    let both = ["--host", "evil.example", "--campaign", "spring"];
    assert_eq!(find_codes(database, &both), sorted(&[&plain, &theirs]));
    assert_eq!(
        find_codes(database, &[&both[..], &["--owner", "other"]].concat()),
        sorted(&[&theirs])
    );
    assert_eq!(find_codes(database, &["--campaign", "spring", &lookalike]), sorted(&[&lookalike]));
    assert_eq!(find_codes(database, &["--campaign", "spring", &within]), Vec::<String>::new());
    let destination = "http://www.EVIL.example:8080/a?b#c";
    assert_eq!(find_codes(database, &["--destination", destination]), sorted(&[&sub]));
    assert_eq!(find_codes(database, &["--owner", "other", "--limit", "0"]), Vec::<String>::new());
    assert_eq!(find_codes(database, &["--host", "evil.example", "--limit", "3"]).len(), 3);

    database.terse(&["link", "find"]).misused();
    database.terse(&["link", "disable", "--yes"]).misused();
    database.terse(&["link", "find", "--host", "https://evil.example/"]).misused();
    let line = database.terse(&["link", "find", "--owner", "missing"]).failed();
    assert!(line.contains("no owner 'missing'"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn found_link_has_exactly_the_documented_members() {
    let server = Server::start();
    let api = server.api();
    let body = json!({"url": URL, "title": "A title", "campaign": "c",
        "expires_at": "2999-01-01T00:00:00Z"});
    let code = api.create_from(&body).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let outcome = server.terse(&["link", "find", &code, "--json"]).done();
    let link = lines(&outcome.stdout).pop().expect("a link");
    let names: Vec<&str> = link.as_object().unwrap().keys().map(String::as_str).collect();
    let shown = api.get(&format!("/api/manage/v1/links/{code}")).await.json();
    let shown = shown.as_object().unwrap().keys().map(String::as_str);
    let expected: Vec<&str> = shown.chain(["owner_id", "owner_name"]).collect();
    assert_eq!(names, expected);
    assert_eq!(link["owner_name"], "default");
    assert_eq!((&link["clicks"], &link["state"]), (&json!(1), &json!("active")));
    assert_eq!(link["expires_at"], "2999-01-01T00:00:00.000Z");
    assert_eq!(link["state_reason"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_disable_takes_effect_on_all_instances_as_one_event() {
    let (database, servers) = start_two_servers();
    let api = servers[0].api();
    let mut codes = Vec::new();
    for number in 0..600 {
        codes.push(api.create(&format!("https://a.evil.example/{number}")).await);
    }
    let kept = api.create(URL).await;
    for server in &servers {
        assert_eq!(status(server, &format!("/{}", codes[0])).await, 302);
    }
    let selectors = ["link", "disable", "--host", "evil.example", "--json"];
    database.terse(&selectors).misused();
    let dry = database.terse(&[&selectors[..], &["--dry-run"]].concat()).json();
    assert_eq!((&dry["changed"], &dry["event_id"]), (&json!(600), &Value::Null));
    assert_eq!(status(&servers[1], &format!("/{}", codes[599])).await, 302);

    let options =
        ["--yes", "--reason", "phishing", "--case", "T-1", "--actor", "ann", "--note", "x y"];
    let outcome = database.terse(&[&selectors[..], &options].concat()).done();
    let result: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let event = result["event_id"].as_i64().expect("an event");
    assert_eq!(result["changed"], 600);
    assert!(outcome.stderr.trim_end().ends_with(&format!("(event {event})")), "{outcome:?}");
    for server in &servers {
        assert_within_a_second("the link is gone", async || {
            status(server, &format!("/{}", codes[0])).await == 410
                && status(server, &format!("/{}", codes[599])).await == 410
        })
        .await;
        assert_eq!(status(server, &format!("/{kept}")).await, 302);
    }
    assert_eq!(api.stats(&codes[3]).await.data()["is_active"], 0);
    assert_eq!(
        find_codes(&database, &["--host", "evil.example", "--state", "disabled"]).len(),
        600
    );

    let history = database.terse(&["history", "--case", "T-1", "--json"]).done();
    let events = lines(&history.stdout);
    assert_eq!(events.len(), 1, "{history:?}");
    let expected = json!({"id": event, "created_at": events[0]["created_at"],
        "actor": {"type": "command", "id": null, "name": "ann"},
        "action": "link disable", "subject": "host evil.example", "owner_id": 1, "owner_name": "default",
        "audit": {"reason": "phishing", "note": "x y", "case_id": "T-1"}, "changed": 600,
        "status": "done", "finished_at": events[0]["finished_at"], "skipped": [], "skipped_count": 0});
    assert_eq!(events[0], expected);

    let nothing = database.terse(&[&selectors[..], &["--yes"]].concat()).json();
    assert_eq!((&nothing["changed"], &nothing["event_id"]), (&json!(0), &Value::Null));
    let undone = database.terse(&["undo", &event.to_string(), "--yes", "--json"]).json();
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(600), &json!([])));
    for server in &servers {
        assert_within_a_second("the link is back", async || {
            status(server, &format!("/{}", codes[0])).await == 302
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_link_keeps_its_reason_unless_another_is_given() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    let disable = |options: &[&str]| {
        server.terse(&[&["link", "disable", &code, "--json"], options].concat()).json()
    };
    let reason = || {
        let outcome = server.terse(&["link", "find", &code, "--json"]).done();
        lines(&outcome.stdout)[0]["state_reason"].clone()
    };
    assert_eq!(disable(&["--reason", "spam"])["changed"], 1);
    assert_eq!(disable(&[])["changed"], 0);
    assert_eq!(reason(), "spam");
    assert_eq!(disable(&["--reason", "legal"])["changed"], 1);
    assert_eq!(reason(), "legal");
    assert_eq!(disable(&["--reason", "legal"])["event_id"], Value::Null);
    server.terse(&["link", "disable", &code, "--reason", "boredom"]).misused();
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_code_is_named_and_nothing_is_changed() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    let line = server.terse(&["link", "disable", &code, "unknown1", "--yes"]).failed();
    assert!(line.contains("'unknown1'") && !line.contains(&code), "{line}");
    assert_eq!(status(&server, &format!("/{code}")).await, 302);

    let key = server.key();
    for arguments in [
        vec!["link", "disable", key],
        vec!["link", "show", key],
        vec!["link", "find", "--state", key],
        vec!["link", "find", "--owner", key],
        vec!["history", "--owner", key],
        vec![key],
        vec!["undo", key],
    ] {
        let outcome = server.terse(&arguments);
        assert!(!outcome.stderr.contains(key) && !outcome.stdout.contains(key), "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_come_from_a_file_or_stdin() {
    let server = Server::start();
    let api = server.api();
    let odd = api.create_from(&json!({"url": URL, "custom_code": "--help"})).await;
    let (first, second) = (api.create(URL).await, api.create(URL).await);
    let file = server.database().directory().join("codes");
    std::fs::write(&file, format!("{first}\n\n  {odd}  \n")).unwrap();
    let path = file.to_str().unwrap();
    let result = server.terse(&["link", "disable", "--codes-from", path, "--yes", "--json"]).json();
    assert_eq!(result["changed"], 2);
    assert_eq!(status(&server, "/--help").await, 410);

    let mut enable: Command = server.database().command();
    enable.args(["link", "enable", "--codes-from", "-", "--yes"]);
    enable.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = enable.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), first.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_within_a_second("one is back", async || {
        status(&server, &format!("/{first}")).await == 302
    })
    .await;
    assert_eq!(status(&server, &format!("/{second}")).await, 302);
    server.terse(&["link", "enable", "--", "--help"]).done();
    assert_within_a_second("it is back", async || status(&server, "/--help").await == 302).await;
    server.terse(&["link", "disable", "--unknown", &first]).misused();
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_corrects_a_link_by_the_rules_of_the_api() {
    let server = Server::start();
    let api = server.api();
    let body = json!({"url": URL, "title": "Old", "campaign": "old"});
    let code = api.create_from(&body).await;
    let path = format!("/{code}");
    server.anyone().head(&path).await.expect(302);
    let edit =
        |options: &[&str]| server.terse(&[&["link", "edit", &code, "--json"], options].concat());
    let new = "https://example.com/new";
    let result = edit(&["--destination", new, "--title", "", "--campaign", "new"]).json();
    assert_eq!(result["changed"], 1);
    let event = result["event_id"].as_i64().unwrap().to_string();
    assert_within_a_second("the redirect leads elsewhere", async || {
        server.anyone().head(&path).await.header("location") == Some(new)
    })
    .await;
    assert_eq!(api.stats(&code).await.data()["campaign"], "new");
    assert_eq!(edit(&["--campaign", "new"]).json()["event_id"], Value::Null);
    assert_eq!(
        find_codes(server.database(), &["--host", "example.com"]),
        std::slice::from_ref(&code)
    );

    for options in [
        ["--destination", "ftp://example.org/"],
        ["--destination", "example.org"],
        ["--campaign", "a\u{1}b"],
        ["--expires", "soon"],
    ] {
        edit(&options).misused();
    }
    let own = format!("{}/x", server.base_url());
    let listen = server.authority().to_owned();
    edit(&["--destination", &own, "--listen", &listen]).misused();
    edit(&["--expires", "2020-01-01"]).misused();

    edit(&["--expires", "1s"]).done();
    tokio::time::sleep(std::time::Duration::from_millis(1_300)).await;
    assert_eq!(status(&server, &path).await, 410);
    assert_eq!(edit(&["--expires", "never"]).json()["changed"], 1);
    assert_within_a_second("it is back", async || status(&server, &path).await == 302).await;

    // The edit and the expiries concern different fields, so the edit can still be undone.
    assert_eq!(server.terse(&["undo", &event, "--yes", "--json"]).json()["changed"], 1);
    assert_within_a_second("the redirect leads back", async || {
        server.anyone().head(&path).await.header("location") == Some(URL)
    })
    .await;
    assert_eq!(api.stats(&code).await.data()["campaign"], "old");
}
