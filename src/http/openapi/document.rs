//! The OpenAPI document of an interface. poem-openapi generates it from the annotated operations,
//! and this module corrects and extends it.

mod components;
mod simplify;

use serde_json::{Value, json};

use self::simplify::for_each_operation;
use super::interface::{Interface, Paths};
use super::responses;
use crate::http::problem::EXAMPLE_BASE_URL;
use crate::values::{BaseUrl, Contact};

/// Names and descriptions of parameters that mean the same in all interfaces.
const PARAMETERS: &[(&str, &str)] = &[
    ("code", "The link's short code, case-sensitive."),
    (
        "Idempotency-Key",
        "A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe: \
         repeating the request with the same key within 24 hours returns the original response and \
         changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are not \
         part of the key.",
    ),
    ("If-Match", "`ETag`s of the versions to which the request applies, or `*` for any."),
    (
        "reason",
        "The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or \
         `other`.",
    ),
    ("note", "A note for the history."),
    ("case", "The identifier of a case in your own system, for the history."),
];

/// Version of OpenAPI. Most client generators support this one.
const OPENAPI_VERSION: &str = "3.0.3";

impl Interface {
    /// Renders the document as indented JSON that ends with a line feed. It names the operator's
    /// contact, if there is one.
    #[must_use]
    pub fn document(&self, base_url: &BaseUrl, contact: Option<&Contact>) -> String {
        // This cannot fail, because poem-openapi always generates JSON.
        let generated = (self.generated.document)(self, base_url);
        let mut document: Value = serde_json::from_str(&generated).unwrap_or_default();
        document["openapi"] = json!(OPENAPI_VERSION);
        if let Some(contact) = contact {
            let kind = if contact.is_mail_address() { "email" } else { "url" };
            document["info"]["contact"][kind] = json!(contact.as_str());
        }
        if !self.is_for_operator {
            document["externalDocs"] = json!({
                "description": "Interactive documentation",
                "url": format!("{}/docs", base_url.as_str()),
            });
        }
        document["components"]["securitySchemes"]["ApiKeyAuth"]["description"] = self.keys.into();
        let paths = Paths::from_interface(self);
        for_each_operation(&mut document, |path, value| {
            let id = value["operationId"].as_str().unwrap_or_default();
            if let Some(operation) = paths.operation(id) {
                responses::complete(self, operation, path, value);
            }
            let parameters = value.get_mut("parameters").and_then(Value::as_array_mut);
            for parameter in parameters.into_iter().flatten() {
                self.describe(parameter);
                lift_example(parameter);
            }
        });
        simplify::simplify(&mut document);
        (self.extend)(&mut document);
        replace_base_url(base_url, &mut document, false);
        components::share(&paths, &mut document);
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Describes a parameter that its operation leaves without a description.
    fn describe(&self, parameter: &mut Value) {
        let known = self.parameters.iter().chain(PARAMETERS);
        let description =
            known.filter(|(name, _)| parameter["name"] == *name).map(|(_, text)| *text);
        if let (Some(text), Value::Object(members)) = (description.take(1).next(), parameter)
            && !members.contains_key("description")
        {
            // As poem-openapi writes it: after the name, the schema and the place.
            members.shift_insert(3, "description".to_owned(), text.into());
        }
    }
}

/// Moves the example of a parameter from its schema to the parameter, where tools look for it. Only
/// required parameters have one, because tools send examples and would change the result.
fn lift_example(parameter: &mut Value) {
    let schema = parameter["schema"].as_object_mut();
    if let Some(example) = schema.and_then(|schema| schema.shift_remove("example")) {
        parameter["example"] = example;
    }
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
