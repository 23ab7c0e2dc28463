//! Links and owners with identifiers of the client's own.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::new_links::{LINKS, create};
use super::{get, link};
use crate::harness::{Api, Response, Server, until_available};

const URL: &str = "https://example.com/";

async fn patch(api: &Api, code: &str, body: Value) -> Response {
    api.ask(Method::PATCH, &format!("{LINKS}/{code}")).json(&body).send().await
}

async fn put(api: &Api, external_id: &str, body: Value) -> Response {
    let path = format!("/api/manage/v1/external-links/{external_id}");
    api.ask(Method::PUT, &path).json(&body).send().await
}

fn with(external_id: &str) -> Value {
    json!({ "destination_url": URL, "external_id": external_id })
}

#[tokio::test]
async fn external_id_is_unique_among_the_links_of_an_owner() {
    let server = Server::start();
    let api = server.api();
    let first = create(&api, &with("a/b ä")).await.expect(201).code();
    let second = create(&api, &with("a/b Ä")).await.expect(201).code();
    for refused in [
        create(&api, &with("a/b ä")).await,
        create(
            &api,
            &json!({"destination_url": URL, "external_id": "a/b ä", "custom_code": "x-y"}),
        )
        .await,
        patch(&api, &second, json!({"external_id": "a/b ä"})).await,
    ] {
        let problem = refused.problem(409, "external-id-in-use").json();
        assert_eq!(problem["short_code"], first);
    }
    server.anyone().get("/x-y").await.expect(404);
    patch(&api, &first, json!({"external_id": "a/b ä"})).await.expect(200);
    assert_eq!(
        get(&api, "/external-links/a%2Fb%20%C3%A4").await.expect(200).json(),
        link(&api, &first).await
    );

    server.database().owner("other", "pro");
    let key = server.terse(&["key", "add", "other", "--scope", "full"]).key();
    let theirs = create(&server.with_key(&key), &with("a/b ä")).await.expect(201).code();
    assert_ne!(theirs, first);

    patch(&api, &first, json!({"external_id": null})).await.expect(200);
    patch(&api, &second, json!({"external_id": "a/b ä"})).await.expect(200);
    api.ask(Method::DELETE, &format!("{LINKS}/{second}")).send().await.expect(204);
    get(&api, "/external-links/a%2Fb%20%C3%A4").await.problem(404, "link-not-found");
    create(&api, &with("a/b ä")).await.expect(201);
    for text in ["", ".", "..", "a\u{7}", &"x".repeat(256)] {
        create(&api, &with(text)).await.invalid(&["/external_id"]);
    }
    create(&api, &with(&"ä".repeat(255))).await.expect(201);
    server.terse(&["check"]).done();
}

#[tokio::test]
async fn batch_and_concurrent_creations_make_one_link() {
    let server = Server::start();
    let api = server.api();
    let links: Vec<Value> =
        (0..40).map(|number| with(&format!("product {}", number / 2))).collect();
    let batch = api.ask(Method::POST, "/api/manage/v1/link-batches");
    let batch = batch.json(&json!({ "links": links })).send().await.expect(200);
    for pair in batch.data().as_array().unwrap().chunks(2) {
        let mut statuses = [pair[0]["status"].clone(), pair[1]["status"].clone()];
        statuses.sort_by_key(Value::to_string);
        assert_eq!(statuses, [json!(201), json!(422)], "{pair:?}");
    }
    let raced = with("raced");
    let all = (0..64).map(|_| create(&api, &raced));
    let statuses: Vec<u16> = join_all(all).await.iter().map(|one| one.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 63, "{statuses:?}");
    server.terse(&["check"]).done();
}

