//! Rules of the published document for responses under `/api`.

mod schemas;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use self::schemas::{Schemas, escape};

/// Header fields of HTTP itself, or for browsers alone; all others must be declared.
const OF_HTTP: [&str; 7] = [
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
    "x-content-type-options",
];

/// JSON pointer of the responses that belong to no operation.
const ELSEWHERE: &str = "x-elsewhere";

/// The published documents, each after the beginning of its paths. Paths of no other document belong
/// to the last one.
const PUBLISHED: [(&str, &str); 3] = [
    ("/api/operator/v1/", include_str!("../../../openapi/operator.json")),
    ("/api/manage/v1/", include_str!("../../../openapi/manage.json")),
    ("/", include_str!("../../../openapi/openapi.json")),
];

/// A published document, and its schemas.
pub(crate) struct Contract {
    pub(crate) prefix: &'static str,
    /// The document.
    pub(crate) published: Value,
    /// The document with its references to parameters, headers and responses resolved.
    pub(crate) document: Value,
    schemas: Schemas,
}

/// Returns the published documents.
pub(crate) fn contracts() -> &'static [Contract] {
    static CONTRACTS: OnceLock<Vec<Contract>> = OnceLock::new();
    CONTRACTS.get_or_init(|| {
        let contract = |(prefix, text): (&'static str, &str)| {
            let published: Value = serde_json::from_str(text).expect("the document is JSON");
            let mut document = published.clone();
            dereference(&published, &mut document["paths"]);
            let mut with_elsewhere = document.clone();
            with_elsewhere[ELSEWHERE] = elsewhere();
            Contract { prefix, published, document, schemas: Schemas::compile(with_elsewhere) }
        };
        PUBLISHED.into_iter().map(contract).collect()
    })
}

/// Returns the contract of a path.
fn contract_of(path: &str) -> &'static Contract {
    let contract = contracts().iter().find(|contract| path.starts_with(contract.prefix));
    contract.expect("every path belongs to a document")
}

/// Returns the published document of the five operations.
pub(crate) fn published() -> &'static Value {
    &contract_of("/api/v1/").published
}

/// Returns the published document of the five operations with its references to parameters, headers
/// and responses resolved.
pub(crate) fn document() -> &'static Value {
    &contract_of("/api/v1/").document
}

/// Replaces references by components, except for schemas.
fn dereference(published: &Value, value: &mut Value) {
    let target =
        value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    if let Some(target) = target.filter(|target| !target.starts_with("/components/schemas/")) {
        *value = published.pointer(target).expect("the target of a reference").clone();
    }
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(|member| dereference(published, member));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| dereference(published, item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The parts of a response that the document describes.
pub(super) struct Given<'a> {
    /// The method of the request.
    pub(super) method: &'a str,
    /// The path of the request.
    pub(super) path: &'a str,
    /// The status code.
    pub(super) status: u16,
    /// All header fields.
    pub(super) headers: &'a HeaderMap,
    /// The whole body.
    pub(super) body: &'a [u8],
}

impl Contract {
    /// Returns whether the document is that of the operator's listener.
    pub(crate) fn is_for_operator(&self) -> bool {
        self.prefix == "/api/operator/v1/"
    }
}

impl Given<'_> {
    fn schemas(&self) -> &'static Schemas {
        &contract_of(self.path).schemas
    }

    /// Returns the violations of the document.
    pub(super) fn faults(&self) -> Vec<String> {
        let Some((pointer, response)) = self.declared() else {
            let Self { method, path, status, .. } = self;
            return vec![format!("{method} {path} declares no {status}")];
        };
        let mut faults = self.violations_of_headers(&pointer, response);
        faults.extend(self.violations_of_body(&pointer, response));
        faults
    }

    /// Returns the declaration of responses with this status, and its JSON pointer.
    fn declared(&self) -> Option<(String, &'static Value)> {
        let schemas = self.schemas();
        let responses = match path_item(self.path) {
            None => format!("/{ELSEWHERE}/path"),
            Some((template, item)) => {
                // HEAD returns the same as GET without the body (RFC 9110, section 9.3.2).
                let method = if self.method == "HEAD" { "get" } else { self.method };
                let method = method.to_ascii_lowercase();
                let method = item.as_object()?.keys().find(|key| **key == method);
                match method {
                    Some(method) => format!("/paths/{}/{method}/responses", escape(template)),
                    None => format!("/{ELSEWHERE}/method"),
                }
            }
        };
        let pointer = format!("{responses}/{}", self.status);
        schemas.document().pointer(&pointer).map(|response| (pointer, response))
    }

    fn violations_of_headers(&self, pointer: &str, response: &Value) -> Vec<String> {
        let declared = response["headers"].as_object().expect("responses have headers");
        let mut faults = Vec::new();
        for (name, header) in declared {
            if header["required"] == true && !self.headers.contains_key(name) {
                faults.push(format!("the header {name} is missing"));
            }
            let schema = format!("{pointer}/headers/{}/schema", escape(name));
            for value in self.headers.get_all(name) {
                let value = typed(value.as_bytes(), &header["schema"]);
                let fault = self.schemas().fault(&schema, &value);
                faults.extend(fault.map(|fault| format!("the header {name}: {fault}")));
            }
        }
        for name in self.headers.keys().map(reqwest::header::HeaderName::as_str) {
            let is_declared = declared.keys().any(|known| known.eq_ignore_ascii_case(name));
            if !is_declared && !OF_HTTP.contains(&name) {
                faults.push(format!("the header {name} is not declared"));
            }
        }
        if self.status == 405 {
            let allowed = self.headers.get("allow").and_then(|value| value.to_str().ok());
            faults.extend(violation_of_allow(self.path, allowed.unwrap_or_default()));
        }
        faults
    }

    fn violations_of_body(&self, pointer: &str, response: &Value) -> Vec<String> {
        let Some(content) = response["content"].as_object() else {
            let has_body = !self.body.is_empty() || self.headers.contains_key("content-type");
            return has_body.then(|| "a response has a body".to_owned()).into_iter().collect();
        };
        let media_type = self.headers.get("content-type").and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or("none").split(';').next().unwrap_or_default().trim();
        let Some(media) = content.get(media_type) else {
            return vec![format!("the content type {media_type} is not declared")];
        };
        if self.method == "HEAD" {
            let has_body = !self.body.is_empty();
            return has_body.then(|| "a HEAD has a body".to_owned()).into_iter().collect();
        }
        let body: Value = match serde_json::from_slice(self.body) {
            Ok(body) => body,
            Err(error) => return vec![format!("the body is not JSON: {error}")],
        };
        let schema = format!("{pointer}/content/{}/schema", escape(media_type));
        let mut faults: Vec<String> = self.schemas().fault(&schema, &body).into_iter().collect();
        if let Some(examples) = media["examples"].as_object() {
            let code = body["code"].as_str().unwrap_or_default();
            if !examples.contains_key(code) {
                faults.push(format!("the code {code:?} is not declared"));
            }
        }
        faults
    }
}

