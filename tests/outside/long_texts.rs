//! Long texts in requests: each response is as the documents say, although problems repeat texts.

use serde_json::{Value, json};

use crate::harness::{Api, Server};
use crate::permissions::{Operation, operations};

/// Longer than the detail of a problem may be.
const LENGTH: usize = 5_000;

/// Returns each body in which one text is long, and one with many long codes.
fn bodies(example: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    find_texts(example, String::new(), &mut pointers);
    let long = json!("x".repeat(LENGTH));
    let with_long_text = |pointer: &String| {
        let mut body = example.clone();
        *body.pointer_mut(pointer).unwrap() = long.clone();
        body
    };
    let mut bodies: Vec<Value> = pointers.iter().map(with_long_text).collect();
    if example.get("selectors").is_some() {
        let mut body = example.clone();
        body["selectors"] = json!({ "code": vec![long; 12] });
        bodies.push(body);
    }
    bodies
}

fn find_texts(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                find_texts(member, format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_texts(item, format!("{pointer}/{index}"), found);
            }
        }
        Value::String(_) => found.push(pointer),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the path with a short value of each parameter, and each path in which one is long.
fn paths(operation: &Operation) -> Vec<String> {
    let long = "x".repeat(LENGTH);
    let parameters = operation.parameters();
    let with_long = |long_one: Option<&str>| {
        let mut path = operation.template.clone();
        for (_, name) in parameters.iter().filter(|(place, _)| *place == "path") {
            let value = if Some(*name) == long_one { &long } else { "1" };
            path = path.replace(&format!("{{{name}}}"), value);
        }
        let queried = parameters.iter().find(|one| one.0 == "query" && Some(one.1) == long_one);
        match queried {
            Some((_, name)) => format!("{path}?{name}={long}"),
            None => path,
        }
    };
    let names = parameters.iter().filter(|one| one.0 != "header").map(|(_, name)| Some(*name));
    std::iter::once(None).chain(names).map(with_long).collect()
}

async fn try_long_texts(api: &Api, operation: &Operation) -> usize {
    let [short, long @ ..] = &paths(operation)[..] else { unreachable!() };
    let example = operation.body();
    let mut requests: Vec<_> = long.iter().map(|path| (path.clone(), example.clone())).collect();
    for body in example.iter().flat_map(bodies) {
        requests.push((short.clone(), Some(body)));
    }
    let count = requests.len();
    for (path, body) in requests {
        // The client compares the response with the document.
        let response = operation.attempt(path, body).send(api).await;
        assert!(response.status < 500, "{response:#?}");
    }
    count
}

#[tokio::test]
async fn long_texts_are_answered_as_the_documents_say() {
    let server = Server::with_operator();
    let mut requests = 0;
    for (is_for_operator, api) in [(false, server.api()), (true, server.operator("admin"))] {
        for operation in operations(is_for_operator) {
            requests += try_long_texts(&api, &operation).await;
        }
    }
    assert!(requests > 150, "{requests}");
}
