//! The OpenAPI document: it is complete, and its examples are correct.

mod creations;
mod examples;
mod limits;
mod names;
mod operator_examples;
mod parameters;
mod provoke;
mod second_examples;
mod webhooks;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::harness::{ROOT, contracts, document, published, run};

/// Calls `look` with every schema, at any depth, and its path.
fn each_schema(value: &Value, path: &str, look: &mut impl FnMut(&Value, &str)) {
    for (name, member) in value.as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        match name.as_str() {
            "example" | "examples" => {}
            "schema" | "items" => {
                look(member, &path);
                each_schema(member, &path, look);
            }
            "schemas" | "properties" => {
                for (name, schema) in member.as_object().into_iter().flatten() {
                    let path = format!("{path}/{name}");
                    look(schema, &path);
                    each_schema(schema, &path, look);
                }
            }
            _ => each_schema(member, &path, look),
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        each_schema(item, &format!("{path}/{index}"), look);
    }
}

/// Calls `look` with every operation of every document, and its name: the `operationId`, outside of `/api/v1`
/// after the interface, as in `manage.getLink`.
fn each_operation(mut look: impl FnMut(&Value, &str)) {
    for contract in contracts() {
        let interface = contract.prefix.split('/').nth(2);
        for item in contract.document["paths"].as_object().unwrap().values() {
            for operation in item.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                let name = interface.map(|interface| format!("{interface}.{id}"));
                look(operation, name.as_deref().unwrap_or(id));
            }
        }
    }
}

#[track_caller]
fn assert_describes(value: &Value, path: &str) {
    let text = value.as_str().unwrap_or_default();
    assert!(text.len() > 10 && text.contains(' '), "{path} is described as {text:?}");
    assert!(!text.replace("\n\n", "").contains('\n'), "{path} is broken into lines");
}

/// Generated clients compile patterns with ECMAScript, PCRE, RE2, Java or Python, and in PHP compare
/// bytes with them.
#[test]
fn patterns_mean_the_same_to_all_clients() {
    let mut seen = 0;
    let mut check = |schema: &Value, path: &str| {
        let Some(pattern) = schema["pattern"].as_str() else { return };
        seen += 1;
        assert!(pattern.is_ascii(), "{path}: {pattern}");
        for unportable in ["\\u", "\\p", "\\P", "\\x8", "\\x9", "\\xA", "(?"] {
            assert!(!pattern.contains(unportable), "{path}: {pattern} has {unportable}");
        }
    };
    for contract in contracts() {
        each_schema(&contract.document, "", &mut check);
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn strings_and_numbers_have_limits() {
    let mut seen = 0;
    let mut check = |schema: &Value, path: &str| {
        let limits: &[&str] = match schema["type"].as_str() {
            Some("string") if schema["enum"].is_array() => &[],
            Some("string") => &["maxLength"],
            Some("integer" | "number") => &["minimum", "maximum"],
            Some(_) | None => return,
        };
        seen += 1;
        for limit in limits {
            assert!(schema[limit].is_number(), "{path} has no {limit}");
        }
    };
    for contract in contracts() {
        each_schema(&contract.document, "", &mut check);
    }
    assert!(seen > 60, "{seen} schemas were looked at");
}

#[test]
fn all_elements_have_descriptions() {
    for contract in contracts() {
        assert_elements_of_document_have_descriptions(&contract.document);
    }
    each_operation(|operation, id| {
        assert_describes(&operation["summary"], id);
        assert_describes(&operation["description"], id);
        assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{id}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert_describes(&parameter["description"], &format!("{id} {}", parameter["name"]));
            // Tools send the examples of all parameters together.
            let is_required = parameter["required"] == true;
            assert_eq!(parameter.get("example").is_some(), is_required, "{id} {parameter}");
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let path = format!("{id} {status}");
            assert_describes(&response["description"], &path);
            for (name, header) in response["headers"].as_object().unwrap() {
                assert_describes(&header["description"], &format!("{path} {name}"));
                assert!(!header["schema"]["example"].is_null(), "{path} {name}");
            }
        }
    });
}

#[track_caller]
fn assert_elements_of_document_have_descriptions(document: &Value) {
    let info = document["info"]["description"].as_str().unwrap();
    assert_describes(&info.replace('\n', " ").into(), "info");
    for tag in document["tags"].as_array().unwrap() {
        assert_describes(&tag["description"], &tag["name"].to_string());
    }
    for (name, scheme) in document["components"]["securitySchemes"].as_object().unwrap() {
        assert_describes(&scheme["description"], name);
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert_describes(&schema["description"], name);
        // The data of a test delivery has no members.
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            let refers = schema["$ref"].is_string();
            let says = &schema["description"];
            assert!(refers || says.as_str().is_some_and(|text| text.len() > 8), "{name}.{field}");
        }
    }
}