#[tokio::test]
async fn put_creates_and_then_changes_the_given_members() {
    let server = Server::start();
    let api = server.api();
    let body = json!({
        "destination_url": URL, "title": "One", "campaign": "spring", "custom_code": "mine",
        "is_paused": true,
    });
    let created = put(&api, "p%2F1", body.clone()).await.expect(201);
    assert_eq!(created.json(), link(&api, "mine").await);
    assert_eq!(created.json()["external_id"], "p/1");
    assert_eq!(created.header("location"), Some(&*format!("{}{LINKS}/mine", server.base_url())));
    let again = put(&api, "p%2F1", body).await.expect(200);
    assert_eq!((again.json(), again.header("etag")), (created.json(), created.header("etag")));
    assert_eq!(server.terse(&["history", "--json"]).done().stdout, "", "nothing changed");

    let body = json!({
        "destination_url": "https://example.net/", "title": null, "custom_code": "other", "external_id": "p/1",
    });
    let changed = put(&api, "p%2F1", body).await.expect(200).json();
    assert_eq!(changed["short_code"], "mine");
    assert_eq!(changed["destination_url"], "https://example.net/");
    assert_eq!(
        [&changed["title"], &changed["campaign"], &changed["is_paused"]],
        [&Value::Null, &json!("spring"), &json!(true)]
    );
    put(&api, "p%2F1", with("p/2")).await.invalid(&["/external_id"]);
    put(&api, "%07", json!({ "destination_url": URL })).await.problem(404, "link-not-found");

    let path = "/api/manage/v1/external-links/none";
    let only = api.ask(Method::PUT, path).header("If-Match", "*");
    only.json(&json!({ "destination_url": URL })).send().await.problem(412, "precondition-failed");
    get(&api, "/external-links/none").await.problem(404, "link-not-found");

    server.terse(&["link", "delete", "mine"]).done();
    let another = put(&api, "p%2F1", json!({ "destination_url": URL })).await.expect(201);
    assert_ne!(another.code(), "mine");
    server.terse(&["link", "disable", &another.code()]).done();
    put(&api, "p%2F1", json!({ "destination_url": URL })).await.problem(409, "link-disabled");
}

