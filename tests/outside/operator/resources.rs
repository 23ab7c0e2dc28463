//! What programs of the operator read and change.

use serde_json::{Value, json};

use super::{PREFIX, all, delete, done, get, send};
use crate::harness::{Server, assert_within_a_second};

#[tokio::test]
async fn owners_are_found_changed_and_suspended() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    for number in 0..5 {
        let plan = if number == 3 { "pro" } else { "free" };
        let body = json!({ "name": format!("owner {number}"), "plan_name": plan });
        done(&api, "POST", "/owners", &body).await;
    }
    let names = |list: &[Value]| -> Vec<String> {
        list.iter().map(|owner| owner["name"].as_str().unwrap().to_owned()).collect()
    };
    let listed = all(&api, "/owners?limit=2").await;
    let expected = ["owner 4", "owner 3", "owner 2", "owner 1", "owner 0", "default"];
    assert_eq!(names(&listed), expected);
    assert_eq!(names(&all(&api, "/owners?plan_name=pro").await), ["owner 3"]);
    let id = all(&api, "/owners?name=owner%203").await[0]["id"].clone();
    let path = format!("/owners/{id}");
    let changed =
        done(&api, "POST", &format!("{path}/suspend"), &json!({ "audit": { "reason": "spam" } }))
            .await;
    assert_eq!(changed["changed"], 1);
    assert_eq!(names(&all(&api, "/owners?is_suspended=true").await), ["owner 3"]);
    let suspended = all(&api, "/owners?is_suspended=true").await[0].clone();
    assert_eq!(suspended["suspended_reason"], "spam");
    assert!(suspended["suspended_at"].is_string(), "{suspended}");
    let shown = server.terse(&["owner", "show", "owner 3", "--json"]).json();
    assert_eq!(
        (&shown["is_suspended"], &shown["suspended_reason"]),
        (&json!(true), &json!("spam"))
    );
    assert!(shown["suspended_at"].is_string(), "{shown}");
    assert_eq!(all(&api, "/owners?is_suspended=false").await.len(), 5);
    let again = done(&api, "POST", &format!("{path}/suspend"), &json!({})).await;
    assert_eq!(again, json!({ "event_id": null, "changed": 0 }));
    done(&api, "POST", &format!("{path}/resume"), &json!({})).await;
    let body = json!({ "name": "renamed", "fallback_url": "https://example.org/ended" });
    let renamed = done(&api, "PATCH", &path, &body).await;
    assert_eq!((&renamed["id"], &renamed["name"]), (&id, &json!("renamed")));
    assert_eq!(renamed["fallback_url"], "https://example.org/ended");
    assert_eq!(renamed, get(&api, &path).await.expect(200).json());
    send(&api, "PATCH", &path, &json!({ "name": "default" })).await.problem(409, "owner-exists");
    send(&api, "PATCH", &path, &json!({ "plan_name": "none" }))
        .await
        .problem(404, "plan-not-found");
    for body in [json!({ "plan_name": null }), json!({ "id": 4 }), json!({ "nmae": "x" })] {
        send(&api, "PATCH", &path, &body).await.problem(422, "invalid-input");
    }
    for path in ["/owners/999", "/owners/x"] {
        get(&api, path).await.problem(404, "owner-not-found");
    }
    let shown = server.terse(&["owner", "show", "renamed", "--json"]).json();
    assert_eq!((&shown["id"], &shown["plan_name"]), (&id, &json!("pro")));
    done(&api, "POST", &format!("{path}/suspend"), &json!({})).await;
    delete(&api, &path).await.expect(204);
    let next = done(&api, "POST", "/owners", &json!({ "name": "renamed" })).await;
    assert!(next["id"].as_i64().unwrap() > 6, "an identifier is used again");
}

