//! The document's schemas, compiled by an independent JSON Schema validator.

use std::collections::HashMap;

use boon::{Compiler, Draft, SchemaIndex};
use serde_json::{Value, json};

/// An arbitrary base URI, which the validator requires.
const DOCUMENT: &str = "http://terse.invalid/openapi.json";

/// All schemas of responses, by their JSON pointers in the document.
pub(super) struct Schemas {
    document: Value,
    compiled: boon::Schemas,
    indexes: HashMap<String, SchemaIndex>,
}

impl Schemas {
    /// Compiles all schemas of bodies and headers.
    pub(super) fn compile(mut document: Value) -> Self {
        as_json_schema(&mut document);
        let mut compiler = Compiler::new();
        // OpenAPI 3.0 builds on a draft whose relevant keywords are the same.
        compiler.set_default_draft(Draft::V4);
        compiler.add_resource(DOCUMENT, document.clone()).expect("a new resource");
        let (mut compiled, mut indexes) = (boon::Schemas::new(), HashMap::new());
        let mut pointers = Vec::new();
        find_schemas(&document, String::new(), &mut pointers);
        for pointer in pointers {
            let index = compiler
                .compile(&format!("{DOCUMENT}#{pointer}"), &mut compiled)
                .unwrap_or_else(|error| panic!("{pointer}: {error:#}"));
            indexes.insert(pointer, index);
        }
        Self { document, compiled, indexes }
    }

    /// Returns the document of the schemas.
    pub(super) const fn document(&self) -> &Value {
        &self.document
    }

    /// Returns how the value violates the schema at that pointer, if it does.
    pub(super) fn fault(&self, pointer: &str, value: &Value) -> Option<String> {
        let index = self.indexes.get(pointer);
        let index = index.unwrap_or_else(|| panic!("no schema was compiled for {pointer}"));
        self.compiled.validate(value, *index).err().map(|error| error.to_string())
    }
}

/// Escapes a segment of a JSON pointer.
pub(super) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

fn find_schemas(value: &Value, pointer: String, found: &mut Vec<String>) {
    for (name, member) in value.as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{}", escape(name));
        if name == "schema" {
            found.push(pointer);
        } else if name != "components" {
            find_schemas(member, pointer, found);
        }
    }
}

/// Converts OpenAPI 3.0 keywords to JSON Schema, and forbids undocumented members.
fn as_json_schema(value: &mut Value) {
    if value["nullable"] == true {
        match value.get("allOf").cloned() {
            Some(parts) => *value = json!({ "anyOf": [{ "allOf": parts }, { "type": "null" }] }),
            None => value["type"] = json!([value["type"], "null"]),
        }
    }
    if value["type"] == "object" && value["properties"].is_object() {
        value["additionalProperties"] = json!(false);
    }
    match value {
        Value::Object(members) => members.values_mut().for_each(as_json_schema),
        Value::Array(items) => items.iter_mut().for_each(as_json_schema),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
