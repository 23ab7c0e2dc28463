//! Values beyond the limits that the documents declare, in bodies, queries and headers: the status, the
//! code of the error and its place follow from the schema.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::parameters::Operation;
use crate::harness::{Api, Database, Response, Server, contracts};

/// Codes that a faulty value may have.
type Codes = &'static [&'static str];

/// Texts of these members are looked up and never malformed: a short code, which nothing has, is unknown.
const LOOKED_UP: &[&str] = &["/short_code"];

/// Returns what a reference leads to.
fn schema_of<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    match reference {
        Some(path) => document.pointer(&path[1..]).unwrap(),
        None => schema,
    }
}

/// Returns the lengths of a text that its schema forbids, each as a text.
fn texts_beyond(schema: &Value) -> Vec<(String, Codes)> {
    let text = |length: u64| "a".repeat(usize::try_from(length).unwrap());
    let least = schema["minLength"].as_u64().unwrap_or(0);
    let longer = schema["maxLength"].as_u64().map(|most| (text(most + 1), &["too-long"][..]));
    let empty = (least > 0).then(|| (String::new(), &["out-of-range"][..]));
    // A text that is only a little short may have another form, too.
    let shorter =
        (least > 1).then(|| (text(least - 1), &["out-of-range", "malformed", "not-allowed"][..]));
    let other =
        schema["enum"].is_array().then(|| ("no-such-word".to_owned(), &["not-allowed"][..]));
    [longer, empty, shorter, other].into_iter().flatten().collect()
}

fn numbers_beyond(schema: &Value) -> Vec<(i64, Codes)> {
    let less = schema["minimum"].as_i64().map(|least| (least - 1, &["out-of-range"][..]));
    let more = schema["maximum"].as_i64().map(|most| (most + 1, &["out-of-range"][..]));
    [less, more].into_iter().flatten().collect()
}

/// Returns values that the schema of a member forbids.
fn values_beyond(schema: &Value, is_nullable: bool) -> Vec<(Value, Codes)> {
    const WRONG: Codes = &["wrong-type"];
    let mut values: Vec<(Value, Codes)> = match schema["type"].as_str().unwrap() {
        "string" => {
            let texts = texts_beyond(schema);
            let texts = texts.into_iter().map(|(text, codes)| (json!(text), codes));
            let mut values: Vec<_> = texts.collect();
            if schema["format"].is_string() {
                values.push((json!("soon"), &["malformed"]));
            }
            values.extend([(json!(7), WRONG), (json!(true), WRONG), (json!({}), WRONG)]);
            values
        }
        "integer" => {
            let numbers = numbers_beyond(schema).into_iter();
            let mut values: Vec<_> =
                numbers.map(|(number, codes)| (json!(number), codes)).collect();
            values.extend([(json!("7"), WRONG), (json!(1.5), WRONG), (json!([]), WRONG)]);
            let huge = [json!(u64::MAX), json!(1e30), json!(-1e30)];
            values.extend(huge.map(|number| (number, &["out-of-range"][..])));
            values
        }
        "boolean" => vec![(json!(1), WRONG), (json!("true"), WRONG)],
        "array" => {
            let most = schema["maxItems"].as_u64().unwrap();
            let items = vec![json!("a"); usize::try_from(most).unwrap() + 1];
            vec![
                (json!([]), &["out-of-range"]),
                (json!(items), &["too-long"]),
                (json!("a"), WRONG),
                (json!({}), WRONG),
            ]
        }
        "object" => vec![(json!(7), WRONG), (json!("a"), WRONG), (json!([]), WRONG)],
        other => panic!("no values are known for {other}"),
    };
    if !is_nullable {
        values.push((Value::Null, WRONG));
    }
    values
}

/// Before the name of a member that the body has a second time.
const AGAIN: &str = "=";

/// A faulty body, the place of its fault, and the codes that the fault may have.
struct Fault {
    body: Value,
    pointer: String,
    codes: Codes,
}

