//! The fields of one record, in every encoding.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

/// The fields of one record: their [`plain_name`]s and values. The name of a field in an object
/// begins with the name of the object and a dot.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) names: Arc<[Box<str>]>,
    pub(crate) values: Vec<Option<String>>,
    lists: Vec<(Box<str>, Vec<String>)>,
    /// Names that more than one field of the record has.
    duplicates: HashSet<Box<str>>,
    composite: Vec<CompositeField>,
}

impl Record {
    /// Returns the value of the first field in `names` that has a value, or `None` if none has. It
    /// compares names by [`plain_name`].
    pub(crate) fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.field(name))
    }

    fn field(&self, name: &str) -> Option<&str> {
        let index = self.names.iter().position(|plain| is_name(plain, name))?;
        self.values.get(index)?.as_deref()
    }

    /// Returns the elements of the first field in `names` that has a value. The elements of a text
    /// are its parts between `separators`.
    pub(crate) fn elements(&self, names: &[&str], separators: &[char]) -> Vec<&str> {
        let Some(name) = names.iter().find(|name| self.field(name).is_some()) else {
            return Vec::new();
        };
        let list = self.lists.iter().find(|(plain, _)| is_name(plain, name));
        let elements: Vec<&str> = match list {
            Some((_, elements)) => elements.iter().map(String::as_str).collect(),
            None => self.field(name).unwrap_or_default().split(separators).collect(),
        };
        elements.into_iter().map(str::trim).filter(|element| !element.is_empty()).collect()
    }

    /// Returns a name in `names` that more than one field has, or `None`. The import would lose the
    /// values of all but one of the fields.
    pub(crate) fn duplicate(&self, names: &[&str]) -> Option<&str> {
        let duplicates = self.duplicates.iter().map(|plain| &**plain);
        duplicates.filter(|plain| names.iter().any(|name| is_name(plain, name))).min()
    }

    /// Returns the names of fields that hold the value of one of `names` in a structure that the
    /// import does not support.
    pub(crate) fn unsupported_fields(&self, names: &[&str]) -> impl Iterator<Item = &str> {
        let hides = |field: &&CompositeField| {
            names.iter().any(|name| field.contains_field(&plain_name(name)))
        };
        self.composite.iter().filter(hides).map(|field| &*field.original_name)
    }

    /// Creates a record from the columns of a CSV file.
    pub(crate) fn from_columns(names: Arc<[Box<str>]>, values: Vec<Option<String>>) -> Self {
        Self { names, values, lists: Vec::new(), duplicates: HashSet::new(), composite: Vec::new() }
    }

    /// Creates a record from a JSON object. The value of a list is the text of its elements,
    /// separated by `|`.
    pub(crate) fn from_json(object: &serde_json::Map<String, Value>) -> Self {
        let mut fields = Fields::default();
        fields.flatten("", "", object);
        let Fields { names, values, lists, composite } = fields;
        let mut seen = HashSet::with_capacity(names.len());
        let duplicates = names.iter().filter(|name| !seen.insert(&***name)).cloned().collect();
        Self { names: names.into(), values, lists, duplicates, composite }
    }
}

/// Field whose value is an object, or a list with objects or lists in it.
#[derive(Debug, Clone)]
struct CompositeField {
    name: Box<str>,
    /// Name as the file spells it.
    original_name: Box<str>,
    /// Whether the value is a list. The record has the fields of an object, but not those of
    /// objects in a list.
    is_list: bool,
}

impl CompositeField {
    /// Returns whether this field holds the value of the field `name` in such a way that the import
    /// would lose it.
    fn contains_field(&self, name: &str) -> bool {
        name.strip_prefix(&*self.name)
            .is_some_and(|rest| rest.is_empty() || self.is_list && rest.starts_with('.'))
    }
}

/// Returns the form in which names are compared: in lower case, without spaces, dashes and
/// underscores.
pub(crate) fn plain_name(name: &str) -> Box<str> {
    let letters = name.trim().chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect::<String>().into()
}

/// Returns whether `plain` is the [`plain_name`] of `name`, which must be ASCII. It allocates no
/// memory.
fn is_name(plain: &str, name: &str) -> bool {
    let bytes = name.bytes().filter(|byte| !matches!(byte, b' ' | b'-' | b'_'));
    plain.bytes().eq(bytes.map(|byte| byte.to_ascii_lowercase()))
}

/// Maximum length of the name of a nested field, longer than any known name. Each name repeats the
/// names of the objects around the field, and could otherwise take far more memory than the line.
pub(crate) const MAX_NAME: usize = 64;

#[derive(Default)]
struct Fields {
    names: Vec<Box<str>>,
    values: Vec<Option<String>>,
    lists: Vec<(Box<str>, Vec<String>)>,
    composite: Vec<CompositeField>,
}

impl Fields {
    fn flatten(
        &mut self,
        within: &str,
        spelled_within: &str,
        object: &serde_json::Map<String, Value>,
    ) {
        for (original_name, value) in object {
            let name = format!("{within}{}", plain_name(original_name));
            if name.len() > MAX_NAME {
                continue;
            }
            // The original name appears in messages, and has the same limit.
            let original_name = if spelled_within.len() + original_name.len() <= MAX_NAME {
                format!("{spelled_within}{original_name}")
            } else {
                name.clone()
            };
            if let Value::Object(inner) = value {
                self.flatten(&format!("{name}."), &format!("{original_name}."), inner);
                if !inner.is_empty() {
                    let (name, original_name) = (name.into(), original_name.into());
                    self.composite.push(CompositeField { name, original_name, is_list: false });
                }
                continue;
            }
            let name: Box<str> = name.into();
            if let Value::Array(elements) = value {
                if elements.iter().any(|element| element.is_object() || element.is_array()) {
                    let (name, original_name) = (name.clone(), original_name.into());
                    self.composite.push(CompositeField { name, original_name, is_list: true });
                }
                let elements = elements.iter().filter_map(text_of).collect();
                self.lists.push((name.clone(), elements));
            }
            self.names.push(name);
            self.values.push(text_of(value));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the limit, a megabyte would become gigabytes.
    #[test]
    fn nested_names_are_skipped_above_the_limit() {
        let many: serde_json::Map<String, Value> =
            (0..1_000).map(|number| (number.to_string(), number.into())).collect();
        let object = serde_json::json!({
            "meta": { "maxVisits": 5 },
            "x".repeat(100_000): many,
            "y": { "z".repeat(100_000): "text" },
        });
        let record = Record::from_json(object.as_object().unwrap());
        assert_eq!(record.get(&["meta.maxvisits"]), Some("5"));
        assert_eq!(record.names.len(), 1);
    }
}
