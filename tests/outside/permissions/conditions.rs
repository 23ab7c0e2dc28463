//! Conditions, entity tags and the events of changes, for every operation of every document.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::operators::Things;
use super::{Attempt, Operation, operations, owners};
use crate::harness::{Api, Response, Server};
use crate::operator::PREFIX;

/// Conditions that no operation evaluates.
const UNEVALUATED: [(&str, &str); 2] =
    [("If-Unmodified-Since", "Sat, 29 Oct 1994 19:43:31 GMT"), ("If-None-Match", "*")];

struct Clients {
    server: Server,
    owner: Api,
    admin: Api,
}

impl Clients {
    fn start() -> Self {
        let server = Server::with_operator();
        let (owner, admin) = (server.api(), server.operator("admin"));
        Self { server, owner, admin }
    }

    /// Returns a request of an operation on new things, and the client that sends it.
    async fn attempt(&self, operation: &Operation) -> (&Api, Attempt) {
        if operation.template.starts_with(PREFIX) {
            let things = Things::create(&self.server, &self.admin, operation.id == "deleteOwner");
            return (&self.admin, things.await.attempt(operation));
        }
        let code = self.owner.create("https://example.com/").await;
        owners::name_link(&self.owner, &code).await;
        let key = if operation.template.contains("/webhooks/{id}") {
            owners::new_webhook(&self.owner).await
        } else if operation.template.contains("{id}") {
            let ask = self.owner.ask(Method::POST, "/api/manage/v1/keys");
            let created = ask.json(&json!({ "scope": "read" })).send().await.expect(201);
            created.json()["id"].to_string()
        } else {
            String::new()
        };
        (&self.owner, owners::attempt(operation, &code, &key).0)
    }

    /// Returns the identifier of the newest event.
    async fn newest_event(&self) -> i64 {
        self.server.database().number("SELECT COALESCE(MAX(id), 0) FROM events").await
    }
}

/// Returns every operation of every document.
fn all() -> impl Iterator<Item = Operation> {
    [false, true].into_iter().flat_map(operations)
}

impl Operation {
    /// Returns whether what its path names has an entity tag.
    fn is_of_versions(&self) -> bool {
        let get = &self.document["paths"][&self.template]["get"];
        get["responses"]["200"]["headers"]["ETag"].is_object()
    }
}

fn assert_succeeds(response: &Response, operation: &Operation) {
    assert!(response.status < 300, "{}: {response:#?}", operation.id);
}

#[tokio::test]
async fn conditions_are_evaluated_or_refused() {
    let clients = Clients::start();
    let mut evaluated = Vec::new();
    for operation in all() {
        let (id, (api, attempt)) = (&operation.id, clients.attempt(&operation).await);
        if operation.method == Method::GET {
            let conditions = UNEVALUATED.iter().chain(&[("If-Match", "\"other\"")]);
            let api = conditions.fold(api.clone(), |api, (name, value)| api.with(name, value));
            assert_succeeds(&attempt.send(&api).await, &operation);
            continue;
        }
        let has_if_match = operation.parameters().contains(&("header", "If-Match"));
        assert_eq!(has_if_match, operation.is_of_versions(), "{id} declares If-Match");
        let declared = &operation.operation["responses"]["412"];
        assert_eq!(declared.is_object(), has_if_match, "{id} declares 412");
        let event = clients.newest_event().await;
        let if_match = (!has_if_match).then_some(("If-Match", "*"));
        for (name, value) in UNEVALUATED.into_iter().chain(if_match) {
            let response = attempt.send(&api.with(name, value)).await;
            let problem = response.problem(400, "malformed-request").json();
            assert_eq!(problem["errors"][0]["parameter"], name, "{id}");
        }
        if !has_if_match {
            assert_eq!(clients.newest_event().await, event, "{id} changed something");
            continue;
        }
        evaluated.push(id.clone());
        let get = async || {
            let response = api.get(&attempt.path).await.expect(200);
            let mut object = response.json();
            assert_eq!(response.header("etag"), object["etag"].as_str(), "{id}");
            // A new domain may change it meanwhile.
            object.as_object_mut().unwrap().remove("short_url");
            object
        };
        let before = get().await;
        let tag = before["etag"].as_str().unwrap();
        for stale in ["\"other\"", &format!("W/{tag}"), "\"00000000000000000000000000000000\""] {
            let response = attempt.send(&api.with("If-Match", stale)).await;
            response.problem(412, "precondition-failed");
        }
        for malformed in ["other", "", " , "] {
            let response = attempt.send(&api.with("If-Match", malformed)).await;
            response.problem(400, "malformed-request");
        }
        assert_eq!(get().await, before, "{id} changed something");
        assert_eq!(clients.newest_event().await, event, "{id} recorded something");
        let right = api.with("If-Match", &format!(", \"other\",, {tag},"));
        assert_succeeds(&attempt.send(&right).await, &operation);
        let (api, attempt) = clients.attempt(&operation).await;
        assert_succeeds(&attempt.send(&api.with("If-Match", "*")).await, &operation);
        let (api, attempt) = clients.attempt(&operation).await;
        assert_succeeds(&attempt.send(api).await, &operation);
    }
    assert!(evaluated.len() >= 12, "{evaluated:?}");
}

