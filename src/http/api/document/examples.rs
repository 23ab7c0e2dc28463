//! The examples of problems, and in whose name all examples speak.

use serde_json::Value;

use crate::http::api::case::Case;
use crate::http::api::failure::Operation;
use crate::http::api::links::{GetStats, ListLinks};
use crate::http::api::qr_codes::{EnableQrCode, ListQrCodes};
use crate::http::api::shorten::Shorten;
use crate::http::problem::{CONTENT_TYPE, EXAMPLE_SERVICE};
use crate::values::BaseUrl;

/// Shows each problem that an operation can answer, by its code.
pub(super) fn add_problems(document: &mut Value) {
    let cases = [
        of::<Shorten>(),
        of::<ListLinks>(),
        of::<GetStats>(),
        of::<EnableQrCode>(),
        of::<ListQrCodes>(),
    ];
    let paths = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let methods = paths.filter_map(Value::as_object_mut).flat_map(|path| path.values_mut());
    for operation in methods {
        let known = cases.iter().find(|(id, _)| operation["operationId"] == *id);
        for case in known.into_iter().flat_map(|(_, cases)| *cases) {
            let content = &mut operation["responses"][case.kind.status().as_str()]["content"];
            content[CONTENT_TYPE]["examples"][case.kind.slug()] = case.example();
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
