//! Rows of a file, the fields of one record in every encoding, and why some rows are none.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::detect::ReadOptions;
use crate::role::{Role, is_in_part, usual_names};
use crate::services::Source;
use crate::values::plain_name;

/// The names of the fields of a record, and what they say about a link.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) fields: Vec<RecordField>,
    /// Indexes of the fields in the order in which their values count.
    pub(crate) order: Vec<usize>,
    /// Indexes of the fields that the import ignores.
    pub(crate) ignored: Vec<usize>,
    /// Indexes of those of them that seem to have clicks or titles, which no other field has.
    pub(crate) overlooked: Vec<usize>,
    /// A name that several fields with a meaning have. The import would lose values.
    pub(crate) duplicate: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) struct RecordField {
    /// Name as the file spells it. In an object, it begins with the name of the object and a dot.
    pub(crate) name: String,
    /// Form of the name that is compared.
    pub(crate) plain: Box<str>,
    pub(crate) role: Role,
    /// Whether the field is in an object of a list, which may have several.
    pub(crate) is_in_list: bool,
    /// Whether the service has a meaning for it.
    is_known: bool,
}

impl Layout {
    /// Creates the layout of records with these names, from `source`.
    pub(crate) fn new(names: Vec<FieldName>, source: Source, options: &ReadOptions) -> Self {
        let known: Vec<_> = source.fields().map(|(name, role)| (plain_name(name), role)).collect();
        let is_ignored_by_user =
            |plain: &str| options.ignored_columns.iter().any(|name| *plain_name(name) == *plain);
        let code_column = options.code_column.as_ref().map(|name| plain_name(name));
        let mut ranks = Vec::with_capacity(names.len());
        let role = |plain: &str, is_in_list: bool| {
            if is_ignored_by_user(plain) {
                return (known.len(), Role::Ignored);
            }
            if code_column.as_deref() == Some(plain) {
                return (0, Role::ShortUrl);
            }
            let found = known.iter().position(|(name, _)| **name == *plain);
            let role = found.map_or_else(|| Role::of_name(plain), |index| known[index].1);
            let is_code =
                matches!(role, Role::Code | Role::EncodedCode | Role::ShortUrl | Role::OtherCode);
            // What is in a known field belongs to it. Elsewhere, an object of a known service restricts
            // a link only under a usual name.
            let is_part = || {
                let mut names = known.iter().map(|(name, _)| plain.strip_prefix(&**name));
                source != Source::Other && is_in_part(plain)
                    || names.any(|rest| rest.is_some_and(|rest| rest.starts_with('.')))
            };
            let is_hidden = is_code && (code_column.is_some() || is_in_list)
                || role == Role::OtherCode && plain.contains('.')
                || role == Role::Unknown && is_part();
            let role = if is_hidden {
                Role::Ignored
            } else if role == Role::Expires && is_in_list {
                Role::Audience
            } else {
                role
            };
            (found.unwrap_or(known.len()), role)
        };
        let mut fields: Vec<RecordField> = names
            .into_iter()
            .map(|FieldName { name, plain, is_in_list }| {
                let (rank, role) = role(&plain, is_in_list);
                ranks.push(rank);
                RecordField { name, plain, role, is_in_list, is_known: rank < known.len() }
            })
            .collect();
        // A file whose codes are in another column may have domains.
        let is_own = source == Source::Terse;
        if !is_own || code_column.is_some() {
            let is_free = |index: usize, field: &RecordField| {
                ranks[index] == known.len()
                    && !field.is_in_list
                    && !is_ignored_by_user(&field.plain)
            };
            let is_domain = |role: Role| matches!(role, Role::Domain | Role::DomainId);
            let usual = usual_names().filter(|(_, role)| !is_own || is_domain(*role));
            adopt_usual_names(&mut fields, usual, is_free);
        }
        let mut seen = HashSet::with_capacity(fields.len());
        let counts = |field: &&RecordField| {
            !field.is_in_list && !matches!(field.role, Role::Ignored | Role::Unknown | Role::Kind)
        };
        let mut again = fields.iter().filter(counts).filter(|field| !seen.insert(&*field.plain));
        let duplicate = again.next().map(|field| field.plain.clone());
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|index| ranks[*index]);
        let is_ignored = |index: &usize| {
            let role = fields[*index].role;
            matches!(role, Role::Ignored | Role::Unknown | Role::Kind)
                || role == Role::OtherCode && source == Source::Terse
        };
        let ignored: Vec<usize> = (0..fields.len()).filter(is_ignored).collect();
        let mut missing = vec![Role::Clicks, Role::Title];
        missing.retain(|role| fields.iter().all(|field| field.role != *role));
        let is_overlooked = |index: &&usize| {
            let plain = &*fields[**index].plain;
            let last = plain.rsplit('.').next().unwrap_or(plain);
            !is_ignored_by_user(plain)
                && Role::of_usual_name(last).is_some_and(|role| missing.contains(&role))
        };
        let overlooked = ignored.iter().filter(is_overlooked).copied().collect();
        Self { fields, order, ignored, overlooked, duplicate }
    }

    /// Marks the codes as percent-encoded.
    pub(crate) fn set_encoded_codes(&mut self) {
        for field in &mut self.fields {
            if field.role == Role::Code {
                field.role = Role::EncodedCode;
            }
        }
    }

    /// Returns whether a field has this role.
    pub(crate) fn has(&self, role: Role) -> bool {
        self.fields.iter().any(|field| field.role == role)
    }

    /// Returns whether records with these names have this layout.
    fn has_names(&self, names: &[FieldName]) -> bool {
        self.fields.len() == names.len()
            && self
                .fields
                .iter()
                .zip(names)
                .all(|(field, name)| field.name == name.name && field.is_in_list == name.is_in_list)
    }
}