#[test]
fn responses_declare_their_headers() {
    each_operation(|operation, id| {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let needed: &[&str] = match status.as_str() {
                "201" => &["X-Request-Id", "Location"],
                "401" => &["X-Request-Id", "WWW-Authenticate"],
                "503" => &["X-Request-Id", "Retry-After"],
                _ => &["X-Request-Id"],
            };
            for name in needed {
                let header = &response["headers"][name];
                assert_eq!(header["required"], true, "{id} {status} {name}");
            }
        }
        for status in ["401", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{id} {status}");
        }
        for status in ["405", "default"] {
            assert!(operation["responses"].get(status).is_none(), "{id} {status}");
        }
        let lists = operation["operationId"].as_str().unwrap().starts_with("list");
        let link = &operation["responses"]["200"]["headers"]["Link"];
        assert_eq!(link.is_object(), lists, "{id}");
    });
}

#[test]
fn descriptions_are_short_and_start_with_the_action() {
    for contract in contracts() {
        let info = contract.document["info"]["description"].as_str().unwrap();
        assert!(info.len() <= 700 && !info.contains("Authorize"), "{} bytes", info.len());
    }
    each_operation(|operation, id| {
        let text = operation["description"].as_str().unwrap();
        let action = ["Creates ", "Returns ", "Enables ", "Changes ", "Deletes "]
            .iter()
            .any(|verb| text.starts_with(verb));
        assert!(action, "{id}: {text}");
    });
}

#[test]
fn created_link_refers_to_operations_with_its_code() {
    let links = &document()["paths"]["/api/v1/shorten"]["post"]["responses"]["201"]["links"];
    assert_eq!(links["getStats"]["operationId"], "getStats");
    assert_eq!(links["getStats"]["parameters"]["code"], "$response.body#/short_code");
    assert_eq!(links["enableQrCode"]["operationId"], "enableQrCode");
}

#[test]
fn parameters_headers_and_responses_are_not_repeated() {
    let parts = contracts().iter().map(|one| assert_nothing_is_repeated(&one.published));
    assert!(parts.sum::<usize>() > 20);
}

/// Returns the number of different parts that were looked at.
#[track_caller]
fn assert_nothing_is_repeated(published: &Value) -> usize {
    let mut seen = BTreeMap::new();
    let count = |kind: &str, part: &Value, seen: &mut BTreeMap<String, usize>| {
        if part.get("$ref").is_none() {
            *seen.entry(format!("{kind} {part}")).or_default() += 1;
        }
    };
    for item in published["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                count("parameter", parameter, &mut seen);
            }
            for response in operation["responses"].as_object().unwrap().values() {
                let is_problem = response["content"].get("application/problem+json").is_some();
                if is_problem {
                    count("response", response, &mut seen);
                }
                for header in response["headers"].as_object().into_iter().flat_map(Map::values) {
                    count("header", header, &mut seen);
                }
            }
        }
    }
    assert!(seen.values().all(|count| *count == 1), "{seen:#?}");
    seen.len()
}

#[test]
fn openapi_check_compares_with_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let printed = run(&["openapi"]).done().stdout;
    let check = |name: &str, text: &str| {
        let file = directory.path().join(name);
        std::fs::write(&file, text).unwrap();
        run(&["openapi", "--check", file.to_str().unwrap()])
    };
    check("same.json", &printed).done();
    for (name, text) in [
        ("other.json", printed.replacen("listLinks", "listlinks", 1)),
        ("longer.json", format!("{printed}x")),
        ("empty.json", String::new()),
    ] {
        let outcome = check(name, &text);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(!outcome.stderr.trim().is_empty(), "{outcome:?}");
    }
    let missing = directory.path().join("missing.json");
    run(&["openapi", "--check", missing.to_str().unwrap()]).failed();
    assert_eq!(&serde_json::from_str::<Value>(&printed).unwrap(), published());
}

#[test]
fn published_documents_are_current() {
    for (file, arguments) in [
        ("openapi.json", &["openapi"][..]),
        ("manage.json", &["openapi", "manage"]),
        ("operator.json", &["openapi", "operator"]),
    ] {
        let file = Path::new(ROOT).join("openapi").join(file);
        let outcome = run(&[arguments, &["--check", file.to_str().unwrap()]].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    }
}
