//! Domains that programs of the operator manage.

use serde_json::{Value, json};

use super::{PREFIX, all, delete, done, get, send};
use crate::harness::{Api, Response, Server, assert_within_a_second};

const URL: &str = "https://example.com/";

/// Starts a server with the owners `acme` and `globex`. Returns it, and the client of a provisioner.
fn start() -> (Server, Api) {
    let server = Server::with_operator();
    for owner in ["acme", "globex"] {
        server.database().owner(owner, "pro");
    }
    let api = server.operator("provisioner");
    (server, api)
}

/// Adds a domain with an `Idempotency-Key`.
async fn add(api: &Api, key: &str, body: &Value) -> Response {
    let ask = api.ask(reqwest::Method::POST, &format!("{PREFIX}/domains"));
    ask.header("Idempotency-Key", key).json(body).send().await
}

fn hosts(list: &[Value]) -> Vec<String> {
    list.iter().map(|domain| domain["host"].as_str().unwrap().to_owned()).collect()
}

/// Checks that a list has these hosts, and the newest first.
#[track_caller]
fn assert_newest_first(list: &[Value], expected: &[&str]) {
    let times: Vec<&str> = list.iter().map(|one| one["created_at"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "{times:?}");
    let mut found = hosts(list);
    found.sort();
    assert_eq!(found, expected);
}

/// Waits until the server serves a host, or no longer does.
async fn assert_served(server: &Server, host: &str, status: u16) {
    assert_within_a_second(host, async || {
        let ask = format!("/domains/ask?domain={host}");
        server.operator_anyone().get(&ask).await.status == status
    })
    .await;
}

#[tokio::test]
async fn domains_are_added_listed_changed_and_removed() {
    let (server, api) = start();
    let audit = json!({ "case_id": "C-1" });
    let body =
        json!({ "host": "Go.Acme.example.", "owner_id": 2, "home_url": URL, "audit": audit });
    let added = send(&api, "POST", "/domains", &body).await.expect(201);
    let domain = added.json();
    let names: Vec<&String> = domain.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["host", "owner_id", "owner_name", "home_url", "is_default", "created_at", "etag"]
    );
    assert_eq!(domain["host"], "go.acme.example");
    assert_eq!((&domain["home_url"], &domain["is_default"]), (&json!(URL), &json!(true)));
    assert_eq!(added.header("location"), Some(&*format!("{PREFIX}/domains/go.acme.example")));
    assert_served(&server, "go.acme.example", 200).await;
    let event = server.terse(&["history", "--case", "C-1", "--json"]).json();
    assert_eq!(
        (&event["actor"]["name"], &event["actor"]["type"], &event["action"]),
        (&json!("provisioner"), &json!("operator_key"), &json!("domain add"))
    );
    server.wait_for_log(r#""owner":"acme""#);
    for spelling in ["go.acme.example", "GO.acme.EXAMPLE.", "go.acme.example:443"] {
        let read = get(&api, &format!("/domains/{spelling}")).await.expect(200).json();
        assert_eq!(read, domain, "{spelling}");
    }

    let id = domain["owner_id"].clone();
    for (host, stored) in
        [("Exämple.ORG", "xn--exmple-cua.org"), ("acme.link:8443", "acme.link:8443"), ("go", "go")]
    {
        let body = json!({ "host": host, "owner_id": id });
        let added = send(&api, "POST", "/domains", &body).await.expect(201);
        let domain = added.json();
        assert_eq!((&domain["host"], &domain["is_default"]), (&json!(stored), &json!(false)));
        let read = api.get(added.header("location").unwrap()).await.expect(200);
        assert_eq!(read.json(), domain, "{host}");
    }
    done(&api, "POST", "/domains", &json!({ "host": "go.globex.example", "owner_id": 3 })).await;
    let mut expected = vec!["acme.link:8443", "go", "go.acme.example", "xn--exmple-cua.org"];
    assert_newest_first(&all(&api, "/domains?owner_id=2&limit=3").await, &expected);
    expected.insert(3, "go.globex.example");
    assert_newest_first(&all(&api, "/domains?limit=1").await, &expected);
    get(&api, "/domains?owner_id=999").await.problem(404, "owner-not-found");

    let path = "/domains/acme.link:8443";
    let changed = done(&api, "PATCH", path, &json!({ "is_default": true, "home_url": URL })).await;
    assert_eq!((&changed["is_default"], &changed["home_url"]), (&json!(true), &json!(URL)));
    let key = server.terse(&["key", "add", "acme", "--scope", "full"]).key();
    let short_url = async || {
        let link = json!({ "url": URL });
        server.with_key(&key).shorten(&link).await.json()["short_url"].to_string()
    };
    assert_within_a_second("the default changes", async || {
        short_url().await.starts_with("\"http://acme.link:8443/")
    })
    .await;
    let unchanged =
        done(&api, "PATCH", "/domains/go.acme.example", &json!({ "is_default": false })).await;
    assert_eq!(unchanged["is_default"], false);
    send(&api, "PATCH", path, &json!({ "is_default": false })).await.invalid(&["/is_default"]);
    let cleared = done(&api, "PATCH", path, &json!({ "home_url": null })).await;
    assert_eq!((&cleared["is_default"], &cleared["home_url"]), (&json!(true), &Value::Null));

    delete(&api, "/domains/acme.link:8443?reason=owner-request&case_id=C-2").await.expect(204);
    delete(&api, "/domains/acme.link:8443").await.problem(404, "domain-not-found");
    assert_served(&server, "acme.link", 404).await;
    expected.remove(0);
    let shown = server.terse(&["domain", "list", "--json"]).json();
    assert_eq!(hosts(shown.as_array().unwrap()), expected);
}

#[tokio::test]
async fn invalid_domains_are_rejected() {
    let (server, api) = start();
    let own = server.authority();
    for (body, pointer) in [
        (json!({ "owner_id": 2 }), "/host"),
        (json!({ "host": own, "owner_id": 2 }), "/host"),
        (json!({ "host": "*.acme.example", "owner_id": 2 }), "/host"),
        (json!({ "host": "acme.example/x", "owner_id": 2 }), "/host"),
        (json!({ "host": 7, "owner_id": 2 }), "/host"),
        (json!({ "host": "a.example" }), "/owner_id"),
        (json!({ "host": "a.example", "owner_id": "acme" }), "/owner_id"),
        (json!({ "host": "a.example", "owner_id": 0 }), "/owner_id"),
        (json!({ "host": "a.example", "owner_id": 2, "home_url": "x" }), "/home_url"),
        (
            json!({ "host": "a.example", "owner_id": 2, "home_url": "http://A.example/" }),
            "/home_url",
        ),
        (json!({ "host": "a.example", "owner_id": 2, "is_default": true }), "/is_default"),
        (
            json!({ "host": "a.example", "owner_id": 2, "accept_destinations": 1 }),
            "/accept_destinations",
        ),
    ] {
        let response = send(&api, "POST", "/domains", &body).await;
        assert_eq!(response.status, 422, "{body}: {response:?}");
        response.invalid(&[pointer]);
    }
    let unknown = json!({ "host": "a.example", "owner_id": 999 });
    send(&api, "POST", "/domains", &unknown).await.problem(404, "owner-not-found");
    let body = json!({ "host": "a.example", "owner_id": 2 });
    done(&api, "POST", "/domains", &body).await;
    for owner in [2, 3] {
        let again = json!({ "host": "A.example", "owner_id": owner });
        send(&api, "POST", "/domains", &again).await.problem(409, "domain-exists");
    }
    for (patch, pointer) in [
        (json!({ "host": "b.example" }), "/host"),
        (json!({ "owner_id": 3 }), "/owner_id"),
        (json!({ "is_default": null }), "/is_default"),
        (json!({ "home_url": "http://a.example/home" }), "/home_url"),
    ] {
        send(&api, "PATCH", "/domains/a.example", &patch).await.invalid(&[pointer]);
    }
    for path in
        ["/domains/b.example", "/domains/a.example:8443", "/domains/a%20b", "/domains/*.example"]
    {
        get(&api, path).await.problem(404, "domain-not-found");
        send(&api, "PATCH", path, &json!({})).await.problem(404, "domain-not-found");
        delete(&api, path).await.problem(404, "domain-not-found");
    }
    assert_eq!(all(&api, "/domains").await.len(), 1);
}

#[tokio::test]
async fn destinations_at_the_host_must_be_accepted() {
    let (server, api) = start();
    server.api().create("https://go.example/a").await;
    let mut body = json!({ "host": "go.example", "owner_id": 2 });
    let problem = send(&api, "POST", "/domains", &body).await;
    assert!(
        problem.text().contains("1 destination or fallback leads to go.example"),
        "{problem:?}"
    );
    problem.problem(409, "domain-has-destinations");
    body["accept_destinations"] = json!(false);
    send(&api, "POST", "/domains", &body).await.problem(409, "domain-has-destinations");
    body["accept_destinations"] = json!(true);
    send(&api, "POST", "/domains", &body).await.expect(201);
}

#[tokio::test]
async fn repeated_addition_returns_the_same_domain() {
    let (server, api) = start();
    let body = json!({ "host": "go.example", "owner_id": 2, "home_url": URL });
    let first = add(&api, "one", &body).await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), None);
    // What would be refused now does not concern a repetition.
    server.terse(&["block", "add", "example.com"]).done();
    let other = server.operator("admin");
    for client in [&api, &other] {
        let again = add(client, "one", &body).await.expect(201);
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(
            (again.json(), again.header("location")),
            (first.json(), first.header("location"))
        );
    }
    let mut different = body.clone();
    different["accept_destinations"] = json!(true);
    add(&api, "one", &different).await.problem(409, "idempotency-key-reused");
    let plan = other.ask(reqwest::Method::POST, &format!("{PREFIX}/plans"));
    let plan = plan.header("Idempotency-Key", "one").json(&json!({ "name": "gold" }));
    plan.send().await.problem(409, "idempotency-key-reused");
    // A refused request has used nothing.
    add(&api, "two", &json!({ "host": "go.example", "owner_id": 3 }))
        .await
        .problem(409, "domain-exists");
    add(&api, "two", &json!({ "host": "go.globex.example", "owner_id": 3 })).await.expect(201);

    // Neither does what has become of the domain, or of its owner.
    let again = async || {
        let again = add(&api, "one", &body).await.expect(201);
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(again.header("event-id"), first.header("event-id"));
        assert_eq!(again.text(), first.text());
    };
    delete(&api, "/domains/go.example").await.expect(204);
    again().await;
    get(&api, "/domains/go.example").await.problem(404, "domain-not-found");
    server.terse(&["domain", "add", "go.example", "--owner", "globex"]).done();
    again().await;
    assert_eq!(get(&api, "/domains/go.example").await.json()["owner_id"], 3);
    server.terse(&["owner", "delete", "acme", "--confirm", "acme"]).done();
    again().await;
    let events = "SELECT COUNT(*) FROM events WHERE action = 'domain add'";
    assert_eq!(server.database().number(events).await, 3);
}