/// Returns the faulty bodies of an object, which has the example of its schema otherwise.
fn faults(document: &Value, schema: &Value) -> Vec<Fault> {
    let schema = schema_of(document, schema);
    let example = &schema["example"];
    let with = |name: &str, value: Value| {
        let mut body = example.clone();
        body[name] = value;
        body
    };
    let mut all = Vec::new();
    for (name, declared) in schema["properties"].as_object().unwrap() {
        let pointer = format!("/{name}");
        let inner = schema_of(document, declared);
        let is_required =
            schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        let is_nullable = [declared, inner].iter().any(|one| one["nullable"] == true)
            || inner["type"] == "object" && !is_required;
        if !LOOKED_UP.contains(&&*pointer) {
            for (value, codes) in values_beyond(inner, is_nullable) {
                all.push(Fault { body: with(name, value), pointer: pointer.clone(), codes });
            }
        }
        let mut body = example.clone();
        body[name] = example[name].clone();
        body[format!("{AGAIN}{name}")] = example[name].clone();
        all.push(Fault { body, pointer: pointer.clone(), codes: &["not-allowed"] });
        if inner["items"].is_object() {
            let mut items: Vec<Value> = example[name].as_array().cloned().unwrap_or_default();
            items.push(json!(7));
            let pointer = format!("{pointer}/{}", items.len() - 1);
            all.push(Fault { body: with(name, items.into()), pointer, codes: &["wrong-type"] });
        }
        if is_required {
            let mut body = example.clone();
            body.as_object_mut().unwrap().remove(name);
            all.push(Fault { body, pointer: pointer.clone(), codes: &["required"] });
        }
        let nested = match inner["type"].as_str() {
            Some("object") => Some((inner, pointer.clone(), false)),
            Some("array") if schema_of(document, &inner["items"])["type"] == "object" => {
                Some((&inner["items"], format!("{pointer}/0"), true))
            }
            _ => None,
        };
        for fault in nested.iter().flat_map(|(inner, _, _)| faults(document, inner)) {
            let (_, prefix, is_item) = nested.as_ref().unwrap();
            let value = if *is_item { json!([fault.body]) } else { fault.body };
            let pointer = format!("{prefix}{}", fault.pointer);
            all.push(Fault { body: with(name, value), pointer, codes: fault.codes });
        }
    }
    if schema["additionalProperties"] == false {
        let body = with("hosts", json!(1));
        all.push(Fault { body, pointer: "/hosts".to_owned(), codes: &["unknown"] });
    }
    all
}

/// Requests whose responses are not as expected.
#[derive(Default)]
struct Mismatches(Vec<String>);

impl Mismatches {
    /// Notes a problem unless it has this status, and an error at this place with one of these codes.
    fn check(
        &mut self,
        problem: &Value,
        status: u16,
        (place, name): (&str, &str),
        codes: Codes,
        about: &str,
    ) {
        let mut errors = problem["errors"].as_array().into_iter().flatten();
        let is_expected = errors
            .any(|error| error[place] == name && codes.contains(&error["code"].as_str().unwrap()));
        if problem["status"] != status || !is_expected {
            self.0.push(format!("{about}: {status} {codes:?}, not {problem}"));
        }
    }

    #[track_caller]
    fn assert_none(&self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n"));
    }
}

struct Clients {
    owner: Api,
    admin: Api,
    _server: Server,
}

fn clients() -> Clients {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with_operator_on(&database);
    Clients { owner: server.api(), admin: server.operator("admin"), _server: server }
}