/// Returns the event that a response names.
fn event_of(response: &Response) -> Option<i64> {
    let body: Value = serde_json::from_str(&response.text()).unwrap_or_default();
    let named = response.header("event-id").map(|text| text.parse().unwrap());
    named.or(body["event_id"].as_i64())
}

#[tokio::test]
async fn responses_name_the_event_and_the_version() {
    let clients = Clients::start();
    for operation in all().filter(|operation| operation.method != Method::GET) {
        let (id, (api, attempt)) = (&operation.id, clients.attempt(&operation).await);
        let before = clients.newest_event().await;
        let response = attempt.send(api).await;
        assert_succeeds(&response, &operation);
        let newest = clients.newest_event().await;
        let recorded = (newest > before).then_some(newest);
        // The responses of `/api/v1` have the specified fields and headers only.
        let named = recorded.filter(|_| id != "enableQrCode");
        assert_eq!(event_of(&response), named, "{id}: {response:#?}");
        let location = response.header("location").unwrap_or(&attempt.path);
        let location = location.strip_prefix(clients.server.base_url()).unwrap_or(location);
        if let Some(tag) = response.header("etag") {
            let location = match id.as_str() {
                "findKey" => format!("{PREFIX}/keys/{}", response.json()["id"]),
                _ => location.trim_end_matches("/rotate").to_owned(),
            };
            let read = api.get(&location).await.expect(200);
            assert_eq!(read.header("etag"), Some(tag), "{id}");
            assert_eq!(response.json()["etag"], tag, "{id}");
        }
        let is_repeatable = operation.parameters().contains(&("header", "Idempotency-Key"));
        if is_repeatable && response.status == 201 {
            let (api, attempt) = clients.attempt(&operation).await;
            let api =
                api.with("Idempotency-Key", &operation.template.replace(['/', '{', '}'], "-"));
            let first = attempt.send(&api).await;
            let again = attempt.send(&api).await;
            assert_eq!(again.header("idempotent-replayed"), Some("true"), "{id}: {again:#?}");
            for name in ["event-id", "etag", "location"] {
                assert_eq!(again.header(name), first.header(name), "{id} {name}");
            }
        }
        if operation.method == Method::PATCH {
            let again = attempt.send(api).await.expect(200);
            assert_eq!(event_of(&again), None, "{id} changed nothing");
            assert_eq!(clients.newest_event().await, newest, "{id} changed nothing");
            assert_eq!(again.header("etag"), response.header("etag"), "{id}");
        }
    }
}

/// Sends a change of the operator, which must succeed.
async fn done(api: &Api, method: Method, path: &str, body: Value) -> Response {
    let response = api.ask(method, &format!("{PREFIX}{path}")).json(&body).send().await;
    assert!(response.status < 300, "{path}: {response:#?}");
    response
}

async fn tag_of(api: &Api, path: &str) -> String {
    let read = api.get(&format!("{PREFIX}{path}")).await.expect(200);
    read.header("etag").unwrap().to_owned()
}

/// Returns the identifier in the path of an owner.
fn id_of(owner: &str) -> i64 {
    owner.strip_prefix("/owners/").unwrap().parse().unwrap()
}

/// Creates an owner with a key, a plan and a domain, and returns their paths.
async fn create(admin: &Api) -> [String; 4] {
    done(admin, Method::POST, "/plans", json!({ "name": "gold" })).await;
    let owner = json!({ "name": "acme", "plan_name": "gold" });
    let location = done(admin, Method::POST, "/owners", owner).await;
    let location = location.header("location").unwrap();
    let owner = location.strip_prefix(PREFIX).unwrap().to_owned();
    let key = json!({ "scope": "full" });
    let key = done(admin, Method::POST, &format!("{owner}/keys"), key).await.json()["id"].clone();
    let domain = json!({ "host": "go.acme.example", "owner_id": id_of(&owner) });
    done(admin, Method::POST, "/domains", domain).await;
    [owner, format!("/keys/{key}"), "/plans/gold".to_owned(), "/domains/go.acme.example".to_owned()]
}

