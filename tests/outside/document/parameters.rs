//! Query parameters: those that an operation does not have, and values beyond the declared limits. A
//! typing error in a condition must not find everything.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Contract, Database, Response, Server, contracts};

/// Detail of the example in the documents.
pub(super) const UNKNOWN_PARAMETER: &str = "The parameter hosts is unknown.";

/// An operation of a document, and the body of a request if it has one.
pub(super) struct Operation<'a> {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    pub(super) declared: &'a Value,
}

impl<'a> Operation<'a> {
    pub(super) fn all(contract: &'a Contract) -> Vec<Self> {
        let paths = contract.document["paths"].as_object().unwrap();
        let of_path = |(path, item): (&String, &'a Value)| {
            let path = path.replace("{code}", "abcdefg").replace("{name}", "free");
            let path = path.replace("{id}", "1").replace("{host}", "example.org");
            let path = path.replace("{external_id}", "product-4711");
            let operation = move |(method, declared): (&String, &'a Value)| Self {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                body: declared["requestBody"].is_object().then(|| json!({})),
                declared,
            };
            item.as_object().unwrap().iter().map(operation).collect::<Vec<_>>()
        };
        paths.iter().flat_map(of_path).collect()
    }

    pub(super) async fn send(&self, api: &Api, query: &str) -> Response {
        let ask = api.ask(self.method.clone(), &format!("{}?{query}", self.path));
        match &self.body {
            Some(body) => ask.json(body).send().await,
            None => ask.send().await,
        }
    }
}

#[tokio::test]
async fn parameters_are_refused_and_named() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with_operator_on(&database);
    let (owner, admin) = (server.api(), server.operator("admin"));
    let key = server.key().to_owned();
    let mut seen = 0;
    for contract in contracts() {
        let api = if contract.is_for_operator() { &admin } else { &owner };
        for operation in Operation::all(contract) {
            let id = &operation.declared["operationId"];
            if contract.prefix == "/" {
                let response = operation.send(api, "hosts=foo").await;
                assert_ne!(response.status, 400, "{id}: {response:?}");
                continue;
            }
            seen += 1;
            for query in ["hosts=foo", "&hosts", "h%6Fsts=1&hosts=2"] {
                let response = operation.send(api, query).await.problem(400, "malformed-request");
                assert_eq!(response.json()["detail"], UNKNOWN_PARAMETER, "{id} {query}");
                let error = &response.json()["errors"][0];
                assert_eq!(
                    (&error["parameter"], &error["code"]),
                    (&json!("hosts"), &json!("unknown"))
                );
            }
            let response = operation.send(api, &key).await.problem(400, "malformed-request");
            assert_eq!(response.json()["detail"], "The parameter terse_… is unknown.", "{id}");
            let examples = &operation.declared["responses"]["400"]["content"];
            assert!(examples.to_string().contains(UNKNOWN_PARAMETER), "{id}");
            if operation.body.is_some() {
                let ask = api.ask(operation.method.clone(), &format!("{}?x", operation.path));
                let response = ask.body("text/plain", "{}".to_owned()).send().await;
                response.problem(415, "unsupported-media-type");
            }
        }
    }
    assert!(seen > 12, "{seen} operations");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test]
async fn required_parameters_are_declared_and_named() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with_operator_on(&database);
    let admin = server.operator("admin");
    let contract = contracts().iter().find(|contract| contract.is_for_operator()).unwrap();
    let mut seen = Vec::new();
    for operation in Operation::all(contract) {
        for parameter in operation.declared["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "query" && parameter["required"] == true {
                let response = operation.send(&admin, "").await.problem(400, "malformed-request");
                let name = text(&parameter["name"]);
                let detail = format!("The parameter {name} is required.");
                assert_eq!(response.json()["detail"], detail);
                seen.push(name);
            }
        }
    }
    assert_eq!(seen, ["pattern", "url"]);
}

/// A path that no operation has returns the path of the right document.
#[tokio::test]
async fn unknown_paths_name_the_document_of_their_interface() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with_operator_on(&database);
    for (path, document) in [
        ("/api/v1/x", "/openapi.json lists"),
        ("/api/manage/v1/x", "/api/manage/v1/openapi.json lists"),
        ("/api/v2/links", "/openapi.json and /api/manage/v1/openapi.json list"),
    ] {
        let response = server.anyone().get(path).await.problem(404, "not-found");
        let detail = format!("No operation has this path; {document} them all.");
        assert_eq!(response.json()["detail"], detail, "{path}");
    }
    let response = server.operator_anyone().get("/api/operator/v1/x").await;
    let detail = response.problem(404, "not-found").json()["detail"].to_string();
    assert!(detail.contains("/api/operator/v1/openapi.json lists"), "{detail}");
}
