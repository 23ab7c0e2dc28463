//! Every answer of an operation is what the published document says of it.

use std::sync::OnceLock;

use serde_json::Value;

use super::database::bare_command;

/// The document, as the program under test prints it.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let output = bare_command().arg("openapi").output();
        let output = output.expect("terse can be run");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("terse openapi prints JSON")
    })
}

/// Panics unless the operation that was asked, if it is one, declares this answer.
#[track_caller]
pub(super) fn check(method: &str, path: &str, status: u16, body: &Value) {
    let Some(operation) = operation(method, path) else {
        return;
    };
    let answer = resolve(&operation["responses"][status.to_string()]);
    assert!(answer.is_object(), "{method} {path} declares no {status}");
    let content = answer["content"].as_object().expect("answers have content");
    for media in content.values() {
        if let Err(fault) = conforms(body, &media["schema"]) {
            panic!("{method} {path} {status} is not as documented: {fault}: {body:#}");
        }
    }
}

fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let paths = document()["paths"].as_object().expect("there are paths");
    let (_, item) = paths.iter().find(|(template, _)| fits(path, template))?;
    item.get(method.to_ascii_lowercase())
}

fn fits(path: &str, template: &str) -> bool {
    let mut segments = path.split('/');
    let mut places = template.split('/');
    loop {
        match (segments.next(), places.next()) {
            (None, None) => return true,
            (Some(segment), Some(place)) => {
                let is_open = place.starts_with('{') && !segment.is_empty();
                if !is_open && segment != place {
                    return false;
                }
            }
            (Some(_), None) | (None, Some(_)) => return false,
        }
    }
}

fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => document()
            .pointer(reference.trim_start_matches('#'))
            .expect("a reference leads somewhere"),
        None => value,
    }
}

/// The part of OpenAPI 3.0's schemas that such a document uses.
fn conforms(value: &Value, schema: &'static Value) -> Result<(), String> {
    let schema = resolve(schema);
    if value.is_null() && schema["nullable"] == true {
        return Ok(());
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        conforms(value, part)?;
    }
    if !has_type(value, &schema["type"]) {
        return Err(format!("{value} is not of the type {}", schema["type"]));
    }
    let allowed = schema["enum"].as_array();
    if allowed.is_some_and(|allowed| !allowed.contains(value)) {
        return Err(format!("{value} is none of {}", schema["enum"]));
    }
    has_size(value, schema)?;
    for item in value.as_array().into_iter().flatten() {
        conforms(item, &schema["items"])?;
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("required holds names");
        value.get(name).ok_or(format!("{name} is missing"))?;
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        if let Some(schema) = schema["properties"].get(name) {
            conforms(member, schema).map_err(|fault| format!("{name}: {fault}"))?;
        } else if schema["type"] == "object" {
            return Err(format!("{name} is not documented"));
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some(_) | None => true,
    }
}

fn has_size(value: &Value, schema: &Value) -> Result<(), String> {
    let length = value
        .as_str()
        .map(|text| text.chars().count() as f64)
        .or_else(|| value.as_array().map(|items| items.len() as f64));
    let bounds = [
        (value.as_f64(), "minimum", "maximum"),
        (length, "minLength", "maxLength"),
        (length, "minItems", "maxItems"),
    ];
    for (size, least, most) in bounds {
        let Some(size) = size else { continue };
        if schema[least].as_f64().is_some_and(|least| size < least)
            || schema[most].as_f64().is_some_and(|most| size > most)
        {
            return Err(format!("{value} is outside {least} and {most}"));
        }
    }
    Ok(())
}