/// Returns a violation unless `Allow` lists the methods of the path, and HEAD with GET.
fn violation_of_allow(path: &str, allowed: &str) -> Option<String> {
    let (_, item) = path_item(path)?;
    let mut methods: BTreeSet<String> = item.as_object()?.keys().cloned().collect();
    if methods.contains("get") {
        methods.insert("head".to_owned());
    }
    let named: BTreeSet<_> = allowed.split(',').map(|name| name.trim().to_lowercase()).collect();
    (named != methods).then(|| format!("Allow is {allowed:?}, and the methods are {methods:?}"))
}

/// Returns the matching path of the document, and its operations.
fn path_item(path: &str) -> Option<(&'static str, &'static Value)> {
    let paths = contract_of(path).document["paths"].as_object().expect("there are paths");
    let matching = paths.iter().filter(|(template, _)| matches_template(path, template));
    // A fixed segment precedes a parameter, because letters precede braces.
    let found = matching.min_by_key(|(template, _)| template.as_str());
    found.map(|(template, item)| (template.as_str(), item))
}

fn matches_template(path: &str, template: &str) -> bool {
    let (segments, template_segments) = (path.split('/'), template.split('/'));
    segments.clone().count() == template_segments.clone().count()
        && segments.zip(template_segments).all(|(segment, expected)| {
            segment == expected || (expected.starts_with('{') && !segment.is_empty())
        })
}

/// Converts a header's value to the type of its schema.
fn typed(value: &[u8], schema: &Value) -> Value {
    let text = String::from_utf8_lossy(value).into_owned();
    match text.parse::<i64>() {
        Ok(number) if schema["type"] == "integer" => number.into(),
        Ok(_) | Err(_) => text.into(),
    }
}

/// Responses to unknown paths and methods, which OpenAPI cannot describe.
fn elsewhere() -> Value {
    let id =
        json!({ "required": true, "schema": { "type": "string", "pattern": "^[0-9a-f]{16}$" } });
    let problem = |code: &str, headers: Value| {
        json!({
            "headers": headers,
            "content": { "application/problem+json": {
                "schema": { "$ref": "#/components/schemas/Problem" },
                "examples": { code: {} },
            } },
        })
    };
    let allow = json!({
        "required": true,
        "schema": { "type": "string", "pattern": "^[A-Z]+(, [A-Z]+)*$" },
    });
    json!({
        "path": { "404": problem("not-found", json!({ "X-Request-Id": id })) },
        "method": {
            "405": problem("method-not-allowed", json!({ "X-Request-Id": id, "Allow": allow })),
        },
    })
}
