//! Adds the examples to the OpenAPI document.

use serde_json::{Value, json};

use super::order::for_each_operation;
use crate::http::api::OPERATION_PROBLEMS;
use crate::http::problem::{EXAMPLE_BASE_URL, PROBLEM_JSON};
use crate::values::BaseUrl;

/// Adds all examples. Their URLs begin with `base_url`.
pub(super) fn add(base_url: &BaseUrl, document: &mut Value) {
    add_objects(document);
    add_problems(document);
    add_parameters(document);
    replace_base_url(base_url, document, false);
}

/// Adds an example to each schema of an object. The example of `ShortenRequest` has no custom code,
/// so that a user can send it repeatedly.
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
    });
    for (name, example) in examples.as_object().into_iter().flatten() {
        document["components"]["schemas"][name]["example"] = example.clone();
    }
}

/// Adds an example to each required parameter. An optional parameter has only a value in its
/// description, because tools send examples and would change the result.
fn add_parameters(document: &mut Value) {
    for_each_operation(document, |operation| {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for code in parameters.into_iter().flatten().filter(|one| one["name"] == "code") {
            code["example"] = json!("Vd7hK2m");
        }
    });
}

/// Adds examples of the problems that each operation returns, named by their codes.
fn add_problems(document: &mut Value) {
    for_each_operation(document, |operation| {
        let declared = OPERATION_PROBLEMS.iter().find(|(id, _)| operation["operationId"] == *id);
        for problem in declared.into_iter().flat_map(|(_, problems)| *problems) {
            let problem_type = problem.problem_type;
            let response = &mut operation["responses"][problem_type.status.as_str()];
            response["content"][PROBLEM_JSON]["examples"][problem_type.slug] =
                json!({ "summary": problem_type.title, "value": problem.body() });
        }
    });
}

/// Replaces the default base URL by `base_url` in all examples.
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
