//! The OpenAPI document of an interface. poem-openapi generates it from the annotated operations,
//! and this module corrects and extends it.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use strum::VariantArray as _;

use super::field::{EXTENSIBLE, NOTHING};
use super::interface::{Interface, Paths};
use super::page::ListPage;
use super::responses;
use super::{idempotency, if_match};
use crate::domain::clicks::MAX_CLICKS;
use crate::http::problem::{EXAMPLE_BASE_URL, PROBLEM_JSON};
use crate::http::problem_type::ProblemType;
use crate::values::{BaseUrl, Contact, OperatorRole, Permission};

/// Names and descriptions of parameters that mean the same in all interfaces.
const PARAMETERS: &[(&str, &str)] = &[
    ("code", "The link's short code, case-sensitive."),
    ("limit", "Maximum number of items, from `1` to `1000`. Without it, 100."),
    (
        "cursor",
        "Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: `next_cursor` \
         of the previous page, valid only with the same conditions.",
    ),
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
    ("case_id", "The identifier of a case in your own system, for the history."),
];

/// Version of OpenAPI. Most client generators support this one.
const OPENAPI_VERSION: &str = "3.0.3";
/// Properties with the value that OpenAPI assumes by default. The document omits them.
const DEFAULTS: &[(&str, Value)] = &[
    ("deprecated", Value::Bool(false)),
    ("explode", Value::Bool(true)),
    ("required", Value::Bool(false)),
];
/// Headers that several responses share.
const SHARED_HEADERS: &[&str] =
    &["X-Request-Id", "Idempotent-Replayed", "RateLimit-Policy", "RateLimit", "ETag", "Event-Id"];

