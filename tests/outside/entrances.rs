//! Each rule for destinations, at each entrance by which a destination comes in.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Server, assert_within_a_second};
use crate::operator::PREFIX;

const URL: &str = "https://example.com/";
const MANAGE: &str = "/api/manage/v1";

/// A server with a blocked host and two domains, and a link and a domain to change.
struct Scene {
    server: Server,
    api: Api,
    operator: Api,
    code: String,
}

impl Scene {
    async fn new() -> Self {
        let server = Server::with_operator();
        let (api, operator) = (server.api(), server.operator("admin"));
        let code = api.create(URL).await;
        let scene = Self { server, api, operator, code };
        scene.run(&["block", "add", "evil.example"]).done();
        for host in ["go.example", "port.example:8443"] {
            scene.add_domain(host).await;
        }
        assert_within_a_second("the host is blocked", async || {
            scene.api.shorten(&json!({ "url": "https://evil.example/" })).await.status == 422
        })
        .await;
        scene
    }

    /// Runs a command, with the address of the server if it takes one.
    fn run(&self, arguments: &[&str]) -> ::harness::Outcome {
        let settings = ["--base-url", self.server.base_url()];
        let takes = !matches!(arguments[0], "block");
        self.server.terse(&[arguments, if takes { &settings[..] } else { &[] }].concat())
    }

    /// Runs a command, and returns its event.
    fn event(&self, arguments: &[&str]) -> String {
        self.run(&[arguments, &["--json"]].concat()).json()["event_id"].to_string()
    }

    /// Adds a domain, and waits until the server knows it.
    async fn add_domain(&self, host: &str) {
        self.run(&["domain", "add", host, "--owner", "default"]).done();
        assert_within_a_second("the domain is known", async || {
            let ask = format!("/domains/ask?domain={host}");
            self.server.operator_anyone().get(&ask).await.status == 200
        })
        .await;
    }

    async fn status(&self, api: &Api, method: Method, path: &str, body: &Value) -> u16 {
        let ask = match method {
            Method::PATCH => api.ask(method, path).header("If-Match", "*"),
            _ => api.ask(method, path),
        };
        ask.json(body).send().await.status
    }

    /// Returns the status of each entrance of HTTP for a destination.
    async fn requests(&self, url: &str) -> Vec<(String, u16)> {
        let Self { api, operator, code, .. } = self;
        let (link, owned) = (format!("{MANAGE}/links"), format!("{MANAGE}/links/{code}"));
        let operated = format!("{PREFIX}/links/{code}");
        let domain = json!({ "host": "new.example", "owner_id": 1, "home_url": url });
        let late = json!({ "destination_url": URL, "fallback_url": url });
        let all: [(&Api, Method, &str, Value); 10] = [
            (api, Method::POST, "/api/v1/shorten", json!({ "url": url })),
            (api, Method::POST, &link, json!({ "destination_url": url })),
            (api, Method::POST, &link, late.clone()),
            (api, Method::PATCH, &owned, json!({ "destination_url": url })),
            (api, Method::PATCH, &owned, json!({ "fallback_url": url })),
            (operator, Method::PATCH, &operated, json!({ "destination_url": url })),
            (operator, Method::PATCH, &operated, json!({ "fallback_url": url })),
            (
                operator,
                Method::PATCH,
                &format!("{PREFIX}/owners/1"),
                json!({ "fallback_url": url }),
            ),
            (operator, Method::POST, &format!("{PREFIX}/domains"), domain),
            (
                operator,
                Method::PATCH,
                &format!("{PREFIX}/domains/go.example"),
                json!({ "home_url": url }),
            ),
        ];
        let mut statuses = Vec::new();
        for (api, method, path, body) in all {
            let name = format!("{method} {path} {body}");
            statuses.push((name, self.status(api, method, path, &body).await));
        }
        let batch = json!({ "links": [{ "destination_url": url }, late] });
        let batch = api.ask(Method::POST, &format!("{MANAGE}/link-batches")).json(&batch);
        for item in batch.send().await.expect(200).data().as_array().unwrap() {
            let status = item["status"].as_u64().unwrap();
            statuses.push((format!("batch {item}"), u16::try_from(status).unwrap()));
        }
        statuses
    }

    /// Checks that no entrance lets a destination in.
    async fn assert_refused(&self, url: &str) {
        for (entrance, status) in self.requests(url).await {
            assert_eq!(status, 422, "{url} at {entrance}");
        }
        for arguments in [
            &["link", "edit", &self.code, "--destination", url][..],
            &["link", "edit", &self.code, "--fallback", url],
            &["owner", "edit", "default", "--fallback", url],
            &["domain", "edit", "go.example", "--home", url],
            &["domain", "add", "new.example", "--owner", "default", "--home", url],
        ] {
            let outcome = self.run(arguments);
            assert!(matches!(outcome.code, Some(1 | 2)), "{outcome:?}");
        }
        let file = self.server.database().directory().join("in.csv");
        let rows = format!("destination_url,fallback_url\n{url},\n{URL},{url}\n");
        std::fs::write(&file, rows).unwrap();
        let import = self.run(&["import", file.to_str().unwrap(), "--owner", "default", "--json"]);
        assert!(import.stdout.contains("\"rejected\":2"), "{url}: {import:?}");
    }

    async fn link(&self) -> Value {
        self.api.get(&format!("{MANAGE}/links/{}", self.code)).await.expect(200).json()
    }
}

