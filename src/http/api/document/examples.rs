//! The examples of the OpenAPI document.

use serde_json::{Value, json};

use crate::http::api::OPERATION_PROBLEMS;
use crate::http::api::paths::Paths;
use crate::http::api::problem_examples::ProblemExample;
use crate::http::cursor::Cursor;
use crate::http::problem::{EXAMPLE_BASE_URL, PROBLEM_JSON};
use crate::values::BaseUrl;

/// Adds all examples, for the service at `base_url`.
pub(super) fn add(base_url: &BaseUrl, document: &mut Value) {
    add_objects(document);
    add_problems(document);
    add_parameters(document);
    replace_base_url(base_url, document, false);
}

/// Adds an example of each object. That of a request has no custom code, so that it succeeds
/// repeatedly.
fn add_objects(document: &mut Value) {
    let (code, url) = ("Vd7hK2m", "https://example.org/spring?utm_source=mail");
    let (code_2, url_2) = ("wq3XbTn", "https://example.org/about");
    let short_url = format!("{EXAMPLE_BASE_URL}/{code}");
    let message = format!("QR code enabled: {short_url}/qr.svg and {short_url}/qr.png");
    let link = json!({
        "short_code": code, "destination_url": url, "campaign": "spring", "clicks": 42
    });
    let link_2 = json!({
        "short_code": code_2, "destination_url": url_2, "campaign": null, "clicks": 7
    });
    let mut stats = link.clone();
    stats["is_active"] = json!(1);
    let qr_link = json!({
        "short_code": code, "destination_url": url, "title": "Spring catalogue", "has_qr": 1
    });
    let qr_link_2 = json!({
        "short_code": code_2, "destination_url": url_2, "title": null, "has_qr": 1
    });
    let problem = ProblemExample::invalid("/url", "must start with http:// or https://").body();
    let examples = json!({
        "ShortenRequest": { "url": url, "title": "Spring catalogue", "campaign": "spring" },
        "ShortenResponse": { "short_code": code, "short_url": short_url, "destination_url": url },
        "Link": link,
        "LinkList": { "data": [link, link_2] },
        "LinkStats": stats,
        "StatsResponse": { "data": stats },
        "QrCodeRequest": { "short_code": code, "error_correction": "Q", "foreground": "#1d3557" },
        "QrCodeResponse": { "short_code": code, "has_qr": 1, "message": message },
        "QrCodeLink": qr_link,
        "QrCodeList": { "data": [qr_link, qr_link_2] },
        "Problem": problem,
    });
    for (name, example) in examples.as_object().into_iter().flatten() {
        document["components"]["schemas"][name]["example"] = example.clone();
    }
}

/// Returns the example of a parameter. Those of a list fit together.
fn parameter(operation: &str, name: &str) -> Option<Value> {
    match (operation, name) {
        (_, "limit") => Some(json!(100)),
        (_, "cursor") => Some(json!(Cursor::EXAMPLE)),
        (_, "campaign") => Some(json!("spring")),
        (_, "active") => Some(json!(1)),
        (_, "code") => Some(json!("Vd7hK2m")),
        // Each request needs a key of its own.
        ("shorten", "Idempotency-Key") => Some(json!("8e03978e-40d5-43dd-bc93-6894a57f9324")),
        (_, "Idempotency-Key") => Some(json!("1f0a3c52-7d5e-4c0b-9a4e-2b8f6d1c9e70")),
        _ => None,
    }
}

fn add_parameters(document: &mut Value) {
    for_each_operation(document, |_, operation| {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for one in parameters.into_iter().flatten() {
            let name = one["name"].as_str().unwrap_or_default();
            if let Some(example) = parameter(&id, name) {
                one["example"] = example;
            }
        }
    });
}

/// Adds an example of each problem that an operation returns, by its code.
fn add_problems(document: &mut Value) {
    let paths = Paths::from_api();
    for_each_operation(document, |path, operation| {
        let declared = OPERATION_PROBLEMS.iter().find(|(id, _)| operation["operationId"] == *id);
        let problems = declared.into_iter().flat_map(|(_, problems)| *problems);
        for problem in problems.chain([&ProblemExample::METHOD_NOT_ALLOWED]) {
            let problem_type = problem.problem_type;
            let response = &mut operation["responses"][problem_type.status.as_str()];
            response["content"][PROBLEM_JSON]["examples"][problem_type.slug] =
                json!({ "summary": problem_type.title, "value": problem.body() });
            if let Some(allow) = response["headers"].get_mut("Allow") {
                allow["schema"]["example"] = json!(paths.allowed(path));
            }
        }
    });
}

fn for_each_operation(document: &mut Value, mut change: impl FnMut(&str, &mut Value)) {
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            change(path, operation);
        }
    }
}

/// Replaces the base URL in all examples.
fn replace_base_url(base_url: &BaseUrl, value: &mut Value, is_example: bool) {
    match value {
        Value::String(text) if is_example => {
            *text = text.replace(EXAMPLE_BASE_URL, base_url.as_str());
        }
        Value::Object(object) => {
            for (name, value) in object {
                let is_example = is_example || matches!(name.as_str(), "example" | "examples");
                replace_base_url(base_url, value, is_example);
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| replace_base_url(base_url, item, is_example));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