#[tokio::test]
async fn put_at_the_same_time_makes_one_link_even_at_the_limit_of_the_plan() {
    let server = Server::start();
    server.database().plan("one", "1", true);
    let key = server.terse(&["owner", "add", "tiny", "--plan", "one", "--scope", "full"]).key();
    let api = server.with_key(&key);
    let bodies =
        (0..32).map(|n| json!({ "destination_url": format!("{URL}{n}"), "custom_code": "only" }));
    // On a busy machine, the last ones wait for longer than a request may.
    let repeat =
        async |body: Value| until_available(async || put(&api, "one", body.clone()).await).await;
    let all = join_all(bodies.map(repeat)).await;
    let created = all.iter().filter(|response| response.status == 201).count();
    let changed = all.iter().filter(|response| response.status == 200).count();
    assert_eq!((created, changed), (1, 31), "{all:#?}");
    assert_eq!(get(&api, "/links").await.expect(200).data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn links_say_who_created_them_and_when_they_changed() {
    let server = Server::with_operator();
    let database = server.database();
    let key = server.terse(&["key", "add", "default", "--label", "crm", "--scope", "full"]).key();
    let id: i64 = database.key_id("default", "crm").parse().unwrap();
    let api = server.with_key(&key);
    let by_crm = json!({ "type": "owner_key", "id": id, "name": "crm" });
    let created = create(&api, &with("a")).await.expect(201).json();
    assert_eq!((&created["created_by"], &created["updated_at"]), (&by_crm, &created["created_at"]));
    let code = created["short_code"].as_str().unwrap();
    let shortened = api.create(URL).await;
    assert_eq!(link(&api, &shortened).await["created_by"], by_crm);
    let batch = api.ask(Method::POST, "/api/manage/v1/link-batches");
    let batch = batch.json(&json!({ "links": [with("b")] })).send().await.expect(200);
    assert_eq!(batch.data()[0]["link"]["created_by"], by_crm);
    let put = put(&api, "c", json!({ "destination_url": URL })).await.expect(201).json();
    assert_eq!(put["created_by"], by_crm);
    assert_eq!(get(&server.api(), "/external-links/c").await.expect(200).json(), put);
    let file = database.directory().join("in.csv");
    std::fs::write(&file, "short_code,destination_url\nimported,https://example.org/\n").unwrap();
    server.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    let by_import = json!({ "type": "import", "id": null, "name": null });
    assert_eq!(link(&api, "imported").await["created_by"], by_import);
    database.execute("UPDATE links SET created_by = NULL WHERE short_code = 'imported'").await;
    assert_eq!(link(&api, "imported").await["created_by"], Value::Null);

    let updated_at = async || link(&api, code).await["updated_at"].as_str().unwrap().to_owned();
    let mut last = updated_at().await;
    let patched = patch(&api, code, json!({ "external_id": "a" })).await.expect(200);
    assert_eq!(patched.json()["updated_at"], last, "nothing changed");
    server.terse(&["link", "disable", code]).done();
    server.terse(&["link", "enable", code]).done();
    assert_eq!(updated_at().await, last, "owners cannot write that");
    patch(&api, code, json!({ "title": "New" })).await.expect(200);
    for change in ["title", "qr", "pause", "undo"] {
        match change {
            "qr" => drop(api.qr(&json!({ "short_code": code })).await.expect(201)),
            "pause" => drop(server.terse(&["link", "pause", code]).done()),
            "undo" => {
                let event = server.terse(&["history", "--limit", "1", "--json"]).json();
                server.terse(&["undo", &event["id"].to_string(), "--yes"]).done();
            }
            _ => {}
        }
        let now = updated_at().await;
        assert!(now > last, "{change}: {now} after {last}");
        last = now;
    }
    let shown = server.operator("auditor").get(&format!("/api/operator/v1/links/{code}")).await;
    assert_eq!(shown.expect(200).json()["created_by"], by_crm);
    assert_eq!(server.terse(&["link", "show", code, "--json"]).json()["created_by"], by_crm);
}

#[tokio::test]
async fn undo_leaves_an_external_id_that_another_link_has() {
    let server = Server::start();
    let api = server.api();
    let first = create(&api, &with("a")).await.expect(201).code();
    patch(&api, &first, json!({ "external_id": "b", "title": "kept" })).await.expect(200);
    let event = server.terse(&["history", "--json"]).json()["id"].to_string();
    let second = create(&api, &with("a")).await.expect(201).code();
    let undone = server.terse(&["undo", &event, "--yes", "--json"]);
    assert!(undone.stderr.contains(&format!("link '{first}' (external_id)")), "{undone:#?}");
    assert_eq!(undone.json()["skipped"], json!([first]));
    let restored = link(&api, &first).await;
    assert_eq!((&restored["external_id"], &restored["title"]), (&json!("b"), &Value::Null));
    assert_eq!(link(&api, &second).await["external_id"], "a");
}

#[tokio::test]
async fn import_rejects_a_row_whose_external_id_is_in_use() {
    let server = Server::start();
    create(&server.api(), &with("taken")).await.expect(201);
    let rows = "destination_url,external_id\nhttps://a.example/,taken\nhttps://b.example/,new\n\
                https://c.example/,new\nhttps://d.example/,\nhttps://e.example/,..\n";
    let file = server.database().directory().join("in.csv");
    std::fs::write(&file, rows).unwrap();
    for dry_run in [&["--dry-run"][..], &[]] {
        let import = ["import", file.to_str().unwrap(), "--owner", "default", "--json"];
        let outcome = server.terse(&[&import, dry_run].concat());
        let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(
            [&summary["imported"], &summary["rejected"]],
            [&json!(2), &json!(3)],
            "{outcome:?}"
        );
        assert!(outcome.stderr.contains("the external identifier is in use"), "{outcome:?}");
    }
    get(&server.api(), "/external-links/new").await.expect(200);
}

#[tokio::test]
async fn owners_have_external_ids_that_are_unique() {
    let server = Server::with_operator();
    let admin = server.operator("admin");
    let owners = "/api/operator/v1/owners";
    let post = async |body: Value| admin.ask(Method::POST, owners).json(&body).send().await;
    let acme =
        post(json!({ "name": "acme", "external_id": "customer/7" })).await.expect(201).json();
    assert_eq!(acme["external_id"], "customer/7");
    let globex = post(json!({ "name": "globex" })).await.expect(201).json();
    post(json!({ "name": "x", "external_id": "customer/7" }))
        .await
        .problem(409, "external-id-in-use");
    let path = format!("{owners}/{}", globex["id"]);
    let patch = async |body: Value| admin.ask(Method::PATCH, &path).json(&body).send().await;
    patch(json!({ "external_id": "customer/7" })).await.problem(409, "external-id-in-use");
    assert_eq!(
        patch(json!({ "external_id": "Customer/8" })).await.expect(200).json()["external_id"],
        "Customer/8"
    );
    let found = async |query: &str| {
        let found = admin.get(&format!("{owners}?{query}")).await.expect(200).data();
        let names = found.as_array().unwrap().iter();
        names.map(|owner| owner["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("external_id=customer%2F7").await, ["acme"]);
    assert_eq!(found("q=CUSTOMER").await, ["globex", "acme"]);
    assert_eq!(found("q=Glob").await, ["globex"]);
    assert_eq!(found("q=%25").await, [""; 0]);
    assert_eq!(found("q=customer_").await, [""; 0]);
    patch(json!({ "external_id": null })).await.expect(200);
    assert_eq!(found("q=customer").await, ["acme"]);
    let shown = server.terse(&["owner", "show", "acme", "--json"]).json();
    assert_eq!(shown["external_id"], "customer/7");
}