/// Gives usual names their roles, if no field of the service has the role. `is_free` tells whether
/// the service has no meaning of its own for the field at an index.
fn adopt_usual_names(
    fields: &mut [RecordField],
    usual: impl Iterator<Item = (&'static str, Role)>,
    is_free: impl Fn(usize, &RecordField) -> bool,
) {
    for (name, role) in usual {
        if fields.iter().any(|field| field.role == role) {
            continue;
        }
        let found = fields.iter().enumerate().position(|(index, field)| {
            *field.plain == *name
                && is_free(index, field)
                && matches!(field.role, Role::Ignored | Role::Unknown)
        });
        if let Some(index) = found {
            fields[index].role = role;
        }
    }
}

/// The name of a field.
#[derive(Debug)]
pub(crate) struct FieldName {
    pub(crate) name: String,
    pub(crate) plain: Box<str>,
    pub(crate) is_in_list: bool,
}

impl FieldName {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.trim().to_owned(), plain: plain_name(name), is_in_list: false }
    }
}

/// The fields of one record.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) layout: Arc<Layout>,
    pub(crate) values: Vec<Option<String>>,
    /// Elements of the fields that are lists, in the order of their indexes.
    lists: Vec<(usize, Vec<String>)>,
    composite: Vec<CompositeField>,
    /// Fields with numbers whose texts may differ from those in the file, in order.
    inexact: Vec<usize>,
}

impl Record {
    /// Creates a record from the columns of a CSV file.
    pub(crate) fn from_columns(layout: Arc<Layout>, values: Vec<Option<String>>) -> Self {
        let (lists, composite, inexact) = (Vec::new(), Vec::new(), Vec::new());
        Self { layout, values, lists, composite, inexact }
    }

    /// Creates a record from a JSON object. The value of a list is the text of its elements,
    /// separated by `|`. `last` is the layout of the record before, which most records share.
    pub(crate) fn from_json(
        object: &Map<String, Value>,
        source: Source,
        options: &ReadOptions,
        last: &mut Option<Arc<Layout>>,
    ) -> Self {
        let Fields { names, values, lists, composite, inexact } = Fields::from_object(object);
        let layout = match last.as_ref().filter(|layout| layout.has_names(&names)) {
            Some(layout) => Arc::clone(layout),
            None => Arc::new(Layout::new(names, source, options)),
        };
        *last = Some(Arc::clone(&layout));
        Self { layout, values, lists, composite, inexact }
    }

