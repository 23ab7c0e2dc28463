//! Every list of the three documents that has `limit`: its pages are the whole list, also while items
//! come and go, whether a client follows the header `Link` or `next_cursor`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Contract, Server, contracts};

const URL: &str = "https://example.com/";
/// Number of items that each list has at least.
const ITEMS: usize = 5;

/// A server, and the clients of its interfaces.
struct Scene {
    server: Server,
    owner: Api,
    operator: Api,
    /// A link whose history has pages.
    changed: String,
    /// Such a link that is deleted, too.
    deleted: String,
}

/// A list, and the path of its first page without `limit`.
struct List {
    operation: &'static str,
    path: String,
    is_for_operator: bool,
}

impl Scene {
    async fn new() -> Self {
        let server = Server::with_operator();
        let (owner, operator) = (server.api(), server.operator("admin"));
        let [changed, deleted] = ["changed", "deleted"].map(str::to_owned);
        let scene = Self { server, owner, operator, changed, deleted };
        for code in [&scene.changed, &scene.deleted] {
            scene.owner.create_from(&json!({ "url": URL, "custom_code": code })).await;
            for number in 0..ITEMS {
                scene.edit(code, number).await;
            }
        }
        scene.send("DELETE", "/api/manage/v1/links/deleted", None).await;
        // One event and one list store several patterns.
        scene.server.terse(&["block", "add", "c.example", "a.example", "b.example"]).done();
        let file = scene.server.database().directory().join("list");
        std::fs::write(&file, "listed1.example\nlisted2.example\nlisted3.example\n").unwrap();
        let file = file.to_str().unwrap();
        scene.server.terse(&["block", "import", file, "--source", "list", "--yes"]).done();
        scene
    }

    fn api(&self, list: &List) -> &Api {
        if list.is_for_operator { &self.operator } else { &self.owner }
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>) {
        let api = if path.starts_with("/api/operator") { &self.operator } else { &self.owner };
        let ask = api.ask(method.parse::<Method>().unwrap(), path);
        let response = match body {
            Some(body) => ask.json(body).send().await,
            None => ask.send().await,
        };
        assert!(response.status < 300, "{method} {path}: {response:#?}");
    }

    async fn edit(&self, code: &str, number: usize) {
        let body = json!({ "title": format!("title {number}") });
        self.send("PATCH", &format!("/api/manage/v1/links/{code}"), Some(&body)).await;
    }

    /// Adds an item to a list.
    async fn add(&self, list: &List, number: usize) {
        let (path, body) = match list.operation {
            "listLinks" => {
                self.owner.create(URL).await;
                return;
            }
            "listCampaigns" => {
                let campaign = format!("x{number:03}");
                self.owner.create_from(&json!({ "url": URL, "campaign": campaign })).await;
                return;
            }
            "listQrCodes" => {
                let code = self.owner.create(URL).await;
                self.owner.qr(&json!({ "short_code": code })).await.expect(201);
                return;
            }
            "listLinkEvents" if list.path.contains("/deleted/") => return,
            "listLinkEvents" | "listEvents" => {
                return self.edit(&self.changed, ITEMS + number).await;
            }
            "listKeys" if list.is_for_operator => {
                ("operator/v1/owners/1/keys", json!({ "scope": "read" }))
            }
            "listKeys" => ("manage/v1/keys", json!({ "scope": "read" })),
            "listOwners" => ("operator/v1/owners", json!({ "name": format!("owner{number}") })),
            "listOperatorKeys" => (
                "operator/v1/operator-keys",
                json!({ "name": format!("program{number}"), "role": "auditor" }),
            ),
            // The list is in the order of the names, and these come last.
            "listPlans" => ("operator/v1/plans", json!({ "name": format!("x{number:03}") })),
            "listBlocks" => {
                ("operator/v1/blocks", json!({ "patterns": [format!("added{number}.example")] }))
            }
            "listDomains" => (
                "operator/v1/domains",
                json!({ "host": format!("go{number}.example"), "owner_id": 1 }),
            ),
            other => panic!("the test does not know how to add to {other}"),
        };
        self.send("POST", &format!("/api/{path}"), Some(&body)).await;
    }

    /// Removes an item from its list, if that is possible.
    async fn remove(&self, list: &List, item: &Value) {
        let text = |name: &str| item[name].as_str().unwrap().to_owned();
        match list.operation {
            "listLinks" | "listQrCodes" => {
                let code = text("short_code");
                if code != self.changed {
                    self.send("DELETE", &format!("/api/manage/v1/links/{code}"), None).await;
                }
            }
            "listOwners" if item["name"] != "default" => {
                let path = format!("/api/operator/v1/owners/{}", item["id"]);
                self.send("POST", &format!("{path}/suspend"), Some(&json!({}))).await;
                self.send("DELETE", &path, None).await;
            }
            // Those that are added meanwhile stay.
            "listPlans" if text("name").starts_with("x1") => {
                self.send("DELETE", &format!("/api/operator/v1/plans/{}", text("name")), None)
                    .await;
            }
            "listBlocks" if item["source"].is_null() => {
                let path = format!("/api/operator/v1/blocks?pattern={}", text("pattern"));
                self.send("DELETE", &path, None).await;
            }
            "listDomains" => {
                let path = format!("/api/operator/v1/domains/{}", text("host"));
                self.send("DELETE", &path, None).await;
            }
            _ => {}
        }
    }

