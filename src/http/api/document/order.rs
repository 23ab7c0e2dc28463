//! Mends what poem-openapi writes oddly.

use serde_json::{Map, Value, json};

use crate::domain::clicks::MOST_CLICKS;

/// Names of headers as people write them; poem-openapi has them in capitals.
const HEADERS: &[&str] = &[
    "Accept-Encoding",
    "Allow",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-Id",
];

/// What is so unless a document says otherwise.
const DEFAULTS: &[(&str, Value)] = &[
    ("deprecated", Value::Bool(false)),
    ("explode", Value::Bool(true)),
    ("required", Value::Bool(false)),
];

/// Mends, all the way down: names of headers in capitals, empty descriptions and such as are broken
/// into the lines of the source, whole limits as `1.0`, a format that is none, what goes without
/// saying, and references wrapped for the sake of a description.
pub(super) fn put_in_order(value: &mut Value) {
    match value {
        Value::Object(object) => {
            unwrap_reference(object);
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = paragraphs(text);
            }
            if object.get("description").is_some_and(|description| description == "") {
                object.remove("description");
            }
            if let Some(Value::Object(headers)) = object.get_mut("headers") {
                *headers = std::mem::take(headers).into_iter().map(well_known).collect();
            }
            for name in ["minimum", "maximum"] {
                if let Some(limit) = object.get_mut(name) {
                    whole(limit);
                }
            }
            if object.get("format").is_some_and(|format| format == "uint16") {
                object.insert("format".to_owned(), json!("int32"));
            }
            object.retain(|name, value| {
                !DEFAULTS.iter().any(|(default, usual)| default == name && usual == value)
            });
            object.values_mut().for_each(put_in_order);
        }
        Value::Array(items) => items.iter_mut().for_each(put_in_order),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `{"allOf": [{"$ref": …}, {"description": …}]}` as the reference alone: what it leads to has a
/// description, and some generators make a type of its own of the pair.
fn unwrap_reference(object: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = object.get("allOf") else { return };
    if let Some(reference) = parts.first().and_then(|first| first.get("$ref")) {
        *object = Map::from_iter([("$ref".to_owned(), reference.clone())]);
    }
}

/// One line a paragraph.
fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn well_known((name, header): (String, Value)) -> (String, Value) {
    let known = HEADERS.iter().find(|known| known.eq_ignore_ascii_case(&name));
    (known.map_or(name, |known| (*known).to_owned()), header)
}

/// A whole limit without a point. poem-openapi writes the most clicks as `9007199254740991.0`, which
/// serde_json reads as its neighbour, 9007199254740990: no limit is that one itself.
fn whole(limit: &mut Value) {
    if let Some(number) = limit.as_f64().filter(|number| number.fract() == 0.0) {
        #[expect(clippy::cast_possible_truncation, reason = "limits are whole and below 2⁵³")]
        let number = number as i64;
        *limit = json!(if number == MOST_CLICKS - 1 { MOST_CLICKS } else { number });
    }
}
