//! Corrections of the OpenAPI document that poem-openapi generates.

use serde_json::{Map, Value, json};

use crate::domain::clicks::MAX_CLICKS;
use crate::http::openapi::field::NOTHING;

/// Properties with the value that OpenAPI assumes by default. The document omits them.
const DEFAULTS: &[(&str, Value)] = &[
    ("deprecated", Value::Bool(false)),
    ("explode", Value::Bool(true)),
    ("required", Value::Bool(false)),
];

/// Calls `change` with each operation of the document and its path.
pub(super) fn for_each_operation(document: &mut Value, mut change: impl FnMut(&str, &mut Value)) {
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for operation in item.as_object_mut().into_iter().flat_map(|item| item.values_mut()) {
            change(path, operation);
        }
    }
}

/// Simplifies a value and, recursively, all values in it: replaces wrapped references, joins the
/// lines of descriptions, writes limits as integers, adds null to nullable enumerations, forbids further
/// properties where nothing matches them, and removes empty descriptions and defaults.
pub(super) fn simplify(value: &mut Value) {
    match value {
        Value::Object(object) => {
            unwrap_reference(object);
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = paragraphs(text);
            }
            if object.get("description").is_some_and(|description| description == "") {
                object.remove("description");
            }
            if let Some(others) = object.get_mut("additionalProperties")
                && others["title"] == NOTHING
            {
                *others = false.into();
            }
            if object.get("nullable").is_some_and(|nullable| nullable == true)
                && let Some(Value::Array(values)) = object.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                // OpenAPI 3.0.3: an enumeration without null excludes it.
                values.push(Value::Null);
            }
            for name in ["minimum", "maximum"] {
                if let Some(limit) = object.get_mut(name) {
                    limit_to_integer(limit);
                }
            }
            object.retain(|name, value| {
                !DEFAULTS.iter().any(|(default, usual)| default == name && usual == value)
            });
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces `{"allOf": [{"$ref": …}, {"description": …}]}` by the reference alone. The referenced
/// schema has a description of its own, and some client generators would create an extra type.
fn unwrap_reference(object: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = object.get("allOf") else { return };
    if let Some(reference) = parts.first().and_then(|first| first.get("$ref")) {
        *object = Map::from_iter([("$ref".to_owned(), reference.clone())]);
    }
}

/// Joins the lines of each paragraph into one line.
fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Replaces a limit such as `64.0` by the integer `64`. serde_json reads the maximum number of
/// clicks, `9007199254740991.0`, as 9007199254740990. No limit has that value, so this function
/// corrects it.
fn limit_to_integer(limit: &mut Value) {
    if let Some(number) = limit.as_f64().filter(|number| number.fract() == 0.0) {
        #[expect(clippy::cast_possible_truncation, reason = "limits are whole and below 2⁵³")]
        let number = number as i64;
        *limit = json!(if number == MAX_CLICKS - 1 { MAX_CLICKS } else { number });
    }
}
