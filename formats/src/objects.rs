//! Links in a line of JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::lines::{Line, NOT_UTF8, TOO_LONG, WAS_NOT_UTF8, trimmed};
use crate::location::RowLocation;
use crate::record::Record;
use crate::row::{RawContent, Row};
use crate::source::Source;
use crate::{json, rejects};

/// Hint for a line that ends within a JSON object.
pub(crate) const ONE_LINE_HINT: &str = "; all of a link must be on one line";
const NOT_AN_OBJECT: &str = "it is not a JSON object";

/// Iterator of the records in a line. It builds them one at a time, because a line may have many.
pub(crate) type Objects = Box<dyn Iterator<Item = Row> + Send>;

/// JSON values of a line.
struct LineContents {
    all: Box<dyn Iterator<Item = RawContent> + Send>,
    are_several: bool,
}

impl LineContents {
    fn from_one(content: RawContent) -> Self {
        Self { all: Box::new(std::iter::once(content)), are_several: false }
    }

    fn from_values(values: Vec<Value>) -> Self {
        let are_several = values.len() > 1;
        let link = |value: Value| {
            let text = value.to_string();
            content(value, &text)
        };
        Self { all: Box::new(values.into_iter().map(link)), are_several }
    }

    fn at(
        self,
        line: u64,
        origin: impl Fn(RowLocation) -> Option<RowLocation> + Send + 'static,
    ) -> Objects {
        let Self { all, are_several } = self;
        Box::new(all.zip(1..).map(move |(content, number)| {
            let location = RowLocation { line, object: are_several.then_some(number) };
            Row { location, origin: origin(location), content }
        }))
    }
}

/// Returns the records in a line of JSON: one link, the links on a page from a service's API, or a
/// row of a rejects file.
pub(crate) fn objects(line: &Line) -> Objects {
    let text = String::from_utf8_lossy(trimmed(&line.bytes));
    if line.is_cut || matches!(text, Cow::Owned(_)) {
        let reason = if line.is_cut { TOO_LONG } else { NOT_UTF8 };
        return LineContents::from_one(broken_content(reason, &text)).at(line.number, Some);
    }
    let value = match json::parse(&text) {
        Ok(value) => value,
        Err(error) => return LineContents::from_one(not_json(&error, &text)).at(line.number, Some),
    };
    match value.as_object().and_then(rejects::object) {
        None => contents(value, &text).at(line.number, Some),
        Some((origin, record)) => corrected(record.clone()).at(line.number, move |location| {
            // The user may have replaced a broken line by a page with several links.
            origin.map(|origin| RowLocation { object: origin.object.or(location.object), ..origin })
        }),
    }
}

/// Parses the member `record` of a row of a rejects file: an object, or the text of a row that was
/// not an object.
fn corrected(record: Value) -> LineContents {
    let Some(text) = record.as_str() else {
        let text = record.to_string();
        return contents(record, &text);
    };
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return LineContents::from_one(broken_content(WAS_NOT_UTF8, text));
    }
    match json::parse(text) {
        Ok(value) => contents(value, text),
        Err(error) => LineContents::from_one(not_json(&error, text)),
    }
}

fn contents(value: Value, text: &str) -> LineContents {
    match value {
        Value::Object(object) => match page(object) {
            Ok(values) => LineContents::from_values(values),
            Err(link) => LineContents::from_one(content(link, text)),
        },
        Value::Array(values) => LineContents::from_values(values),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            LineContents::from_one(broken_content(NOT_AN_OBJECT, text))
        }
    }
}

fn content(value: Value, text: &str) -> RawContent {
    let Value::Object(object) = value else { return broken_content(NOT_AN_OBJECT, text) };
    RawContent::Record { record: Record::from_json(&object), text: Some(text.to_owned()) }
}

fn broken_content(reason: &str, text: &str) -> RawContent {
    RawContent::Broken { reason: reason.to_owned(), text: text.to_owned() }
}

/// Returns the links on a page from a service's API. The page has them in `shortUrls.data`
/// (Shlink), `data` (Kutt) or `links` (Bitly and YOURLS).
///
/// # Errors
/// Returns `object` itself if it is a link, or is neither a link nor a page.
fn page(object: Map<String, Value>) -> Result<Vec<Value>, Value> {
    let names: Vec<String> = object.keys().cloned().collect();
    if Source::recognise(&names).is_some() {
        return Err(Value::Object(object));
    }
    let paths = ["/shortUrls/data", "/data", "/links"];
    let mut whole = Value::Object(object);
    let path = paths.into_iter().find(|path| whole.pointer(path).is_some());
    match path.and_then(|path| whole.pointer_mut(path)) {
        Some(Value::Array(links)) => Ok(std::mem::take(links)),
        Some(Value::Object(links)) => {
            Ok(std::mem::take(links).into_iter().map(|(_, link)| link).collect())
        }
        _ => Err(whole),
    }
}

/// Returns the content for a line that is not JSON. The reason omits serde_json's line number,
/// which is always 1.
fn not_json(error: &serde_json::Error, text: &str) -> RawContent {
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return broken_content(what, text);
    }
    let hint = if error.is_eof() { ONE_LINE_HINT } else { "" };
    broken_content(&format!("it is not JSON: {what} at column {}{hint}", error.column()), text)
}
