//! Events of an owner, as the owner's programs follow them.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::keys::change;
use super::{PREFIX, get};
use crate::harness::{Api, Server};

/// Creates two owners with three links each, whose hosts are subdomains of `bulk.example`. Returns each
/// owner's client, whose key has the scope `full`, and the codes.
async fn two_owners(server: &Server) -> [(Api, Vec<String>); 2] {
    let mut owners = Vec::new();
    for name in ["acme", "globex"] {
        let api = server.api_of(name, "unlimited");
        let mut codes = Vec::new();
        for number in 0..3 {
            codes.push(api.create(&format!("https://{name}{number}.bulk.example/")).await);
        }
        let full = server.terse(&["key", "add", name, "--scope", "full"]).key();
        owners.push((server.with_key(&full), codes));
    }
    owners.try_into().map_err(|_| ()).unwrap()
}

async fn details(api: &Api, event: &Value) -> Value {
    get(api, &format!("/events/{event}")).await.expect(200).json()
}

fn subjects(changes: &Value) -> BTreeSet<String> {
    let changes = changes.as_array().unwrap().iter();
    changes.map(|change| change["subject"].as_str().unwrap().to_owned()).collect()
}

/// Returns the changes of an event, read page by page.
async fn paged(api: &Api, event: &Value) -> Value {
    let mut all = Vec::new();
    let mut next = Some(format!("{PREFIX}/events/{event}/changes?limit=2"));
    while let Some(target) = next {
        let page = api.get(&target).await.expect(200);
        all.extend(page.data().as_array().unwrap().clone());
        next = page.next_page();
    }
    all.into()
}

#[tokio::test]
async fn owners_see_their_part_of_a_change_over_several() {
    let server = Server::start();
    let [(acme, own), (globex, others)] = two_owners(&server).await;
    let audit = ["--reason", "phishing", "--note", "secret", "--case", "C-9", "--yes", "--json"];
    let disable = [&["link", "disable", "--host", "bulk.example"], &audit[..]].concat();
    let disabled = server.terse(&disable).json()["event_id"].clone();
    for (api, codes) in [(&acme, &own), (&globex, &others)] {
        let shown = details(api, &disabled).await;
        assert_eq!(shown["actor"], json!({ "type": "command", "id": null, "name": null }));
        assert_eq!(shown["audit"], json!({ "reason": "phishing", "note": null, "case_id": null }));
        assert_eq!(subjects(&shown["changes"]), codes.iter().cloned().collect());
        let values = json!({ "state": "active", "state_reason": null, "is_active": true });
        assert_eq!(shown["changes"][0]["before"], values);
        let values = json!({ "state": "disabled", "state_reason": "phishing", "is_active": false });
        assert_eq!(shown["changes"][0]["after"], values);
        assert_eq!(paged(api, &disabled).await, shown["changes"]);
    }
    // Links that are deleted since keep their place, but no values.
    server.terse(&["link", "enable", "--host", "bulk.example", "--yes"]).done();
    let delete = ["link", "delete", &own[1], "--json"];
    let single = server.terse(&delete).json()["event_id"].clone();
    let shown = details(&acme, &disabled).await;
    assert_eq!(subjects(&shown["changes"]), own.iter().cloned().collect());
    let erased = json!({ "subject": own[1], "before": null, "after": null });
    assert!(shown["changes"].as_array().unwrap().contains(&erased), "{shown}");
    assert_eq!(details(&acme, &single).await["changes"], json!([erased]));
    get(&globex, &format!("/events/{single}")).await.problem(404, "event-not-found");
    get(&globex, &format!("/events/{single}/changes")).await.problem(404, "event-not-found");
    // A deletion over several owners.
    let delete = ["link", "delete", "--host", "bulk.example", "--yes", "--json"];
    let deletion = server.terse(&delete).json()["event_id"].clone();
    let left = [own[0].clone(), own[2].clone()];
    assert_eq!(subjects(&details(&acme, &deletion).await["changes"]), left.into());
    let all = paged(&globex, &deletion).await;
    assert_eq!(subjects(&all), others.iter().cloned().collect());
    assert_eq!(all.as_array().unwrap().len(), 3);
    // Keys of several owners.
    let ids = ["acme", "globex"].map(|owner| {
        let add = ["key", "add", owner, "--label", "gone", "--json"];
        server.terse(&add).done();
        server.database().key_id(owner, "gone")
    });
    let revoke = ["key", "revoke", &ids[0], &ids[1], "--yes", "--json"];
    let revoked = server.terse(&revoke).json()["event_id"].clone();
    for (api, id) in [(&acme, &ids[0]), (&globex, &ids[1])] {
        let shown = details(api, &revoked).await;
        assert_eq!(subjects(&shown["changes"]), BTreeSet::from([id.clone()]));
        assert_eq!(shown["changes"][0]["after"]["revoked_at"], shown["created_at"]);
    }
    for (api, foreign) in [(&acme, &others), (&globex, &own)] {
        let text = get(api, "/events?limit=1000").await.expect(200).text();
        assert!(!text.contains("secret") && !text.contains("C-9"), "{text}");
        assert!(foreign.iter().all(|code| !text.contains(code)), "{text}");
    }
}