#[tokio::test]
async fn no_entrance_takes_what_leads_to_the_service_or_is_blocked() {
    let scene = Scene::new().await;
    let port = scene.server.base_url().rsplit(':').next().unwrap();
    let own = scene.server.base_url();
    for url in [
        format!("{own}/x").as_str(),
        // Each host answers on each port.
        &format!("http://go.example:{port}/x"),
        &format!("http://port.example:{port}/x"),
        "https://go.example/x",
        "https://port.example:8443/x",
        "https://go.example:8443/x",
        "http://127.0.0.1:8443/x",
        "http://localhost/x",
        "https://evil.example/",
        "ftp://example.com/",
    ] {
        scene.assert_refused(url).await;
    }
    let statuses = scene.requests("https://www.go.example:8443/").await;
    assert!(statuses.iter().all(|(_, status)| matches!(status, 200 | 201)), "{statuses:?}");
}

#[tokio::test]
async fn undo_lets_in_nothing_that_leads_to_the_service() {
    let scene = Scene::new().await;
    let late = "https://late.example/";
    let code = &*scene.code;
    scene.run(&["domain", "edit", "go.example", "--home", late]).done();
    let fallback = ["link", "edit", code, "--fallback", late, "--destination", late];
    scene.run(&fallback).done();
    let home = scene.event(&["domain", "edit", "go.example", "--home", "none"]);
    let edit = ["link", "edit", code, "--destination", URL, "--fallback", "none", "--title", "new"];
    let edited = scene.event(&edit);
    scene.add_domain("late.example").await;
    // By a command and by a request, alternately: both skip the same.
    let outcome = scene.run(&["undo", &edited, "--yes", "--json"]);
    assert!(outcome.stderr.contains("(destination_url, fallback_url)"), "{outcome:#?}");
    let undone = outcome.json();
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(1), &json!([code])));
    let link = scene.link().await;
    assert_eq!((&link["destination_url"], &link["fallback_url"]), (&json!(URL), &Value::Null));
    assert_eq!(link["title"], Value::Null, "the rest is undone");
    let path = format!("{PREFIX}/events/{home}/undo");
    let undone = scene.operator.ask(Method::POST, &path).send().await.expect(200).json();
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(0), &json!(["go.example"])));

    // A domain does not come back below destinations that lead to it by now.
    let removed = scene.event(&["domain", "remove", "late.example"]);
    assert_within_a_second("the host is free", async || {
        scene.api.shorten(&json!({ "url": late, "custom_code": "late" })).await.status == 201
    })
    .await;
    let refused = scene.run(&["undo", &removed, "--yes"]).failed();
    assert!(refused.contains("1 destination or fallback leads to late.example"), "{refused}");
    let path = format!("{PREFIX}/events/{removed}/undo");
    let refused = scene.operator.ask(Method::POST, &path).send().await;
    refused.problem(409, "domain-has-destinations");
    let domains = scene.run(&["domain", "list", "--json"]).done().stdout;
    assert!(!domains.contains("late.example"), "{domains}");
    scene.run(&["link", "delete", "late", "--yes"]).done();
    scene.run(&["undo", &removed, "--yes"]).done();

    // What is blocked meanwhile may come back, because each visit checks it.
    scene.run(&["link", "edit", code, "--destination", "https://soon-evil.example/"]).done();
    let edited = scene.event(&["link", "edit", code, "--destination", URL]);
    scene.run(&["block", "add", "soon-evil.example"]).done();
    scene.run(&["undo", &edited, "--yes"]).done();
    assert_within_a_second("the link is blocked", async || {
        scene.server.anyone().get(&format!("/{code}")).await.status == 410
    })
    .await;
}

/// Each own host answers on each own port, so a domain with a new port opens it on all of them.
#[tokio::test]
async fn domain_with_a_new_port_adds_no_loop() {
    let scene = Scene::new().await;
    let links = [
        json!({ "url": "https://go.example:9443/x", "custom_code": "first" }),
        json!({ "url": URL, "custom_code": "second" }),
    ];
    for link in links {
        scene.api.shorten(&link).await.expect(201);
    }
    let fallback = ["--fallback", "http://127.0.0.1:9443/x"];
    scene.run(&[&["link", "edit", "second"][..], &fallback].concat()).done();
    let add = ["domain", "add", "new.example:9443", "--owner", "default"];
    let refused = scene.run(&[&add[..], &["--dry-run"]].concat()).done().stderr;
    assert!(refused.contains("2 destinations or fallbacks lead to new.example:9443"), "{refused}");
    let path = format!("{PREFIX}/domains");
    let domain = json!({ "host": "new.example:9443", "owner_id": 1 });
    let refused = scene.operator.ask(Method::POST, &path).json(&domain).send().await;
    refused.problem(409, "domain-has-destinations");
    for code in ["first", "second"] {
        scene.run(&["link", "delete", code, "--yes"]).done();
    }
    scene.run(&add).done();
    let removed = scene.event(&["domain", "remove", "new.example:9443"]);
    let free = json!({ "url": "https://go.example:9443/x", "custom_code": "third" });
    assert_within_a_second("the port is free", async || {
        scene.api.shorten(&free).await.status == 201
    })
    .await;
    let refused = scene.run(&["undo", &removed, "--yes"]).failed();
    assert!(refused.contains("1 destination or fallback leads"), "{refused}");
}