#[tokio::test]
async fn tags_depend_on_what_can_be_written() {
    let server = Server::with_operator();
    let admin = server.operator("admin");
    let [owner, key, plan, domain] = &create(&admin).await;
    let url = "https://example.org/";
    for (path, changes) in [
        (owner, json!({ "fallback_url": url, "plan_name": "free", "name": "acme2" })),
        (key, json!({ "label": "crm", "expires_at": "2099-01-01T00:00:00Z" })),
        (
            plan,
            json!({
                "max_links": 7, "links_per_day": 7, "request_rate": "7/s", "burst": 9,
                "custom_codes": true
            }),
        ),
        (domain, json!({ "home_url": url })),
    ] {
        let mut tags = vec![tag_of(&admin, path).await];
        for (name, value) in changes.as_object().unwrap() {
            done(&admin, Method::PATCH, path, json!({ name: value })).await;
            let tag = tag_of(&admin, path).await;
            assert!(!tags.contains(&tag), "{path} {name}");
            tags.push(tag);
        }
    }
    let before = tag_of(&admin, domain).await;
    let second =
        json!({ "host": "second.example", "owner_id": owner[8..].parse::<i64>().unwrap() });
    done(&admin, Method::POST, "/domains", second).await;
    assert_eq!(tag_of(&admin, domain).await, before);
    done(&admin, Method::PATCH, "/domains/second.example", json!({ "is_default": true })).await;
    assert_ne!(tag_of(&admin, domain).await, before, "it is no longer the default");

    let before = [tag_of(&admin, owner).await, tag_of(&admin, key).await];
    done(&admin, Method::POST, &format!("{owner}/suspend"), json!({})).await;
    done(&admin, Method::DELETE, key, json!({})).await;
    assert_eq!([tag_of(&admin, owner).await, tag_of(&admin, key).await], before, "only states");
    for (list, path) in [
        ("/owners", owner),
        ("/plans", plan),
        ("/domains", domain),
        (&*format!("{owner}/keys"), key),
    ] {
        let list = admin.get(&format!("{PREFIX}{list}")).await.expect(200).data();
        let tags: Vec<_> = list.as_array().unwrap().iter().map(|item| &item["etag"]).collect();
        assert!(tags.contains(&&json!(tag_of(&admin, path).await)), "{path}: {tags:?}");
    }
}

/// Of two changes of one version that begin at the same time on two servers, exactly one succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_changes_of_a_version_succeeds() {
    let server = Server::with_operator();
    let second = Server::with_operator_on(server.database());
    let secret = server.database().operator_key("racer", "admin");
    let apis = [&server, &second].map(|server| server.with_operator_key(&secret));
    let [owner, key, plan, domain] = create(&apis[0]).await;
    let url = |value: usize| json!(format!("https://example.org/{value}"));
    let body = |name: &str, value: usize| match name {
        "max_links" => json!({ name: value }),
        "label" => json!({ name: value.to_string() }),
        _ => json!({ name: url(value) }),
    };
    for start in 0..100 {
        let host = format!("go{start}.example");
        let added = json!({ "host": host, "owner_id": id_of(&owner) });
        done(&apis[0], Method::POST, "/domains", added).await;
        for (path, name, is_deletion) in [
            (&owner, "fallback_url", false),
            (&key, "label", false),
            (&plan, "max_links", false),
            (&domain, "home_url", false),
            (&format!("/domains/{host}"), "home_url", true),
        ] {
            let tag = tag_of(&apis[start % 2], path).await;
            let aligned = Arc::new(Barrier::new(2));
            let changes = [0, 1].map(|number| {
                let method =
                    if is_deletion && number == 1 { Method::DELETE } else { Method::PATCH };
                let ask = apis[(start + number) % 2].ask(method, &format!("{PREFIX}{path}"));
                let ask = ask.header("If-Match", &tag).json(&body(name, 2 * start + number + 1));
                let aligned = Arc::clone(&aligned);
                tokio::spawn(async move {
                    aligned.wait().await;
                    ask.send().await.status
                })
            });
            let mut statuses = Vec::new();
            for change in changes {
                statuses.push(change.await.unwrap());
            }
            statuses.sort_unstable();
            let is_right = matches!(statuses[..], [200, 412] | [204, 404]);
            assert!(is_right || statuses == [204, 412], "{path} {start}: {statuses:?}");
        }
    }
    server.terse(&["check"]).done();
}