impl Interface {
    /// Renders the document as indented JSON that ends with a line feed. It names the operator's
    /// contact, if there is one.
    pub fn document(&self, base_url: &BaseUrl, contact: Option<&Contact>) -> String {
        // This cannot fail, because poem-openapi always generates JSON.
        let generated = (self.operations.document)(self, base_url);
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
        let (key, prefix) =
            if self.is_for_operator { ("operator", "terse_op_") } else { ("API", "terse_") };
        let schemes = &mut document["components"]["securitySchemes"];
        schemes["ApiKeyAuth"]["description"] = self.keys.into();
        schemes["BearerAuth"]["description"] = format!(
            "The same {key} key as a bearer token (RFC 6750): `Authorization: Bearer {prefix}…`."
        )
        .into();
        let paths = Paths::from_interface(self);
        let mut tags = Vec::new();
        for_each_operation(&mut document, |path, value| {
            tags.push(value["tags"][0].clone());
            let id = value["operationId"].as_str().unwrap_or_default();
            if let Some(operation) = paths.operation(id) {
                responses::complete(self, operation, path, value);
                require(operation.operation.permission, value);
            }
            for parameter in items(value, "parameters") {
                self.describe(parameter);
                lift_example(parameter);
                if self.is_strict && parameter["name"] == "limit" {
                    parameter["schema"]["default"] = ListPage::DEFAULT_LIMIT.into();
                }
            }
        });
        // poem-openapi sorts the tags by name.
        if let Some(all) = document["tags"].as_array_mut() {
            all.sort_by_key(|tag| tags.iter().position(|used| *used == tag["name"]));
        }
        simplify(&mut document);
        (self.extend)(&mut document);
        replace_base_url(base_url, &mut document, false);
        share_components(&paths, &mut document, self.is_strict);
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

/// Says which keys an operation accepts: the smallest scope, or the roles of operator keys.
fn require(permission: Permission, operation: &mut Value) {
    if let Permission::Operator(permission) = permission {
        let roles = OperatorRole::VARIANTS.iter().filter(|role| role.allows(permission));
        operation["x-required-role"] = roles.map(|role| role.into_str()).collect();
    } else {
        operation["x-required-scope"] = permission.required_scope().into();
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

/// Calls `change` with each operation of the document and its path.
fn for_each_operation(document: &mut Value, mut change: impl FnMut(&str, &mut Value)) {
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for operation in item.as_object_mut().into_iter().flat_map(|item| item.values_mut()) {
            change(path, operation);
        }
    }
}

/// Simplifies a value and, recursively, all values in it: replaces wrapped references, joins the
/// lines of descriptions, writes limits as integers and in full, adds null to nullable enumerations, marks
/// those to which later versions may add, forbids further properties where nothing matches them, and removes
/// empty descriptions and defaults.
pub(in crate::http) fn simplify(value: &mut Value) {
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
            if object.get("title").is_some_and(|title| title == EXTENSIBLE) {
                object.shift_remove("title");
                let words = object.shift_remove("enum").unwrap_or_default();
                object.insert("x-extensible-enum".to_owned(), words);
            }
            if object.get("nullable").is_some_and(|nullable| nullable == true)
                && let Some(Value::Array(values)) = object.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                // OpenAPI 3.0.3: an enumeration without null excludes it.
                values.push(Value::Null);
            }
            if object.contains_key("maxItems") && !object.contains_key("minItems") {
                object.insert("minItems".to_owned(), 0.into());
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

/// Replaces `{"allOf": [{"$ref": …}, {"description": …}]}` by the reference alone, unless it may be null. The
/// referenced schema has a description of its own, and some client generators would create an extra type.
fn unwrap_reference(object: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = object.get("allOf") else { return };
    let Some(reference) = parts.first().and_then(|first| first.get("$ref")) else { return };
    let reference = Map::from_iter([("$ref".to_owned(), reference.clone())]);
    let member = |name: &str| {
        let part = parts.iter().find_map(|part| part.get(name));
        object.get(name).or(part).cloned()
    };
    *object = match (member("nullable"), member("description")) {
        (Some(Value::Bool(true)), description) => Map::from_iter([
            ("type".to_owned(), "object".into()),
            ("description".to_owned(), description.unwrap_or_default()),
            ("nullable".to_owned(), true.into()),
            ("allOf".to_owned(), json!([reference])),
        ]),
        _ => reference,
    };
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

/// Moves shared parameters, headers and responses to the components, and adds the list of problem
/// codes.
fn share_components(paths: &Paths, document: &mut Value, is_strict: bool) {
    let mut components = std::mem::take(&mut document["components"]);
    let codes = ProblemType::ALL.iter().filter(|problem_type| paths.declare(problem_type));
    components["schemas"]["Problem"]["properties"]["code"]["x-extensible-enum"] =
        codes.map(|problem_type| problem_type.slug).collect();
    let mut required = Vec::new();
    for_each_operation(document, |_, operation| {
        let parameters = items(operation, "parameters");
        required.extend(parameters.filter(|one| one["required"] == true).map(|one| one.clone()));
    });
    for_each_operation(document, |path, operation| {
        let has_body = operation.get("requestBody").is_some();
        for parameter in items(operation, "parameters") {
            if required.iter().filter(|one| *one == parameter).count() != 1 {
                let name = parameter_name(path, parameter);
                refer(&mut components, "parameters", &name, parameter);
            }
        }
        for (status, response) in members(operation, "responses").into_iter().flatten() {
            for (name, header) in members(response, "headers").into_iter().flatten() {
                if SHARED_HEADERS.contains(&name.as_str()) {
                    refer(&mut components, "headers", name, header);
                } else if status == "202" {
                    refer(&mut components, "headers", &format!("Event{name}"), header);
                }
            }
            if let Some(name) = shared_response(status, response, has_body, is_strict) {
                refer(&mut components, "responses", &name, response);
            }
        }
    });
    let mut seen: HashMap<String, usize> = HashMap::new();
    for_each_response(document, |response| *seen.entry(response.to_string()).or_default() += 1);
    for_each_response(document, |response| {
        if let Some(name) = repeated_response(response)
            && seen.get(&response.to_string()).is_some_and(|count| *count > 1)
        {
            refer(&mut components, "responses", &name, response);
        }
    });
    let mut seen: HashMap<String, usize> = HashMap::new();
    for_each_header(document, |_, header| *seen.entry(header.to_string()).or_default() += 1);
    for_each_header(document, |name, header| {
        if header.get("$ref").is_none() && seen[&header.to_string()] > 1 {
            refer(&mut components, "headers", name, header);
        }
    });
    document["components"] = components;
}

/// Returns the component name of a parameter: its name, and for a part of a path also that of the
/// collection, as in `OwnerId`.
fn parameter_name(path: &str, parameter: &Value) -> String {
    let name = parameter["name"].as_str().unwrap_or_default();
    let collection = path.split_once(&format!("s/{{{name}}}")).map(|(before, _)| before);
    let collection = collection.and_then(|before| before.rsplit('/').next());
    collection.map_or_else(|| name.to_owned(), |thing| pascal_case(&format!("{thing}-{name}")))
}

fn for_each_response(document: &mut Value, mut look: impl FnMut(&mut Value)) {
    for_each_operation(document, |_, operation| {
        members(operation, "responses").into_iter().flat_map(Map::values_mut).for_each(&mut look);
    });
}

fn for_each_header(document: &mut Value, mut look: impl FnMut(&str, &mut Value)) {
    for_each_response(document, |response| {
        for (name, header) in members(response, "headers").into_iter().flatten() {
            look(name, header);
        }
    });
}

/// Returns the component name of a response that several operations have because they return the same
/// problems: these, one after another.
fn repeated_response(response: &Value) -> Option<String> {
    let examples = response["content"][PROBLEM_JSON]["examples"].as_object()?;
    let name = |(code, example): (&String, &Value)| {
        let pointer = example["value"]["errors"][0]["pointer"].as_str();
        pascal_case(&pointer.map_or_else(|| code.clone(), |pointer| format!("invalid{pointer}")))
    };
    Some(examples.iter().map(name).collect())
}

/// Returns the component name of a response that several operations may share, or `None` if the
/// response differs between operations. The component has the name of the problem, or of the status if
/// there are several problems.
fn shared_response(
    status: &str,
    response: &Value,
    has_body: bool,
    is_strict: bool,
) -> Option<String> {
    let examples = response["content"][PROBLEM_JSON]["examples"].as_object()?;
    let mut errors = examples.values().map(|example| &example["value"]["errors"][0]);
    let is_unknown = errors.clone().all(|error| error["code"] == "unknown");
    let has_key = errors.clone().any(|error| error["parameter"] == idempotency::HEADER);
    let has_if_match = errors.clone().any(|error| error["parameter"] == if_match::HEADER);
    let parameter = errors.next()?["parameter"].as_str();
    let parameter = parameter.filter(|name| *name != "limit");
    let mut codes = examples.keys();
    Some(match (status, codes.next()?.as_str(), codes.next()) {
        ("409" | "422", ..) => return None,
        ("400", ..) if has_key && is_strict => "MalformedBodyWithKey".to_owned(),
        ("400", ..) if has_key => "MalformedBodyOrKey".to_owned(),
        ("400", ..) if has_body && has_if_match => "MalformedPatch".to_owned(),
        ("400", ..) if has_body => "MalformedBody".to_owned(),
        ("400", ..) if is_unknown => "UnknownParameter".to_owned(),
        ("400", ..) => format!("Malformed{}", pascal_case(parameter.unwrap_or("query"))),
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
    let words = code.split(['-', '_', '/']).filter(|word| !word.is_empty());
    words.flat_map(|word| [word[..1].to_uppercase(), word[1..].to_owned()]).collect()
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
