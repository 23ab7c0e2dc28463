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
    lists: Vec<(Box<str>, Vec<String>)>,
    /// Names that more than one field has.
    twice: HashSet<Box<str>>,
    composite: Vec<Composite>,
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

    /// The elements of the first of these fields that has a value: those of a list, or what stands in
    /// a text between `separators`.
    pub(super) fn elements(&self, names: &[&str], separators: &[char]) -> Vec<&str> {
        let Some(name) = names.iter().find(|name| self.field(name).is_some()) else {
            return Vec::new();
        };
        let list = self.lists.iter().find(|(known, _)| **known == **name);
        let elements: Vec<&str> = match list {
            Some((_, elements)) => elements.iter().map(String::as_str).collect(),
            None => self.field(name).unwrap_or_default().split(separators).collect(),
        };
        elements.into_iter().map(str::trim).filter(|element| !element.is_empty()).collect()
    }

    /// The first of these names that two fields have, of which one would be lost.
    pub(super) fn twice<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().find(|name| self.twice.contains(**name)).copied()
    }

    /// Where something else stands than a value or a list of values, and one of these names would be
    /// lost.
    pub(super) fn composite(&self, names: &[&str]) -> impl Iterator<Item = &str> {
        let hides = |field: &&Composite| names.iter().any(|name| field.hides(name));
        self.composite.iter().filter(hides).map(|field| &*field.spelled)
    }

    /// Of a file that has columns.
    pub(super) fn of_columns(names: Arc<[Box<str>]>, values: Vec<Option<String>>) -> Self {
        Self { names, values, lists: Vec::new(), twice: HashSet::new(), composite: Vec::new() }
    }

    /// The fields of an object. A list is one text with `|` between its elements, too.
    pub(super) fn of_json(object: &serde_json::Map<String, Value>) -> Self {
        let mut fields = Fields::default();
        fields.flatten("", "", object);
        let Fields { names, values, lists, composite } = fields;
        let mut seen = HashSet::with_capacity(names.len());
        let twice = names.iter().filter(|name| !seen.insert(&***name)).cloned().collect();
        Self { names: names.into(), values, lists, twice, composite }
    }
}

/// A field with something else in it than a value or a list of values.
#[derive(Debug, Clone)]
struct Composite {
    name: Box<str>,
    /// As it stands in the file.
    spelled: Box<str>,
    /// Its own fields are not among the others, as those of an object are.
    is_list: bool,
}

impl Composite {
    /// Whether the field of that name would be lost.
    fn hides(&self, name: &str) -> bool {
        name.strip_prefix(&*self.name)
            .is_some_and(|rest| rest.is_empty() || self.is_list && rest.starts_with('.'))
    }
}

/// A name in the form in which names are compared.
pub(super) fn plain_name(name: &str) -> Box<str> {
    let letters = name.trim().chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect::<String>().into()
}

/// Longer than any name that means something, outer names included. What is nested repeats its outer
/// names: without a bound a line's names could take far more memory than the line.
const LONGEST_NAME: usize = 64;

#[derive(Default)]
struct Fields {
    names: Vec<Box<str>>,
    values: Vec<Option<String>>,
    lists: Vec<(Box<str>, Vec<String>)>,
    composite: Vec<Composite>,
}

impl Fields {
    fn flatten(
        &mut self,
        within: &str,
        spelled_within: &str,
        object: &serde_json::Map<String, Value>,
    ) {
        for (spelled, value) in object {
            let name = format!("{within}{}", plain_name(spelled));
            if name.len() > LONGEST_NAME {
                continue;
            }
            // Shown to people: not so long that it would add up to more than the line.
            let spelled = if spelled_within.len() + spelled.len() <= LONGEST_NAME {
                format!("{spelled_within}{spelled}")
            } else {
                name.clone()
            };
            if let Value::Object(inner) = value {
                self.flatten(&format!("{name}."), &format!("{spelled}."), inner);
                if !inner.is_empty() {
                    let (name, spelled) = (name.into(), spelled.into());
                    self.composite.push(Composite { name, spelled, is_list: false });
                }
                continue;
            }
            let name: Box<str> = name.into();
            if let Value::Array(elements) = value {
                if elements.iter().any(|element| element.is_object() || element.is_array()) {
                    let (name, spelled) = (name.clone(), spelled.into());
                    self.composite.push(Composite { name, spelled, is_list: true });
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

    /// A megabyte would become gigabytes.
    #[test]
    fn names_do_not_add_up() {
        let many: serde_json::Map<String, Value> =
            (0..1_000).map(|number| (number.to_string(), number.into())).collect();
        let object = serde_json::json!({
            "meta": { "maxVisits": 5 },
            "x".repeat(100_000): many,
            "y": { "z".repeat(100_000): "text" },
        });
        let record = Record::of_json(object.as_object().unwrap());
        assert_eq!(record.get(&["meta.maxvisits"]), Some("5"));
        assert_eq!(record.names.len(), 1);
    }

    #[test]
    fn every_name_that_means_something_is_short_enough() {
        use crate::domain::import::Format;

        let formats = [Format::Terse, Format::Shlink, Format::Yourls, Format::Kutt, Format::Bitly];
        let names = formats.iter().flat_map(|format| format.names());
        assert!(names.clone().count() > 30);
        assert!(names.clone().all(|name| name.len() <= LONGEST_NAME));
    }
}