#[tokio::test]
async fn faulty_members_of_bodies_are_named() {
    let clients = clients();
    let (mut seen, mut codes_seen, mut wrong) = (0, BTreeSet::new(), Mismatches::default());
    for contract in contracts() {
        let api = if contract.is_for_operator() { &clients.admin } else { &clients.owner };
        for operation in Operation::all(contract) {
            let id = operation.declared["operationId"].as_str().unwrap();
            let content = &operation.declared["requestBody"]["content"]["application/json"];
            if operation.body.is_none() {
                continue;
            }
            for Fault { body, pointer, codes } in faults(&contract.document, &content["schema"]) {
                let body = body.to_string().replace(&format!("\"{AGAIN}"), "\"");
                let about = format!("{id} {pointer} {body:.200}");
                let ask = api.ask(operation.method.clone(), &operation.path);
                let response = ask.body("application/json", body).send().await;
                let mut problem = response.json();
                // Each link of a batch has its own problem.
                let items = problem["data"].as_array().filter(|_| response.status == 200);
                let mut items = items.into_iter().flatten();
                if let Some(failed) = items.find(|item| item["problem"].is_object()) {
                    problem = failed["problem"].clone();
                }
                wrong.check(&problem, 422, ("pointer", &pointer), codes, &about);
                seen += 1;
                codes_seen.extend(codes);
            }
        }
    }
    wrong.assert_none();
    assert!(seen > 300, "{seen} members");
    let codes = ["malformed", "not-allowed", "out-of-range", "required", "too-long", "unknown"];
    assert!(codes_seen.is_superset(&codes.into()), "{codes_seen:?}");
}

/// Returns texts that the schema of a parameter forbids.
fn parameters_beyond(schema: &Value) -> Vec<(String, Codes)> {
    let mut texts = texts_beyond(schema);
    let numbers = numbers_beyond(schema).into_iter();
    texts.extend(numbers.map(|(number, codes)| (number.to_string(), codes)));
    match schema["type"].as_str() {
        Some("integer") => texts.push(("x".to_owned(), &["wrong-type"])),
        Some("boolean") => texts.push(("1".to_owned(), &["wrong-type", "not-allowed"])),
        _ if schema["format"].is_string() => texts.push(("soon".to_owned(), &["malformed"])),
        _ => {}
    }
    texts
}

/// Sends a request with a parameter of this place, query or header.
async fn send_with(
    operation: &Operation<'_>,
    api: &Api,
    (place, name): (&str, &str),
    value: &str,
) -> Response {
    // The other parameters that the operation requires have their examples.
    let parameters = operation.declared["parameters"].as_array().unwrap();
    let required = parameters
        .iter()
        .filter(|one| one["in"] == "query" && one["required"] == true && one["name"] != name);
    let required = required.map(|one| {
        format!("&{}={}", one["name"].as_str().unwrap(), one["example"].as_str().unwrap())
    });
    let required: String = required.collect();
    match place {
        "query" => operation.send(api, &format!("{name}={value}{required}")).await,
        _ => operation.send(&api.with(name, value), &required).await,
    }
}

#[tokio::test]
async fn faulty_parameters_are_named() {
    let clients = clients();
    let (mut seen, mut wrong) = (0, Mismatches::default());
    for contract in contracts() {
        let api = if contract.is_for_operator() { &clients.admin } else { &clients.owner };
        for operation in Operation::all(contract) {
            let id = operation.declared["operationId"].as_str().unwrap();
            for parameter in operation.declared["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                let place = parameter["in"].as_str().unwrap();
                if !matches!(place, "query" | "header") {
                    continue;
                }
                let mut values = parameters_beyond(&parameter["schema"]);
                if name == "If-Match" {
                    // Its length is that of any header.
                    values = vec![("x".to_owned(), &["malformed"])];
                }
                if place == "query" && parameter["required"] == true {
                    let response = operation.send(api, "").await;
                    wrong.check(&response.json(), 400, ("parameter", name), &["required"], id);
                }
                for (value, codes) in values {
                    let about = format!("{id} {name} {value:.80}");
                    let response = send_with(&operation, api, (place, name), &value).await;
                    wrong.check(&response.json(), 400, ("parameter", name), codes, &about);
                    seen += 1;
                }
                if place == "query" && parameter["schema"]["type"] != "array" {
                    let twice = format!("1&{name}=2");
                    let problem = send_with(&operation, api, (place, name), &twice).await.json();
                    let about = format!("{id} {name}={twice}");
                    wrong.check(&problem, 400, ("parameter", name), &["not-allowed"], &about);
                }
            }
        }
    }
    wrong.assert_none();
    assert!(seen > 80, "{seen} values");
}
