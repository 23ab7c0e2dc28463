//! Additions to the OpenAPI document that poem-openapi does not support: shared components and an
//! extensible enum.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::simplify::for_each_operation;
use crate::http::openapi::interface::Paths;
use crate::http::problem::PROBLEM_JSON;
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;

/// Headers that several responses share.
const SHARED_HEADERS: &[&str] =
    &["X-Request-Id", "Idempotent-Replayed", "RateLimit-Policy", "RateLimit", "ETag"];

/// Moves shared parameters, headers and responses to the components, and adds the list of problem
/// codes.
pub(super) fn share(paths: &Paths, document: &mut Value) {
    let mut components = std::mem::take(&mut document["components"]);
    let codes = ProblemType::ALL.iter().filter(|problem_type| paths.declare(problem_type));
    components["schemas"]["Problem"]["properties"]["code"]["x-extensible-enum"] =
        codes.map(|problem_type| problem_type.slug).collect();
    let mut required = Vec::new();
    for_each_operation(document, |_, operation| {
        let parameters = items(operation, "parameters");
        required.extend(parameters.filter(|one| one["required"] == true).map(|one| one.clone()));
    });
    for_each_operation(document, |_, operation| {
        let has_body = operation.get("requestBody").is_some();
        for parameter in items(operation, "parameters") {
            if required.iter().filter(|one| *one == parameter).count() != 1 {
                let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                refer(&mut components, "parameters", &name, parameter);
            }
        }
        for (status, response) in members(operation, "responses").into_iter().flatten() {
            for (name, header) in members(response, "headers").into_iter().flatten() {
                if SHARED_HEADERS.contains(&name.as_str()) {
                    refer(&mut components, "headers", name, header);
                }
            }
            if let Some(name) = shared_response(status, response, has_body) {
                refer(&mut components, "responses", &name, response);
            }
        }
    });
    share_repeated(document, &mut components);
    document["components"] = components;
}

/// Moves parameters and responses to the components that several operations still repeat, because the
/// component of that name is another one.
fn share_repeated(document: &mut Value, components: &mut Value) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut for_each_part = |look: &mut dyn FnMut(&'static str, String, &mut Value)| {
        for_each_operation(document, |_, operation| {
            for parameter in items(operation, "parameters") {
                let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                look("parameters", name, parameter);
            }
            for (status, response) in members(operation, "responses").into_iter().flatten() {
                let examples = response["content"][PROBLEM_JSON]["examples"].as_object();
                let codes = examples.into_iter().flat_map(Map::keys);
                let names: Vec<String> = codes.map(|code| pascal_case(code)).collect();
                let name = if names.is_empty() { status.clone() } else { names.join("Or") };
                look("responses", name, response);
            }
        });
    };
    for_each_part(&mut |_, _, part| *seen.entry(part.to_string()).or_default() += 1);
    for_each_part(&mut |kind, name, part| {
        if part.get("$ref").is_none() && seen.get(&part.to_string()).is_some_and(|count| *count > 1)
        {
            let mut names =
                std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}{number}")));
            let is_free = |name: &String| {
                let component = &components[kind][name];
                component.is_null() || component == part
            };
            if let Some(name) = names.find(is_free) {
                refer(components, kind, &name, part);
            }
        }
    });
}

/// Returns the component name of a response that several operations may share, or `None` if the
/// response differs between operations. The component has the name of the problem, or of the status if
/// there are several problems.
fn shared_response(status: &str, response: &Value, has_body: bool) -> Option<String> {
    let examples = response["content"][PROBLEM_JSON]["examples"].as_object()?;
    let unknown = &ProblemExample::UNKNOWN_PARAMETER.body()["detail"];
    let is_unknown = examples.values().all(|example| example["value"]["detail"] == *unknown);
    let malformed_key = &ProblemExample::MALFORMED_KEY.body()["detail"];
    let has_key = examples.values().any(|example| example["value"]["detail"] == *malformed_key);
    let mut codes = examples.keys();
    Some(match (status, codes.next()?.as_str(), codes.next()) {
        ("409" | "422", ..) => return None,
        ("400", ..) if has_key => "MalformedBodyOrKey".to_owned(),
        ("400", ..) if has_body => "MalformedBody".to_owned(),
        ("400", ..) if is_unknown => "UnknownParameter".to_owned(),
        ("400", ..) => "MalformedQuery".to_owned(),
        ("429", "rate-limited", _) => "RateLimited".to_owned(),
        ("503", ..) => "Unavailable".to_owned(),
        (_, code, None) => pascal_case(code),
        ("403", ..) => "Forbidden".to_owned(),
        ("415", ..) if response["headers"].get("Accept-Patch").is_some() => {
            "UnsupportedPatch".to_owned()
        }
        ("415", ..) => "UnsupportedMediaType".to_owned(),
        _ => return None,
    })
}

fn pascal_case(code: &str) -> String {
    code.split('-').flat_map(|word| [word[..1].to_uppercase(), word[1..].to_owned()]).collect()
}

/// Replaces `value` by a reference to the component `name`, and creates the component if it is
/// missing. Does nothing if the component exists and differs from `value`.
fn refer(components: &mut Value, kind: &str, name: &str, value: &mut Value) {
    let component = &mut components[kind][name];
    if component.is_null() {
        *component = value.clone();
    }
    if component == value {
        *value = json!({ "$ref": format!("#/components/{kind}/{name}") });
    }
}

fn items<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

fn members<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    value.get_mut(name).and_then(Value::as_object_mut)
}