/// One default replaces another, so that a change of one domain is a change of the other.
#[tokio::test]
async fn changes_of_the_default_are_recorded_and_undone() {
    let (server, _) = start();
    let api = server.operator("admin");
    let new = |host: &str| json!({ "host": host, "owner_id": 2 });
    let event = |response: Response| response.header("event-id").unwrap().to_owned();
    // Returns the subjects with their values of `is_default` before and after an event.
    let told = async |event: &str| {
        let shown = get(&api, &format!("/events/{event}")).await.expect(200).json();
        let changes = shown["changes"].as_array().unwrap();
        assert_eq!(shown["changed"], changes.len());
        let is_default = |values: &Value| values["is_default"].clone();
        let told = changes.iter().map(|one| {
            json!([one["subject"], is_default(&one["before"]), is_default(&one["after"])])
        });
        Value::from_iter(told)
    };
    let default = async || {
        let list = get(&api, "/domains?owner_id=2").await.expect(200).data();
        let default = list.as_array().unwrap().iter().find(|one| one["is_default"] == true);
        default.map(|one| one["host"].as_str().unwrap().to_owned())
    };
    let choose = async |host: &str| {
        let chosen = json!({ "is_default": true });
        event(send(&api, "PATCH", &format!("/domains/{host}"), &chosen).await.expect(200))
    };
    let undo =
        async |event: &str| done(&api, "POST", &format!("/events/{event}/undo"), &json!({})).await;
    let mut added = Vec::new();
    for host in ["d1.example", "d2.example", "d3.example"] {
        added.push(event(send(&api, "POST", "/domains", &new(host)).await.expect(201)));
    }
    assert_eq!(told(&added[0]).await, json!([["d1.example", null, true]]));
    assert_eq!(told(&added[1]).await, json!([["d2.example", null, false]]));
    let second = choose("d2.example").await;
    let expected = json!([["d2.example", false, true], ["d1.example", true, false]]);
    assert_eq!(told(&second).await, expected);
    let shown = get(&api, &format!("/events/{second}")).await.expect(200).json();
    assert_eq!(shown["changes"][1]["before"], json!({ "is_default": true }));
    assert_eq!(shown["changes"][1]["after"], json!({ "is_default": false }));
    let removed = event(delete(&api, "/domains/d2.example").await.expect(204));
    let expected = json!([["d2.example", true, null], ["d1.example", false, true]]);
    assert_eq!(told(&removed).await, expected);

    // An undo reverts both, and records what it has changed.
    let undone = undo(&removed).await;
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(2), &json!([])));
    let expected = json!([["d2.example", null, true], ["d1.example", true, false]]);
    assert_eq!(told(&undone["event_id"].to_string()).await, expected);
    assert_eq!(default().await.as_deref(), Some("d2.example"));

    // Another default since is not replaced, but does not prevent the undo of other changes.
    let home = json!({ "home_url": URL });
    let edited = send(&api, "PATCH", "/domains/d2.example", &home).await.expect(200);
    let third = choose("d3.example").await;
    let undone = undo(&second).await;
    assert_eq!(undone["changed"], 0);
    assert_eq!(undone["skipped_count"], 2);
    assert_eq!(default().await.as_deref(), Some("d3.example"));
    assert_eq!(undo(&event(edited)).await["changed"], 1);
    for (event, expected) in [(third, "d2.example"), (second, "d1.example")] {
        let undone = undo(&event).await;
        assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(2), &json!([])));
        assert_eq!(default().await.as_deref(), Some(expected));
    }
    // The removed domain is restored, although the default stays.
    let removed = event(delete(&api, "/domains/d1.example").await.expect(204));
    choose("d3.example").await;
    let undone = undo(&removed).await;
    assert_eq!(undone["changed"], 1);
    assert_eq!(undone["skipped"], json!(["d2.example"]));
    let expected = json!([["d1.example", null, false]]);
    assert_eq!(told(&undone["event_id"].to_string()).await, expected);
    assert_eq!(default().await.as_deref(), Some("d3.example"));
}

