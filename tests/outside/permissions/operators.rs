//! Operations for operator keys.

use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::Method;
use serde_json::{Value, json};

use super::owners::new_webhook;
use super::{Attempt, Operation, operations};
use crate::harness::{Api, Server};
use crate::operator::PREFIX;

const ROLES: [&str; 4] = ["auditor", "provisioner", "moderator", "admin"];

/// Roles whose keys may call an operation.
fn roles_of(Operation { method, template, id, .. }: &Operation) -> &'static [&'static str] {
    let path = template.strip_prefix(PREFIX).unwrap();
    match (method.as_str(), path) {
        ("GET", _) | ("POST", "/key-search") => &ROLES,
        ("POST", "/owners/{id}/suspend" | "/owners/{id}/resume") => {
            &["provisioner", "moderator", "admin"]
        }
        ("DELETE", "/owners/{id}")
        | (_, "/plans" | "/plans/{name}" | "/operator-keys" | "/operator-keys/{id}") => &["admin"],
        (
            _,
            "/owners" | "/owners/{id}" | "/owners/{id}/keys" | "/keys/{id}" | "/domains"
            | "/domains/{host}",
        ) => &["provisioner", "admin"],
        (
            _,
            "/links/{code}" | "/link-changes" | "/blocks" | "/events/{id}/undo"
            | "/events/{id}/stop",
        ) => &["moderator", "admin"],
        ("POST", "/webhooks/{id}/disable" | "/webhooks/{id}/enable") => &["moderator", "admin"],
        _ => panic!("no roles are known for {id}"),
    }
}

/// Things of one owner, for one request. Each is new, so that no request depends on another.
pub(super) struct Things {
    name: String,
    owner: String,
    key: String,
    secret: String,
    code: String,
    event: String,
    plan: String,
    host: String,
    operator: String,
    webhook: String,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Things {
    pub(super) async fn create(server: &Server, admin: &Api, is_suspended: bool) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (name, plan) = (format!("owner {number}"), format!("plan{number}"));
        let post = async |path: &str, body: Value| {
            let ask = admin.ask(Method::POST, &format!("{PREFIX}{path}"));
            let response = ask.json(&body).send().await;
            assert!(response.status < 300, "{response:#?}");
            response.json()
        };
        post("/plans", json!({ "name": plan })).await;
        let body = json!({ "name": name, "plan_name": plan, "key": {} });
        let created = post("/owners", body).await;
        let owner = created["id"].to_string();
        let secret = created["key"]["secret"].as_str().unwrap().to_owned();
        let code = server.with_key(&secret).create("https://example.com/").await;
        let webhook = new_webhook(&server.with_key(&secret)).await;
        let webhook = webhook.split(' ').next().unwrap().to_owned();
        let pattern = format!("evil{number}.example");
        let event = post("/blocks", json!({ "patterns": [pattern] })).await["event_id"].to_string();
        let host = format!("go{number}.example");
        post("/domains", json!({ "host": host, "owner_id": created["id"] })).await;
        if is_suspended {
            post(&format!("/owners/{owner}/suspend"), json!({})).await;
        }
        let body = json!({ "name": format!("program {number}"), "role": "auditor" });
        let operator = post("/operator-keys", body).await["id"].to_string();
        // A plan that no owner has.
        post("/plans", json!({ "name": format!("{plan}-unused") })).await;
        Self {
            operator,
            webhook,
            name,
            owner,
            key: created["key"]["id"].to_string(),
            secret,
            code,
            event,
            plan,
            host,
        }
    }

