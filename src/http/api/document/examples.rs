//! The examples of problems, and in whose name all examples speak.

use serde_json::{Value, json};

use super::Paths;
use crate::http::api::case::Case;
use crate::http::api::cursor::Cursor;
use crate::http::api::failure::Operation;
use crate::http::api::links::{GetStats, ListLinks};
use crate::http::api::qr_codes::{EnableQrCode, ListQrCodes};
use crate::http::api::shorten::Shorten;
use crate::http::problem::{CONTENT_TYPE, EXAMPLE_SERVICE};
use crate::values::BaseUrl;

/// What a parameter of that name is shown with. Those of a list fit together, and with the link that
/// all examples are about.
fn of_parameter(operation: &str, name: &str) -> Option<Value> {
    match (operation, name) {
        (_, "limit") => Some(json!(100)),
        (_, "cursor") => Some(json!(Cursor::EXAMPLE)),
        (_, "campaign") => Some(json!("spring")),
        (_, "active") => Some(json!(1)),
        (_, "code") => Some(json!("Vd7hK2m")),
        // A key is for one request.
        (Shorten::ID, "Idempotency-Key") => Some(json!("8e03978e-40d5-43dd-bc93-6894a57f9324")),
        (_, "Idempotency-Key") => Some(json!("1f0a3c52-7d5e-4c0b-9a4e-2b8f6d1c9e70")),
        _ => None,
    }
}

/// Shows what parameters look like.
pub(super) fn add_parameters(document: &mut Value) {
    each_operation(document, |_, operation| {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            if let Some(example) = of_parameter(&id, name) {
                parameter["example"] = example;
            }
        }
    });
}

/// Shows each problem that an operation can answer, by its code.
pub(super) fn add_problems(document: &mut Value) {
    let cases = [
        of::<Shorten>(),
        of::<ListLinks>(),
        of::<GetStats>(),
        of::<EnableQrCode>(),
        of::<ListQrCodes>(),
    ];
    let paths = Paths::of_api();
    each_operation(document, |path, operation| {
        let known = cases.iter().find(|(id, _)| operation["operationId"] == *id);
        let cases = known.into_iter().flat_map(|(_, cases)| *cases);
        for case in cases.chain([&Case::NO_METHOD]) {
            let answer = &mut operation["responses"][case.kind.status().as_str()];
            answer["content"][CONTENT_TYPE]["examples"][case.kind.slug()] = case.example();
            if let Some(allow) = answer["headers"].get_mut("Allow") {
                allow["schema"]["example"] = json!(paths.allowed(path));
            }
        }
    });
}

fn each_operation(document: &mut Value, mut look: impl FnMut(&str, &mut Value)) {
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            look(path, operation);
        }
    }
}

fn of<O: Operation>() -> (&'static str, &'static [Case]) {
    (O::ID, O::PROBLEMS)
}

/// Has the examples, which speak of a service at its default address, speak of this one.
pub(super) fn speak_of(base_url: &BaseUrl, document: &mut Value) {
    let is_example = |name: &str| matches!(name, "example" | "examples");
    match document {
        Value::Object(object) => {
            for (name, value) in object {
                if is_example(name) {
                    replace(base_url, value);
                } else {
                    speak_of(base_url, value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| speak_of(base_url, item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn replace(base_url: &BaseUrl, example: &mut Value) {
    match example {
        Value::String(text) => *text = text.replace(EXAMPLE_SERVICE, base_url.as_str()),
        Value::Object(object) => object.values_mut().for_each(|value| replace(base_url, value)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(base_url, item)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