    /// Returns the items of a page, and the target of the next one.
    async fn page(&self, list: &List, target: &str) -> (Vec<Value>, Option<String>) {
        let api = self.api(list);
        let response = api.get(target).await.expect(200);
        let body = response.json();
        let items = body["data"].as_array().unwrap().clone();
        // The operator's lists name a path, and the owners' a URL.
        let link = response.header("link").map(|link| {
            let target =
                link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
            let target = target.unwrap_or_else(|| panic!("{link}"));
            target.find("/api/").map(|start| target[start..].to_owned()).unwrap()
        });
        let cursor = link.as_deref().and_then(|link| link.rsplit_once("&cursor="));
        let expected = if list.path.starts_with("/api/v1/") {
            json!({ "data": items })
        } else {
            json!({ "data": items, "next_cursor": cursor.map(|(_, cursor)| cursor) })
        };
        assert_eq!(body, expected, "{target}");
        (items, link)
    }

    /// Returns the items of all pages of a list. `between` is called after each page. A client that follows
    /// cursors repeats the other parameters itself.
    async fn pages(
        &self,
        list: &List,
        limit: usize,
        follows_cursors: bool,
        between: impl AsyncFn(&[Value], usize),
    ) -> Vec<Value> {
        let (mut all, mut number) = (Vec::new(), 0);
        let mut next = Some(list.target(&format!("limit={limit}")));
        while let Some(target) = next {
            let (items, following) = self.page(list, &target).await;
            assert!(items.len() <= limit, "{target}: {items:#?}");
            between(&items, number).await;
            all.extend(items);
            next = following.map(|link| match link.rsplit_once("&cursor=") {
                Some((_, cursor)) if follows_cursors => {
                    list.target(&format!("cursor={cursor}&limit={limit}"))
                }
                Some(_) | None => link,
            });
            number += 1;
            assert!(number < 1_000, "{target} does not end");
        }
        all
    }
}

impl List {
    /// Returns all lists with `limit`, those of links' histories and of events twice.
    fn all(scene: &Scene) -> Vec<Self> {
        let paths = |contract: &'static Contract| {
            let is_for_operator = contract.is_for_operator();
            let paths = contract.document["paths"].as_object().unwrap().iter();
            paths.filter_map(move |(path, item)| {
                let parameters = item["get"]["parameters"].as_array()?;
                let has_limit = parameters.iter().any(|parameter| parameter["name"] == "limit");
                let operation = item["get"]["operationId"].as_str()?;
                let path = path.replace("{id}", "1");
                // An owner has at most ten webhooks, and `webhooks` tests their deliveries. Nothing is
                // added to what an event changed; `operator::events` tests its pages.
                let is_tested = operation.contains("Webhook") || operation == "listEventChanges";
                let has_limit = has_limit && !is_tested;
                has_limit.then_some(Self { operation, path, is_for_operator })
            })
        };
        let mut all = Vec::new();
        for list in contracts().iter().flat_map(paths) {
            let Self { operation, path, is_for_operator } = list;
            let codes: &[&String] = if operation == "listLinkEvents" {
                &[&scene.changed, &scene.deleted]
            } else {
                &[&scene.changed]
            };
            let paths = codes.iter().map(|code| path.replace("{code}", code));
            all.extend(paths.map(|path| Self { operation, path, is_for_operator }));
        }
        let events = |interface: &str, query: &str| Self {
            operation: "listEvents",
            path: format!("/api/{interface}/v1/events?{query}"),
            is_for_operator: interface == "operator",
        };
        for interface in ["manage", "operator"] {
            all.push(events(interface, "after_id=0"));
            all.push(events(interface, "short_code=deleted"));
            all.push(events(interface, "action=link+edit"));
        }
        all.push(events("operator", "owner_id=1"));
        all
    }

    fn target(&self, query: &str) -> String {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{separator}{query}", self.path)
    }
}

/// Returns what identifies each item. Other members change, such as the time at which a key was last
/// used.
fn identities(items: &[Value]) -> Vec<Value> {
    let identity = |item: &Value| {
        let names = ["pattern", "host", "id", "short_code", "name", "campaign"];
        let found = names.iter().find_map(|name| item.get(*name));
        found.unwrap_or(item).clone()
    };
    items.iter().map(identity).collect()
}