#[tokio::test]
async fn deleted_links_keep_their_events_for_their_owner() {
    let server = Server::start();
    let [(acme, own), (globex, others)] = two_owners(&server).await;
    let path = |code: &str| format!("/links/{code}");
    let edit = json!({ "title": "Old", "audit": { "note": "mine" } });
    change(&acme, Method::PATCH, &path(&own[0]), Some(edit)).await.expect(200);
    change(&acme, Method::DELETE, &path(&own[0]), None).await.expect(204);
    server.terse(&["link", "delete", &own[1], &others[0], "--yes"]).done();
    let actions = |events: &Value| -> Vec<String> {
        let events = events.as_array().unwrap().iter();
        events.map(|event| event["action"].as_str().unwrap().to_owned()).collect()
    };
    for (code, expected) in
        [(&own[0], &["link delete", "link edit"][..]), (&own[1], &["link delete"])]
    {
        let of_link = get(&acme, &format!("/links/{code}/events")).await.expect(200).data();
        assert_eq!(actions(&of_link), expected);
        let filtered = get(&acme, &format!("/events?short_code={code}")).await.expect(200).data();
        assert_eq!(filtered, of_link);
        for path in [format!("/links/{code}/events"), format!("/events?short_code={code}")] {
            get(&globex, &path).await.problem(404, "link-not-found");
        }
    }
    let edited = get(&acme, "/events?action=link%20edit").await.expect(200).data();
    assert_eq!(edited.as_array().unwrap().len(), 1);
    assert_eq!(edited[0]["audit"]["note"], "mine");
    let erased = json!([{ "subject": own[0], "before": null, "after": null }]);
    assert_eq!(details(&acme, &edited[0]["id"]).await["changes"], erased);
    get(&acme, "/events?action=link+read").await.problem(400, "malformed-request");
}

#[tokio::test]
async fn changes_have_the_names_and_types_of_the_interface() {
    let server = Server::start();
    let api = server.api_of("acme", "unlimited");
    let full = server.with_key(&server.terse(&["key", "add", "acme", "--scope", "full"]).key());
    let reader = server.with_key(&server.terse(&["key", "add", "acme", "--scope", "read"]).key());
    let code = api.create("https://example.com/").await;
    let start = get(&reader, "/events?limit=1").await.expect(200).data()[0]["id"].clone();
    let new = json!({
        "destination_url": "https://example.com/new", "title": "New", "is_paused": true,
        "forward_query": true, "expires_at": "2099-01-01T00:00:00.000Z", "has_qr": true,
        "qr_error_correction": "H", "fallback_url": "https://example.com/ended",
    });
    let path = format!("/links/{code}");
    let old = get(&full, &path).await.expect(200).json();
    change(&full, Method::PATCH, &path, Some(new.clone())).await.expect(200);
    let created = json!({ "label": "new", "scope": "edit" });
    let key = change(&full, Method::POST, "/keys", Some(created)).await.expect(201).json();
    let hook = json!({ "url": "https://example.com/hook", "types": ["link.created"] });
    change(&full, Method::POST, "/webhooks", Some(hook)).await.expect(201);
    server.terse(&["domain", "add", "go.acme.example", "--owner", "acme"]).done();
    server.terse(&["domain", "add", "go2.acme.example", "--owner", "acme"]).done();
    server.terse(&["domain", "default", "go2.acme.example"]).done();
    server.terse(&["owner", "plan", "acme", "pro"]).done();
    let followed = get(&reader, &format!("/events?after_id={start}")).await.expect(200).data();
    let mut found = Vec::new();
    for event in followed.as_array().unwrap() {
        let shown = details(&reader, &event["id"]).await;
        let change = shown["changes"][0].clone();
        found.push((event["action"].as_str().unwrap().to_owned(), change));
    }
    let [edit, add_key, webhook, domain, _, default, plan] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!((edit.0.as_str(), &edit.1["subject"]), ("link edit", &json!(code)));
    for (name, value) in new.as_object().unwrap() {
        assert_eq!(edit.1["after"][name], *value, "{name}");
        assert_eq!(edit.1["before"][name], old[name], "{name}");
    }
    let changed = edit.1["after"].as_object().unwrap().keys();
    assert!(changed.clone().all(|name| new.get(name).is_some()), "{edit:?}");
    let shown = json!({ "label": "new", "scope": "edit", "expires_at": null, "revoked_at": null });
    assert_eq!(
        add_key.1,
        json!({ "subject": key["id"].to_string(), "before": null, "after": shown })
    );
    // Keys of the scope `read` do not read webhooks.
    assert_eq!((&webhook.1["before"], &webhook.1["after"]), (&Value::Null, &json!({})));
    assert_eq!(
        (&domain.1["subject"], &domain.1["before"]),
        (&json!("go.acme.example"), &Value::Null)
    );
    assert!(domain.1["after"]["created_at"].is_string(), "{domain:?}");
    let values = |side: &str| default.1[side].clone();
    assert_eq!(
        (values("before"), values("after")),
        (json!({ "is_default": false }), json!({ "is_default": true }))
    );
    assert_eq!(plan.1["after"], json!({ "plan_name": "pro" }));
    // The command shows the same.
    let event = followed[0]["id"].to_string();
    assert_eq!(server.terse(&["history", "--event", &event, "--json"]).json(), edit.1);
}

