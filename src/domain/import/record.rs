//! One link's fields as they stand in a file, whatever the file is.

use std::sync::Arc;

use serde_json::Value;

/// Fields by their names. The names are in small letters, without blanks, dashes and underscores; a
/// field within a field has both names, with a dot between them.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) names: Arc<[Box<str>]>,
    pub(super) values: Vec<Option<String>>,
}

impl Record {
    /// The first of these fields that has a value.
    pub(super) fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.field(name))
    }

    fn field(&self, name: &str) -> Option<&str> {
        let place = self.names.iter().position(|known| **known == *name)?;
        self.values.get(place)?.as_deref()
    }

    /// The fields of an object. The elements of a list are one text with `|` between them.
    pub(super) fn of_json(object: &serde_json::Map<String, Value>) -> Self {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        flatten("", object, &mut names, &mut values);
        Self { names: names.into(), values }
    }
}

/// A name in the form in which names are compared.
pub(super) fn plain_name(name: &str) -> Box<str> {
    let letters = name.trim().chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect::<String>().into()
}

fn flatten(
    within: &str,
    object: &serde_json::Map<String, Value>,
    names: &mut Vec<Box<str>>,
    values: &mut Vec<Option<String>>,
) {
    for (name, value) in object {
        let name = format!("{within}{}", plain_name(name));
        if let Value::Object(inner) = value {
            flatten(&format!("{name}."), inner, names, values);
        } else {
            names.push(name.into());
            values.push(text_of(value));
        }
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Object(_) => None,
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(elements) => {
            let texts: Vec<String> = elements.iter().filter_map(text_of).collect();
            (!texts.is_empty()).then(|| texts.join("|"))
        }
    }
}