#[tokio::test]
async fn keys_are_found_changed_and_revoked() {
    let server = Server::with_operator();
    let api = server.operator("provisioner");
    let owner = all(&api, "/owners").await[0]["id"].clone();
    let body = json!({ "label": "shop", "scope": "read" });
    let key = done(&api, "POST", &format!("/owners/{owner}/keys"), &body).await;
    let (secret, path) = (key["secret"].as_str().unwrap(), format!("/keys/{}", key["id"]));
    // Go's zero time, the last one before Unix time begins, and the last one that RFC 3339 can write.
    for time in ["0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]
    {
        let changed = done(&api, "PATCH", &path, &json!({ "expires_at": time })).await;
        assert_eq!(changed["expires_at"], time);
    }
    let found = done(&api, "POST", "/key-search", &json!({ "secret": secret })).await;
    assert_eq!((&found["id"], &found["owner_name"]), (&key["id"], &json!("default")));
    assert!(found.get("secret").is_none());
    let listed = all(&api, &format!("/owners/{owner}/keys?limit=1")).await;
    assert_eq!((listed.len(), &listed[0]["id"]), (2, &key["id"]));
    let unknown = json!({ "secret": "terse_0123456789abcdefghijABCDEFGHIJ01" });
    send(&api, "POST", "/key-search", &unknown).await.problem(404, "key-not-found");
    let problem = send(&api, "POST", "/key-search", &json!({ "secret": "hunter2hunter2" })).await;
    assert!(!problem.text().contains("hunter2"));
    problem.problem(422, "invalid-input");
    let changed = done(&api, "PATCH", &path, &json!({ "label": null })).await;
    assert_eq!(changed["label"], Value::Null);
    delete(&api, &path).await.expect(204);
    assert_within_a_second("the key is revoked", async || {
        server.with_key(secret).links().await.status == 401
    })
    .await;
    delete(&api, &path).await.problem(404, "key-not-found");
    assert!(get(&api, &path).await.expect(200).json()["revoked_at"].is_string());
}

#[tokio::test]
async fn plans_are_created_and_changed() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    let body = json!({ "name": "büro 1", "max_links": 5, "request_rate": "20/s", "burst": 30 });
    let created = send(&api, "POST", "/plans", &body).await.expect(201);
    let location = created.header("location").unwrap().to_owned();
    let plan = api.get(&location).await.expect(200).json();
    assert_eq!(plan, created.json());
    let mut expected = json!({
        "name": "büro 1", "max_links": 5, "links_per_day": null, "request_rate": "20/s", "burst": 30,
        "custom_codes": false
    });
    expected["etag"] = plan["etag"].clone();
    assert_eq!(plan, expected);
    send(&api, "POST", "/plans", &body).await.problem(409, "plan-exists");
    let path = location.strip_prefix(PREFIX).unwrap();
    let changed = done(&api, "PATCH", path, &json!({ "burst": null, "custom_codes": true })).await;
    assert_eq!((&changed["burst"], &changed["custom_codes"]), (&Value::Null, &json!(true)));
    let cleared =
        done(&api, "PATCH", path, &json!({ "request_rate": null, "max_links": null })).await;
    assert_eq!((&cleared["request_rate"], &cleared["max_links"]), (&Value::Null, &Value::Null));
    send(&api, "PATCH", path, &json!({ "burst": 7 })).await.problem(422, "invalid-input");
    send(&api, "PATCH", "/plans/none", &json!({})).await.problem(404, "plan-not-found");
    for name in ["none", "%00", "a%00b"] {
        get(&api, &format!("/plans/{name}")).await.problem(404, "plan-not-found");
    }
    let names: Vec<Value> =
        all(&api, "/plans?limit=1").await.iter().map(|plan| plan["name"].clone()).collect();
    assert_eq!(names, ["büro 1", "free", "pro", "unlimited"]);

    // A page continues after a plan that was removed meanwhile.
    send(&api, "POST", "/plans", &json!({ "name": "gone" })).await.expect(201);
    let page = get(&api, "/plans?limit=3").await.expect(200).json();
    assert_eq!(page["data"][2]["name"], "gone");
    let path = format!("/plans?cursor={}", page["next_cursor"].as_str().unwrap());
    let removal = "UPDATE events SET action = 'plan remove' WHERE subject = 'gone';
                   DELETE FROM plans WHERE name = 'gone'";
    server.database().execute(removal).await;
    let rest = get(&api, &path).await.expect(200).json();
    assert_eq!(rest["data"].as_array().unwrap().len(), 2);
    assert_eq!(rest["data"][0]["name"], "pro");
}