    /// Fills in an operation.
    pub(super) fn attempt(&self, operation: &Operation) -> Attempt {
        let template = &operation.template;
        let id = match template.strip_prefix(PREFIX).unwrap() {
            path if path.starts_with("/keys") => &self.key,
            path if path.starts_with("/events") => &self.event,
            path if path.starts_with("/operator-keys") => &self.operator,
            path if path.starts_with("/webhooks") => &self.webhook,
            _ => &self.owner,
        };
        let path = template.replace("{id}", id).replace("{code}", &self.code);
        let unused = format!("{}-unused", self.plan);
        let plan = if operation.id == "deletePlan" { &unused } else { &self.plan };
        let path = path.replace("{name}", plan).replace("{host}", &self.host);
        let query = match (operation.id.as_str(), self.pattern()) {
            ("deleteBlock", pattern) => format!("?pattern={pattern}"),
            ("checkBlock", pattern) => format!("?url=https://{pattern}/"),
            _ => String::new(),
        };
        let mut body = operation.body();
        if let Some(body) = &mut body {
            match operation.id.as_str() {
                "createOwner" => {
                    body["name"] = json!(format!("{} too", self.name));
                    body["plan_name"] = json!(self.plan);
                }
                "createOperatorKey" => body["name"] = json!(format!("{} too", self.name)),
                "createPlan" => body["name"] = json!(format!("{}too", self.plan)),
                "updateOwner" => body["plan_name"] = json!("free"),
                "findKey" => body["secret"] = json!(self.secret),
                "changeLinks" => body["selectors"] = json!({ "code": [self.code] }),
                "createDomain" => {
                    body["host"] = json!(format!("too.{}", self.host));
                    body["owner_id"] = json!(self.owner.parse::<i64>().unwrap());
                }
                "createBlocks" => body["patterns"] = json!([format!("too.{}", self.pattern())]),
                _ => {}
            }
        }
        operation.attempt(format!("{path}{query}"), body)
    }

    fn pattern(&self) -> String {
        format!("evil{}.example", &self.plan["plan".len()..])
    }
}

#[tokio::test]
async fn every_operation_accepts_exactly_the_roles_that_it_should() {
    let server = Server::with_operator();
    let database = server.database();
    let revoked = database.operator_key("revoked", "admin");
    server.terse(&["operator", "revoke", "revoked"]).done();
    let owners = server.terse(&["key", "add", "default", "--scope", "full"]).key();
    let by_role = ROLES.map(|role| (role, server.operator(role)));
    let admin = &by_role[3].1;
    for operation in operations(true) {
        let (id, allowed) = (&operation.id, roles_of(&operation));
        assert_eq!(*operation.requirement("x-required-role"), json!(allowed), "{id}");
        let is_deletion = id == "deleteOwner";
        let things = Things::create(&server, admin, is_deletion).await;
        for api in [
            server.operator_anyone(),
            server.with_operator_key("terse_op_unknownunknownunknown1"),
            server.with_operator_key(&revoked),
            server.with_operator_key(&owners),
            server.with_operator_key(server.key()),
        ] {
            things.attempt(&operation).send(&api).await.problem(401, "unauthorized");
        }
        for (role, api) in &by_role {
            let things = Things::create(&server, admin, is_deletion).await;
            let response = things.attempt(&operation).send(api).await;
            if allowed.contains(role) {
                assert!(response.status < 300, "{id} with {role}: {response:#?}");
            } else {
                response.problem(403, "operator-role");
            }
        }
    }
}

#[tokio::test]
async fn undo_of_a_domain_needs_the_permission_for_domains_too() {
    let server = Server::with_operator();
    let admin = server.operator("admin");
    let others = ["auditor", "provisioner", "moderator"].map(|role| server.operator(role));
    let host = "go.example";
    let add = ["domain", "add", host, "--owner", "default", "--json"];
    let edit = ["domain", "edit", host, "--home", "https://example.com/", "--json"];
    let make_default = ["domain", "default", host, "--json"];
    let remove = ["domain", "remove", host, "--json"];
    server.terse(&["domain", "add", "first.example", "--owner", "default"]).done();
    let commands = [&add[..], &edit, &make_default, &remove];
    let done = commands.map(|command| server.terse(command).json());
    for done in done.iter().rev() {
        let undo = format!("{PREFIX}/events/{}/undo", done["event_id"]);
        let undo = |api: &Api| api.ask(Method::POST, &undo).send();
        for api in &others {
            undo(api).await.problem(403, "operator-role");
        }
        let undone = undo(&admin).await.expect(200).json();
        assert_eq!(
            (&undone["changed"], &undone["skipped"]),
            (&done["changed"], &json!([])),
            "{done}"
        );
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_come_before_keys() {
    let server = Server::with_operator();
    let anyone = server.operator_anyone();
    for path in ["/api/operator", "/api/operator/v1", "/api/operator/v1/", "/api/operator/v1/x"] {
        anyone.get(path).await.problem(404, "not-found");
    }
    for Operation { template, method, .. } in operations(true) {
        let path = template.replace("{code}", "abcdefg").replace("{id}", "7");
        let path = path.replace("{name}", "pro").replace("{host}", "go.example");
        anyone.ask(Method::PUT, &path).send().await.problem(405, "method-not-allowed");
        if method == Method::GET {
            anyone.head(&path).await.expect(401);
        }
    }
}
