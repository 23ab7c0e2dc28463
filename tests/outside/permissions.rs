//! Which keys may call which operation, for every operation of every document.

mod conditions;
mod operators;
pub(crate) mod owners;

use reqwest::Method;
use serde_json::Value;

use crate::harness::{Api, Response, contracts};

/// An operation of a document.
pub(crate) struct Operation {
    id: String,
    pub(crate) template: String,
    pub(crate) method: Method,
    operation: &'static Value,
    document: &'static Value,
}

/// A request of an operation.
pub(crate) struct Attempt {
    method: Method,
    path: String,
    body: Option<Value>,
}

/// Returns every operation of the documents of the operator's listener, or of all others.
pub(crate) fn operations(are_for_operator: bool) -> Vec<Operation> {
    let mut operations = Vec::new();
    for contract in contracts().iter().filter(|one| one.is_for_operator() == are_for_operator) {
        for (template, item) in contract.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                operations.push(Operation {
                    id: operation["operationId"].as_str().unwrap().to_owned(),
                    template: template.clone(),
                    method: method.to_uppercase().parse().unwrap(),
                    operation,
                    document: &contract.document,
                });
            }
        }
    }
    operations
}

impl Operation {
    /// Returns which keys it needs, as its document says: `x-required-scope` or `x-required-role`.
    pub(crate) fn requirement(&self, name: &str) -> &'static Value {
        &self.operation[name]
    }

    /// Returns the example of its body, if it has one.
    pub(crate) fn body(&self) -> Option<Value> {
        let schema = &self.operation["requestBody"]["content"]["application/json"]["schema"];
        let reference = schema["$ref"].as_str()?;
        Some(self.document.pointer(&reference[1..]).unwrap()["example"].clone())
    }

    /// Returns the place (`path`, `query` or `header`) and name of each parameter.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, &'static str)> {
        let parameters = self.operation["parameters"].as_array().into_iter().flatten();
        let text = |value: &'static Value| value.as_str().unwrap();
        parameters.map(|one| (text(&one["in"]), text(&one["name"]))).collect()
    }

    /// Returns the request with this path and body.
    #[track_caller]
    pub(crate) fn attempt(&self, path: String, body: Option<Value>) -> Attempt {
        assert!(!path.contains('{'), "{path} has parameters that this test does not know");
        Attempt { method: self.method.clone(), path, body }
    }
}

impl Attempt {
    pub(crate) async fn send(&self, api: &Api) -> Response {
        let ask = api.ask(self.method.clone(), &self.path);
        match &self.body {
            Some(body) => ask.json(body).send().await,
            None => ask.send().await,
        }
    }
}