#[tokio::test]
async fn links_of_all_owners_are_found_and_changed() {
    let server = Server::with_operator();
    let api = server.operator("moderator");
    let other = server.api_of("other", "unlimited");
    let mut codes = Vec::new();
    for number in 0..4 {
        let client = if number % 2 == 0 { server.api() } else { other.clone() };
        let body = json!({
            "url": format!("https://www.evil.example/{number}"), "title": format!("Nr {number}")
        });
        codes.push(client.create_from(&body).await);
    }
    codes.reverse();
    let found = async |query: &str| -> Vec<String> {
        let list = all(&api, &format!("/links?{query}")).await;
        list.iter().map(|link| link["short_code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found("limit=1").await, codes);
    assert_eq!(found("owner_id=2").await, [codes[0].clone(), codes[2].clone()]);
    assert_eq!(found("host=evil.example&q=nr%203").await, [codes[0].clone()]);
    assert_eq!(
        found(&format!("code={}&code={}&code=none", codes[3], codes[1])).await,
        [codes[1].clone(), codes[3].clone()]
    );
    assert_eq!(found("destination_url=https://www.evil.example/2").await, [codes[1].clone()]);
    get(&api, "/links?owner_id=999").await.problem(404, "owner-not-found");
    let path = format!("/links/{}", codes[0]);
    let read = get(&api, &path).await.expect(200);
    let link = read.json();
    assert_eq!((&link["owner_name"], &link["state"]), (&json!("other"), &json!("active")));
    let tag = read.header("etag").unwrap();
    let patch = |tag: &str| {
        let ask = api.ask(reqwest::Method::PATCH, &format!("{PREFIX}{path}"));
        ask.header("If-Match", tag).json(&json!({ "title": "Changed" })).send()
    };
    let changed = patch(tag).await.expect(200);
    assert_eq!(changed.json()["title"], "Changed");
    patch(tag).await.problem(412, "precondition-failed");
    let change = json!({
        "action": "disable", "selectors": { "code": [codes[0]] }, "audit": { "reason": "phishing" }
    });
    done(&api, "POST", "/link-changes", &change).await;
    assert_eq!(found("state=disabled").await, [codes[0].clone()]);
    // Unlike the owner, the operator may change a disabled link.
    done(&api, "PATCH", &path, &json!({ "title": null })).await;
    server.terse(&["owner", "suspend", "other"]).done();
    assert_eq!(found("state=owner-suspended").await.len(), 2);
    let clicks = get(&api, &format!("{path}/clicks?from_day=2026-01-01&to_day=2026-01-02")).await;
    assert_eq!(clicks.expect(200).json()["data"].as_array().unwrap().len(), 2);
    get(&api, &format!("{path}/clicks?from_day=2026-01-02&to_day=2026-01-01"))
        .await
        .problem(400, "malformed-request");
    let history = all(&api, &format!("{path}/events?limit=1")).await;
    let actions: Vec<&Value> = history.iter().map(|event| &event["action"]).collect();
    assert_eq!(actions, ["link edit", "link disable", "link edit"]);
    for path in ["/links/unknown", "/links/unknown/clicks", "/links/unknown/events"] {
        get(&api, path).await.problem(404, "link-not-found");
    }
}

#[tokio::test]
async fn blocks_are_added_listed_checked_and_removed() {
    let server = Server::with_operator();
    let api = server.operator("moderator");
    let code = server.api().create("https://www.evil.example/x").await;
    let block = json!({ "patterns": ["evil.example"], "reason": "malware" });
    let added = send(&api, "POST", "/blocks", &block).await.expect(200).json();
    assert_eq!(added["changed"], 1);
    let again = done(&api, "POST", "/blocks", &block).await;
    assert_eq!(again, json!({ "event_id": null, "changed": 0 }));
    assert_within_a_second("the link is blocked", async || {
        server.anyone().get(&format!("/{code}")).await.status == 410
    })
    .await;
    let allow = json!({ "patterns": ["https://www.evil.example/good"], "action": "allow" });
    done(&api, "POST", "/blocks", &allow).await;
    let list = server.database().directory().join("list.txt");
    std::fs::write(&list, "ads.example\ntracker.example\n").unwrap();
    let import = ["block", "import", list.to_str().unwrap(), "--source", "list", "--yes"];
    server.terse(&import).done();
    assert_within_a_second("the list is loaded", async || {
        all(&api, "/blocks?limit=1").await.len() == 4
    })
    .await;
    let listed = all(&api, "/blocks?limit=3").await;
    assert_eq!(listed[0]["action"], "allow");
    assert_eq!(
        (&listed[1]["pattern"], &listed[1]["reason"]),
        (&json!("evil.example"), &json!("malware"))
    );
    assert_eq!(
        (&listed[2]["pattern"], &listed[2]["source"]),
        (&json!("ads.example"), &json!("list"))
    );
    assert!(listed.iter().all(|block| block["created_at"].is_string()), "{listed:?}");
    let names: Vec<&String> = listed[0].as_object().unwrap().keys().collect();
    assert_eq!(names, ["pattern", "action", "reason", "source", "expires_at", "created_at"]);
    for (conditions, expected) in [
        ("q=EVIL.", vec!["www.evil.example/good", "evil.example"]),
        ("source=list", vec!["ads.example", "tracker.example"]),
        ("q=e&source=list", vec!["ads.example", "tracker.example"]),
        ("q=track", vec!["tracker.example"]),
        ("q=evil&source=list", vec![]),
        ("source=block-file", vec![]),
    ] {
        for limit in [1, 2, 100] {
            let listed = all(&api, &format!("/blocks?{conditions}&limit={limit}")).await;
            let patterns: Vec<_> = listed.iter().map(|block| &block["pattern"]).collect();
            assert_eq!(patterns, expected, "{conditions}, {limit}");
        }
    }
    for (url, is_blocked) in
        [("https://a.evil.example/", true), ("www.evil.example/good", false), ("x.example", false)]
    {
        let verdict = get(&api, &format!("/block-check?url={url}")).await.expect(200).json();
        assert_eq!(verdict["is_blocked"], is_blocked, "{url}: {verdict}");
    }
    get(&api, "/block-check").await.problem(400, "malformed-request");
    let past = json!({ "patterns": ["x.example"], "expires_at": "2020-01-01T00:00:00Z" });
    send(&api, "POST", "/blocks", &past).await.problem(409, "expiry-passed");
    delete(&api, "/blocks?pattern=evil.example").await.expect(204);
    delete(&api, "/blocks?pattern=evil.example").await.problem(404, "block-not-found");
    delete(&api, "/blocks?pattern=ads.example").await.problem(404, "block-not-found");
}

/// A request reads at most 20,000 owners or patterns, so that a page may be empty although the list goes on.
#[tokio::test]
async fn pages_of_rare_owners_and_patterns_are_short_and_continue() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    for name in ["rare", "common"] {
        done(&api, "POST", "/owners", &json!({ "name": name, "plan_name": "free" })).await;
        let block = json!({ "patterns": [format!("{name}.example")] });
        done(&api, "POST", "/blocks", &block).await;
    }
    let copies = |statement: &str, from: &str| {
        format!(
            "{statement} FROM {from}, (WITH RECURSIVE numbers (n) AS
                 (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20001)
             SELECT n FROM numbers) AS numbers WHERE"
        )
    };
    let database = server.database();
    let owners = copies(
        "INSERT INTO owners (name, plan, link_count, created_day, created_today, created_at)
         SELECT name || n, plan, 0, 0, 0, created_at",
        "owners",
    );
    database.execute(&format!("{owners} name = 'common'")).await;
    let patterns = copies(
        "INSERT INTO block_patterns (pattern, action, reason, event_id)
         SELECT 'n' || n || '.' || pattern, action, reason, event_id",
        "block_patterns",
    );
    database.execute(&format!("{patterns} pattern = 'common.example'")).await;
    let changes = copies(
        "INSERT INTO event_changes (event_id, kind, subject, after)
         SELECT event_id, kind, 'n' || n || '.' || subject, after",
        "event_changes",
    );
    database.execute(&format!("{changes} subject = 'common.example'")).await;
    let items_of_pages = async |list: &str| {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = get(&api, &format!("{list}{cursor}")).await.expect(200).json();
            items.push(page["data"].as_array().unwrap().len());
            let Some(next) = page["next_cursor"].as_str() else { return items };
            cursor = format!("&cursor={next}");
        }
    };
    for list in
        ["/owners?q=RARE", "/owners?q=RARE&limit=1", "/blocks?q=RARE", "/blocks?q=RARE&limit=1"]
    {
        assert_eq!(items_of_pages(list).await, [0, 1], "{list}");
    }
    assert_eq!(all(&api, "/owners?name=rare").await.len(), 1);
    assert_eq!(all(&api, "/owners?limit=1000").await.len(), 20_004);
    assert_eq!(all(&api, "/owners?q=common&limit=1000").await.len(), 20_002);
    assert_eq!(all(&api, "/blocks?q=common&limit=1000").await.len(), 20_002);
    let list = server.database().directory().join("list.txt");
    let listed: String = (0..20_001).map(|number| format!("list{number}.example\n")).collect();
    std::fs::write(&list, format!("{listed}zz.example\n")).unwrap();
    let import = ["block", "import", list.to_str().unwrap(), "--source", "list", "--yes"];
    server.terse(&import).done();
    assert_within_a_second("the list is loaded", async || {
        get(&api, "/blocks?source=list").await.json()["data"] != json!([])
    })
    .await;
    for list in ["/blocks?q=ZZ&source=list", "/blocks?q=ZZ&source=list&limit=1"] {
        assert_eq!(items_of_pages(list).await, [0, 1], "{list}");
    }
    assert_eq!(all(&api, "/blocks?q=ZZ").await.len(), 1);
    assert_eq!(all(&api, "/blocks?q=LIST&limit=1000").await.len(), 20_001);
}

#[tokio::test]
async fn log_names_the_operation_the_operator_and_the_owner() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    let created = send(&api, "POST", "/owners", &json!({ "name": "acme" })).await.expect(201);
    let id = created.json()["id"].clone();
    for path in [format!("/owners/{id}"), format!("/owners/{id}/keys")] {
        get(&api, &path).await.expect(200);
    }
    for operation in ["createOwner", "getOwner", "listKeys"] {
        let log = server.wait_for_log(operation);
        let line = log.lines().find(|line| line.contains(operation)).unwrap();
        assert!(line.contains(r#""operator":"admin""#), "{line}");
        assert!(line.contains(r#""owner":"acme""#), "{line}");
    }
    let metrics = server.operator_anyone().get("/metrics").await.expect(200).text();
    assert!(metrics.contains(r#"route="createOwner""#), "{metrics}");
}