    /// Returns each field that has a value that is not empty, in the order in which they count.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, &RecordField, &str)> {
        self.layout.order.iter().filter_map(|index| {
            let value = self.values.get(*index)?.as_deref().filter(|text| !text.is_empty())?;
            Some((*index, &self.layout.fields[*index], value))
        })
    }

    /// Returns whether the field has a number whose text may differ from that in the file.
    pub(crate) fn is_inexact(&self, index: usize) -> bool {
        self.inexact.binary_search(&index).is_ok()
    }

    /// Returns whether the field is a list.
    pub(crate) fn is_list(&self, index: usize) -> bool {
        self.list(index).is_some()
    }

    fn list(&self, index: usize) -> Option<&[String]> {
        self.lists.binary_search_by_key(&index, |(list, _)| *list).ok().map(|at| &*self.lists[at].1)
    }

    /// Returns the elements of a field. The elements of a text are its parts between `separators`.
    pub(crate) fn elements(&self, index: usize, separators: &[char]) -> Vec<&str> {
        let elements: Vec<&str> = match self.list(index) {
            Some(elements) => elements.iter().map(String::as_str).collect(),
            None => {
                let text = self.values.get(index).and_then(Option::as_deref);
                text.unwrap_or_default().split(separators).collect()
            }
        };
        elements.into_iter().map(str::trim).filter(|element| !element.is_empty()).collect()
    }

    /// Returns whether the field is an object of a known shape: one with a field that the source has a
    /// meaning for.
    fn knows_part(&self, field: &CompositeField) -> bool {
        !field.is_list
            && self.layout.fields.iter().any(|inner| {
                let rest = inner.plain.strip_prefix(&*field.plain);
                inner.is_known && rest.is_some_and(|rest| rest.starts_with('.'))
            })
    }

    /// Returns the names of fields that hold the value of a field with a meaning in a structure that
    /// the import does not support.
    pub(crate) fn unsupported_fields(&self, source: Source) -> impl Iterator<Item = &str> {
        let hides = move |field: &&CompositeField| {
            let is_hidden = |(name, role): (&str, Role)| {
                !matches!(role, Role::Ignored | Role::Rules | Role::Tags)
                    && field.contains_field(&plain_name(name))
            };
            source.fields().any(is_hidden) && !self.knows_part(field)
        };
        self.composite.iter().filter(hides).map(|field| &*field.name)
    }
}

/// Returns the names of the fields of an object, as the file spells them.
pub(crate) fn field_names(object: &Map<String, Value>) -> Vec<String> {
    Fields::from_object(object).names.into_iter().map(|name| name.name).collect()
}

/// RecordField whose value is an object, or a list with objects or lists in it.
#[derive(Debug)]
struct CompositeField {
    plain: Box<str>,
    name: String,
    /// Whether the value is a list, which may have several objects.
    is_list: bool,
}

impl CompositeField {
    /// Returns whether this field holds the value of the field `plain` in such a way that the import
    /// would lose it.
    fn contains_field(&self, plain: &str) -> bool {
        plain
            .strip_prefix(&*self.plain)
            .is_some_and(|rest| rest.is_empty() || self.is_list && rest.starts_with('.'))
    }
}

/// Maximum length of the name of a nested field, longer than any known name. Each name repeats the
/// names of the objects around the field, and could otherwise take far more memory than the record.
pub(crate) const MAX_NAME: usize = 64;

#[derive(Default)]
struct Fields {
    names: Vec<FieldName>,
    values: Vec<Option<String>>,
    lists: Vec<(usize, Vec<String>)>,
    composite: Vec<CompositeField>,
    inexact: Vec<usize>,
}

impl Fields {
    fn from_object(object: &Map<String, Value>) -> Self {
        let mut fields = Self::default();
        fields.flatten("", object, false);
        fields
    }