#[tokio::test]
async fn owners_do_not_see_what_the_operator_calls_them() {
    let server = Server::with_operator();
    let operator = server.operator("admin");
    let body = json!({ "name": "acme", "external_id": "case-1", "key": { "scope": "full" } });
    let path = "/api/operator/v1/owners";
    let created = operator.ask(Method::POST, path).json(&body).send().await.expect(201).json();
    let (path, edit) = (format!("{path}/{}", created["id"]), Method::PATCH);
    let body = json!({ "external_id": "case-2", "fallback_url": "https://example.com/" });
    operator.ask(edit, &path).json(&body).send().await.expect(200);
    let owner = server.with_key(created["key"]["secret"].as_str().unwrap());
    let events = get(&owner, "/events").await.expect(200).data();
    let after = json!([
        { "fallback_url": "https://example.com/" },
        { "name": "acme", "plan_name": "free", "fallback_url": null, "suspended_reason": null,
          "is_suspended": false, "suspended_at": null },
    ]);
    for (number, external_id) in ["case-2", "case-1"].into_iter().enumerate() {
        let id = &events[number]["id"];
        assert_eq!(details(&owner, id).await["changes"][0]["after"], after[number]);
        let changes = get(&owner, &format!("/events/{id}/changes")).await.expect(200);
        assert!(!changes.text().contains("external_id"), "{changes:?}");
        let shown = operator.get(&format!("/api/operator/v1/events/{id}")).await.expect(200);
        assert_eq!(shown.json()["changes"][0]["after"]["external_id"], external_id);
    }
}

/// A request reads at most 20,000 events, so that a page may be empty although the list goes on.
#[tokio::test]
async fn pages_of_rare_events_are_short_and_continue() {
    let server = Server::with_operator();
    let [(acme, own), (globex, _)] = two_owners(&server).await;
    let rename = async |title: &str| {
        let path = format!("{PREFIX}/links/{}", own[0]);
        let ask = acme.ask(Method::PATCH, &path).json(&json!({ "title": title }));
        ask.send().await.expect(200);
    };
    rename("first").await;
    let copy = "INSERT INTO events (at, actor, action, subject, owner_id, owner, reason, changed,
             actor_type, actor_id, status)
         SELECT at, actor, 'link pause', subject, owner_id, owner, reason, 0, actor_type, actor_id, status
         FROM events, (WITH RECURSIVE numbers (n) AS
             (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20001) SELECT n FROM numbers) AS numbers
         WHERE action = 'link edit'";
    server.database().execute(copy).await;
    rename("second").await;
    let operator = server.operator("auditor");
    let listed = async |api: &Api, target: &str| {
        let (mut pages, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = api.get(&format!("{target}{cursor}")).await.expect(200).json();
            pages.push(page["data"].as_array().unwrap().len());
            let Some(next) = page["next_cursor"].as_str() else { return pages };
            cursor = format!("&cursor={next}");
        }
    };
    let rare = "/events?action=link%20edit";
    let operator_rare = format!("/api/operator/v1{rare}");
    for order in ["", "&after_id=0"] {
        for (api, target) in [(&acme, &format!("{PREFIX}{rare}")), (&operator, &operator_rare)] {
            assert_eq!(listed(api, &format!("{target}{order}")).await, [1, 1], "{target}{order}");
        }
    }
    // Another owner's list does not depend on these events.
    assert_eq!(listed(&globex, &format!("{PREFIX}/events?limit=5")).await, [2]);
    assert_eq!(listed(&globex, &format!("{PREFIX}{rare}")).await, [0]);
    assert_eq!(listed(&acme, &format!("{PREFIX}/events?limit=1000&after_id=0")).await.len(), 21);
    let shown = server.terse(&["history", "--json", "--owner", "acme"]).done().stdout;
    assert_eq!(shown.lines().filter(|line| line.contains("link edit")).count(), 2);
}