#[tokio::test]
async fn concurrent_repetitions_add_one_domain() {
    let (server, api) = start();
    let body = json!({ "host": "go.example", "owner_id": 2 });
    let requests = (0..8).map(|_| add(&api, "one", &body));
    let responses = futures_util::future::join_all(requests).await;
    let bodies: Vec<Value> = responses.into_iter().map(|one| one.expect(201).json()).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
    let events = "SELECT COUNT(*) FROM events WHERE action = 'domain add'";
    assert_eq!(server.database().number(events).await, 1);
}

#[tokio::test]
async fn list_misses_no_domain_while_others_come_and_go() {
    let (_server, api) = start();
    for number in 0..9 {
        let body = json!({ "host": format!("go{number}.example"), "owner_id": 2 });
        done(&api, "POST", "/domains", &body).await;
    }
    let (mut seen, mut target) = (Vec::new(), format!("{PREFIX}/domains?limit=2"));
    loop {
        let page = api.get(&target).await.expect(200);
        let found = hosts(page.json()["data"].as_array().unwrap());
        for host in &found {
            delete(&api, &format!("/domains/{host}")).await.expect(204);
        }
        let new = json!({ "host": format!("new{}.example", seen.len()), "owner_id": 3 });
        done(&api, "POST", "/domains", &new).await;
        seen.extend(found);
        let Some(link) = page.header("link") else { break };
        target = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
    }
    seen.sort();
    let expected: Vec<String> = (0..9).map(|number| format!("go{number}.example")).collect();
    assert_eq!(seen, expected);
}