    fn flatten(&mut self, within: &str, object: &Map<String, Value>, is_in_list: bool) {
        for (name, value) in object {
            let name = format!("{within}{}", name.trim());
            if name.len() > MAX_NAME {
                continue;
            }
            let plain = plain_name(&name);
            match value {
                Value::Object(inner) => {
                    self.flatten(&format!("{name}."), inner, is_in_list);
                    if !inner.is_empty() {
                        self.composite.push(CompositeField { plain, name, is_list: false });
                    }
                    continue;
                }
                Value::Array(elements) => {
                    for inner in elements.iter().filter_map(Value::as_object) {
                        self.flatten(&format!("{name}."), inner, true);
                    }
                    if elements.iter().any(|element| element.is_object() || element.is_array()) {
                        let (plain, name) = (plain.clone(), name.clone());
                        self.composite.push(CompositeField { plain, name, is_list: true });
                    }
                    let texts = elements.iter().filter_map(text_of).collect();
                    self.lists.push((self.names.len(), texts));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
            if is_inexact(value) {
                self.inexact.push(self.names.len());
            }
            self.names.push(FieldName { name, plain, is_in_list });
            self.values.push(text_of(value));
        }
    }
}

/// Returns whether the value has a number that is not kept as the file writes it: `1e5`, `1.50`, or a
/// whole number of more than 64 bits.
fn is_inexact(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(elements) => elements.iter().any(is_inexact),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_) => false,
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

/// Location in a file at which a row begins. It is part of the identity of a row without a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLocation {
    /// Line number, from 1.
    pub line: u64,
    /// Number of the JSON object in the line, from 1, if the line has several.
    pub object: Option<u64>,
}

impl fmt::Display for RowLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}", self.line)?;
        self.object.map_or(Ok(()), |object| write!(formatter, ", object {object}"))
    }
}

/// A row of a file: a record, or a text that is not a record.
#[derive(Debug)]
pub struct Row {
    /// Location in the file.
    pub location: RowLocation,
    /// Location in the original file, if known. It differs from `location` in a rejects file.
    pub origin: Option<RowLocation>,
    pub(crate) content: RawContent,
}

#[derive(Debug)]
pub(crate) enum RawContent {
    /// The fields of a link and, in a JSON file, the text of the object.
    Record { record: Record, text: Option<String> },
    /// A text that is not a record, and the reason why it is not.
    Broken { reason: String, text: String },
}

/// A row as it is in the file.
#[derive(Debug, Clone)]
pub enum RawRow {
    /// Values of a CSV row by column.
    Fields(Vec<Option<String>>),
    /// Text of a JSON object.
    Object(String),
    /// Text of a row that could not be parsed.
    Text(String),
}

impl Row {
    /// Returns the row as it is in the file.
    pub fn into_raw(self) -> RawRow {
        match self.content {
            RawContent::Record { record, text } => {
                text.map_or(RawRow::Fields(record.values), RawRow::Object)
            }
            RawContent::Broken { text, .. } => RawRow::Text(text),
        }
    }
}

pub(crate) const NOT_UTF8: &str = "it is not UTF-8";
/// Reason to refuse a file whose header, or each of whose first records, is not UTF-8.
pub(crate) const OTHER_ENCODING: &str =
    "it is not UTF-8; --encoding names its encoding, such as windows-1252";
/// Reason to reject a row of a rejects file if the user has not replaced its unreadable bytes.
pub(crate) const WAS_NOT_UTF8: &str =
    "it was not UTF-8, and has \u{fffd} in place of what could not be read";
pub(crate) const TOO_LONG: &str = "it is longer than 16 MiB";
pub(crate) const NOT_AN_OBJECT: &str = "it is not a JSON object";

/// A record of a JSON file, or the text of something else and the reason why it is none.
pub(crate) struct Entry {
    pub(crate) location: RowLocation,
    pub(crate) origin: Option<RowLocation>,
    pub(crate) content: Result<Map<String, Value>, String>,
    pub(crate) text: String,
}

pub(crate) fn broken(location: RowLocation, reason: &str, bytes: &[u8]) -> Entry {
    let text = String::from_utf8_lossy(bytes).into_owned();
    Entry { location, origin: Some(location), content: Err(reason.to_owned()), text }
}

/// Returns why a text is not JSON. The reason omits serde_json's line number, which is that in the
/// record.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return what.to_owned();
    }
    let hint = if error.is_eof() { "; the line or file ends within the link" } else { "" };
    format!("it is not JSON: {what} at column {}{hint}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the limit, a megabyte would become gigabytes.
    #[test]
    fn nested_names_are_skipped_above_the_limit() {
        let many: Map<String, Value> =
            (0..1_000).map(|number| (number.to_string(), number.into())).collect();
        let object = serde_json::json!({
            "meta": { "maxVisits": 5 },
            "x".repeat(100_000): many,
            "y": { "z".repeat(100_000): "text" },
        });
        assert_eq!(field_names(object.as_object().unwrap()), ["meta.maxVisits"]);
    }
}
