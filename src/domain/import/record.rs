//! One link's fields as they stand in a file, whatever the file is.

use std::collections::HashSet;
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

    /// The fields of an object. The elements of a list are one text, each with [`ELEMENT_END`].
    ///
    /// # Errors
    /// Where two fields have one name, of which one would be lost.
    pub(super) fn of_json(object: &serde_json::Map<String, Value>) -> Result<Self, Twice> {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        flatten("", object, &mut names, &mut values);
        let mut seen = HashSet::with_capacity(names.len());
        match names.iter().find(|name| !seen.insert(&***name)) {
            Some(name) => Err(Twice(name.clone())),
            None => Ok(Self { names: names.into(), values }),
        }
    }
}

/// A name that two fields have.
#[derive(Debug)]
pub(super) struct Twice(pub(super) Box<str>);

/// What each element of a list ends with (ASCII's record separator): no text that is taken has it.
pub(super) const ELEMENT_END: char = '\u{1e}';

/// The elements of a list, or what stands in a text between `others`.
pub(super) fn elements<'a>(text: &'a str, others: &'a [char]) -> impl Iterator<Item = &'a str> {
    let is_list = text.ends_with(ELEMENT_END);
    let is_end = move |letter| letter == ELEMENT_END || !is_list && others.contains(&letter);
    text.split(is_end).map(str::trim).filter(|element| !element.is_empty())
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
            let texts = elements.iter().filter_map(text_of);
            let texts: String = texts.flat_map(|text| [text, ELEMENT_END.to_string()]).collect();
            (!texts.is_empty()).then_some(texts)
        }
    }
}