#[tokio::test]
async fn pages_are_the_whole_list() {
    let scene = Scene::new().await;
    let lists = List::all(&scene);
    assert!(lists.len() > 13, "the documents have few lists");
    for list in &lists {
        for number in 0..ITEMS {
            scene.add(list, number).await;
        }
    }
    for list in &lists {
        let (whole, next) = scene.page(list, &list.target("limit=1000")).await;
        assert!(whole.len() >= ITEMS, "{}: {whole:#?}", list.path);
        assert_eq!(next, None, "{}", list.path);
        for limit in [1, 2, whole.len() - 1, whole.len(), 1000] {
            for follows_cursors in [false, true] {
                let pages = scene.pages(list, limit, follows_cursors, async |_, _| ()).await;
                assert_eq!(identities(&pages), identities(&whole), "{} by {limit}", list.path);
            }
        }
        if !list.path.starts_with("/api/operator") && !list.path.starts_with("/api/manage") {
            let (complete, _) = scene.page(list, &list.path).await;
            assert_eq!(identities(&complete), identities(&whole), "{}", list.path);
        }
    }
}

#[tokio::test]
async fn pages_have_every_item_once_while_others_come_and_go() {
    let scene = Scene::new().await;
    for list in List::all(&scene) {
        let number = |number| 100 * number;
        for added in 0..ITEMS {
            scene.add(&list, number(1) + added).await;
        }
        for limit in [1, 2] {
            let (before, _) = scene.page(&list, &list.target("limit=1000")).await;
            let before = identities(&before);
            let pages = scene.pages(&list, limit, true, async |items, page| {
                if page < ITEMS {
                    scene.add(&list, number(1 + limit) + page).await;
                }
                if let Some(last) = items.last() {
                    scene.remove(&list, last).await;
                }
            });
            let seen = identities(&pages.await);
            let of_before: Vec<_> = seen.iter().filter(|item| before.contains(item)).collect();
            assert_eq!(of_before, before.iter().collect::<Vec<_>>(), "{} by {limit}", list.path);
            let (after, _) = scene.page(&list, &list.target("limit=1000")).await;
            let added = identities(&after).into_iter().any(|item| !before.contains(&item));
            assert!(added || list.path.contains("deleted"), "{} has no new items", list.path);
        }
    }
}

#[tokio::test]
async fn removal_of_items_that_follow_repeats_none() {
    let scene = Scene::new().await;
    for list in List::all(&scene) {
        for added in 0..ITEMS {
            scene.add(&list, added).await;
        }
        let (before, _) = scene.page(&list, &list.target("limit=1000")).await;
        let pages = scene.pages(&list, 2, true, async |_, page| {
            if page == 0 {
                for item in &before[3..] {
                    scene.remove(&list, item).await;
                }
            }
        });
        let seen = identities(&pages.await);
        let (after, _) = scene.page(&list, &list.target("limit=1000")).await;
        let (before, after) = (identities(&before), identities(&after));
        let expected: Vec<&Value> = before
            .iter()
            .enumerate()
            .filter(|(index, item)| *index < 2 || after.contains(item))
            .map(|(_, item)| item)
            .collect();
        let of_before: Vec<_> = seen.iter().filter(|item| before.contains(item)).collect();
        assert_eq!(of_before, expected, "{}", list.path);
    }
}

/// The order of the parameters has never changed.
#[tokio::test]
async fn link_to_the_next_page_repeats_the_parameters() {
    let scene = Scene::new().await;
    for number in 0..2 {
        let body = json!({ "url": format!("{URL}{number}"), "campaign": "spring & co" });
        let code = scene.owner.create_from(&body).await;
        scene.owner.qr(&json!({ "short_code": code })).await.expect(201);
    }
    let conditions = "campaign=spring+%26+co&active=1";
    for (path, order) in [
        ("/api/v1/links", format!("limit=1&{conditions}")),
        ("/api/v1/qrcodes", format!("limit=1&{conditions}")),
        ("/api/manage/v1/links", "campaign=spring+%26+co&state=active&limit=1".to_owned()),
        ("/api/operator/v1/events", "owner_id=1&limit=1".to_owned()),
        ("/api/operator/v1/events", "owner_id=1&after_id=0&limit=1".to_owned()),
    ] {
        let list = List {
            operation: "",
            path: path.to_owned(),
            is_for_operator: path.contains("operator"),
        };
        let (_, next) = scene.page(&list, &format!("{path}?{order}")).await;
        let cursor =
            next.as_deref().and_then(|next| next.strip_prefix(&format!("{path}?{order}&cursor=")));
        assert_eq!(cursor.map(str::len), Some(32), "{next:?}");
        if order.starts_with("limit") {
            // The cursor is valid under other conditions, too.
            let target = format!("{path}?cursor={}", cursor.unwrap());
            assert_eq!(scene.page(&list, &target).await.1, None);
        }
    }
}
