//! Names in the documents of the two management interfaces.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::each_schema;
use crate::harness::{Contract, contracts};

/// The verbs with which operations of these methods begin.
const VERBS: [(&str, &[&str]); 5] = [
    ("get", &["list", "get", "check"]),
    (
        "post",
        &[
            "create", "change", "find", "suspend", "resume", "stop", "undo", "rotate", "test",
            "retry", "disable", "enable",
        ],
    ),
    ("patch", &["update"]),
    ("put", &["put"]),
    ("delete", &["delete", "revoke"]),
];

/// Ends of the schemas of the bodies of requests and responses, by verb.
const SCHEMAS: [(&str, &str, &str); 3] =
    [("list", "", "List"), ("create", "Create", ""), ("update", "Update", "")];

/// Returns the documents of the two interfaces.
fn managing() -> impl Iterator<Item = &'static Contract> {
    contracts().iter().filter(|one| one.prefix != "/")
}

/// Returns the operations of a document, each with its method and the path below the interface.
fn operations(contract: &Contract) -> impl Iterator<Item = (&str, &str, &Value)> {
    contract.document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
        let path = path.strip_prefix(contract.prefix).unwrap();
        item.as_object().unwrap().iter().map(move |(method, value)| (&**method, path, value))
    })
}

/// Returns the name of the schema of a body in JSON.
fn schema(message: &Value) -> &str {
    let reference = message["content"]["application/json"]["schema"]["$ref"].as_str();
    reference.and_then(|reference| reference.rsplit('/').next()).unwrap_or_default()
}

/// Returns the name of the schema of a successful response.
fn result(operation: &Value) -> &str {
    let responses = operation["responses"].as_object().unwrap();
    responses.iter().find(|(status, _)| status.starts_with('2')).map_or("", |(_, one)| schema(one))
}

#[test]
fn operation_ids_are_verbs_and_nouns() {
    for (method, path, operation) in managing().flat_map(operations) {
        let id = operation["operationId"].as_str().unwrap();
        let verb = id.split(char::is_uppercase).next().unwrap();
        let known = VERBS.iter().find(|(of, _)| *of == method).unwrap().1;
        assert!(known.contains(&verb) && verb != id, "{method} {path}: {id}");
        for (of, body, response) in SCHEMAS {
            let ends = schema(&operation["requestBody"]).ends_with(body)
                && result(operation).ends_with(response);
            assert!(of != verb || ends, "{id}");
        }
    }
}

#[test]
fn names_are_the_same_in_both_documents() {
    let mut seen = BTreeMap::new();
    for (method, path, operation) in managing().flat_map(operations) {
        // The owner is that of the key in one document, and stands in the path in the other.
        let path = path.strip_prefix("owners/{id}/").unwrap_or(path);
        let names = [
            operation["operationId"].as_str().unwrap(),
            schema(&operation["requestBody"]),
            result(operation),
        ];
        let first = *seen.entry((method, path)).or_insert(names);
        assert_eq!(first, names, "{method} {path}");
    }
    let all = managing().flat_map(operations).count();
    assert!(all - seen.len() > 8, "{all} operations have {} paths", seen.len());
}

#[test]
fn components_have_no_generated_names() {
    let mut seen = 0;
    for contract in managing() {
        let components = contract.published["components"].as_object().unwrap();
        for (kind, name) in components
            .iter()
            .flat_map(|(kind, all)| all.as_object().unwrap().keys().map(move |name| (kind, name)))
        {
            let is_numbered = |at: Option<char>| at.is_none_or(|one| one.is_ascii_digit());
            let ends = is_numbered(name.chars().next()) || is_numbered(name.chars().last());
            let joins = name.split("Or").skip(1).any(|rest| rest.starts_with(char::is_uppercase));
            assert!(!ends && !joins, "{kind} {name}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} components");
}

/// Names that mean several things, and that the interfaces had before they agreed on others.
const VAGUE: &[&str] =
    &["at", "until", "event", "owner", "from", "to", "suspended", "codes", "case"];

#[test]
fn no_member_or_parameter_has_a_vague_name() {
    let mut seen = 0;
    let mut check = |name: &str, place: &str| {
        assert!(!VAGUE.contains(&name), "{place}: {name}");
        seen += 1;
    };
    for contract in managing() {
        each_schema(&contract.document, contract.prefix, &mut |schema: &Value, path: &str| {
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                check(name, path);
                assert!(name != "plan" || member["type"] != "string", "{path}: a name of a plan");
            }
        });
        for (method, path, operation) in operations(contract) {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                check(parameter["name"].as_str().unwrap(), &format!("{method} {path}"));
            }
        }
    }
    assert!(seen > 500, "{seen} names");
}

#[test]
fn arrays_have_limits() {
    let mut seen = 0;
    for contract in managing() {
        each_schema(&contract.document, contract.prefix, &mut |schema: &Value, path: &str| {
            if schema["type"] == "array" {
                let is_limited = schema["minItems"].is_u64() && schema["maxItems"].is_u64();
                assert!(is_limited, "{path}: {schema}");
                seen += 1;
            }
        });
    }
    assert!(seen > 20, "{seen} arrays");
}

/// Members of responses whose values are words to which later versions may add.
const WORDS: &[&str] = &["state", "state_reason", "scope", "role", "action", "type", "reason"];

#[test]
fn words_in_responses_are_extensible() {
    let mut seen = BTreeSet::new();
    for contract in managing() {
        let schemas = contract.published["components"]["schemas"].as_object().unwrap();
        for (name, schema) in schemas.iter().filter(|(name, _)| *name != "Problem") {
            for (member, value) in schema["properties"].as_object().into_iter().flatten() {
                let is_request = schema["additionalProperties"] == false || name == "LinkCreate";
                let words = if is_request { "enum" } else { "x-extensible-enum" };
                // An event has the type of its schema.
                let is_constant = value["enum"].as_array().is_some_and(|all| all.len() == 1);
                if is_constant {
                    continue;
                }
                if WORDS.contains(&member.as_str()) {
                    let all = value[words].as_array().map_or(0, Vec::len);
                    assert!(all > 1, "{name}.{member}: {value}");
                    seen.insert(member);
                }
                assert!(is_request || value["enum"].is_null() || member == "qr_error_correction");
            }
        }
    }
    assert_eq!(seen.len(), WORDS.len(), "{seen:?}");
}

#[test]
fn examples_of_headers_have_no_templates() {
    let mut seen = 0;
    for (_, path, operation) in managing().flat_map(operations) {
        for response in operation["responses"].as_object().unwrap().values() {
            for (name, header) in response["headers"].as_object().unwrap() {
                assert!(!header["schema"]["example"].to_string().contains('{'), "{path} {name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 500, "{seen} headers");
}
