//! The links in a line of JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::lines::{Line, NO_UTF8, TOO_LONG, WAS_NO_UTF8, trimmed};
use super::record::Record;
use super::records::{Content, RawRecord};
use super::rejects;
use super::{Format, Place, json};

/// What is said beside of a line that ends too early.
pub(super) const ON_ONE_LINE: &str = "; all of a link must be on one line";
const NO_OBJECT: &str = "it is not a JSON object";

/// What comes out of a line, one after the other: there may be very many.
pub(super) type Objects = Box<dyn Iterator<Item = RawRecord> + Send>;

/// The contents of a line, and whether there may be several.
struct Contents {
    all: Box<dyn Iterator<Item = Content> + Send>,
    are_several: bool,
}

impl Contents {
    fn one(content: Content) -> Self {
        Self { all: Box::new(std::iter::once(content)), are_several: false }
    }

    fn of(values: Vec<Value>) -> Self {
        let are_several = values.len() > 1;
        let link = |value: Value| {
            let text = value.to_string();
            content(value, &text)
        };
        Self { all: Box::new(values.into_iter().map(link)), are_several }
    }

    fn placed(
        self,
        line: u64,
        origin: impl Fn(Place) -> Option<Place> + Send + 'static,
    ) -> Objects {
        let Self { all, are_several } = self;
        Box::new(all.zip(1..).map(move |(content, number)| {
            let place = Place { line, object: are_several.then_some(number) };
            RawRecord { place, origin: origin(place), content }
        }))
    }
}

/// The objects of a line: one link, those of one page of an API's answers, or what was refused of
/// another file.
pub(super) fn objects(line: &Line) -> Objects {
    let text = String::from_utf8_lossy(trimmed(&line.bytes));
    if line.is_cut || matches!(text, Cow::Owned(_)) {
        let reason = if line.is_cut { TOO_LONG } else { NO_UTF8 };
        return Contents::one(broken(reason, &text)).placed(line.number, Some);
    }
    let value = match json::parse(&text) {
        Ok(value) => value,
        Err(error) => return Contents::one(no_json(&error, &text)).placed(line.number, Some),
    };
    match value.as_object().and_then(rejects::object) {
        None => contents(value, &text).placed(line.number, Some),
        Some((origin, record)) => mended(record.clone()).placed(line.number, move |place| {
            // A line that was broken may have become a page.
            origin.map(|origin| Place { object: origin.object.or(place.object), ..origin })
        }),
    }
}

/// What was refused: an object, or a text that was none then.
fn mended(record: Value) -> Contents {
    let Some(text) = record.as_str() else {
        let text = record.to_string();
        return contents(record, &text);
    };
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return Contents::one(broken(WAS_NO_UTF8, text));
    }
    match json::parse(text) {
        Ok(value) => contents(value, text),
        Err(error) => Contents::one(no_json(&error, text)),
    }
}

fn contents(value: Value, text: &str) -> Contents {
    match value {
        Value::Object(object) => match page(object) {
            Ok(values) => Contents::of(values),
            Err(link) => Contents::one(content(link, text)),
        },
        Value::Array(values) => Contents::of(values),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Contents::one(broken(NO_OBJECT, text))
        }
    }
}

fn content(value: Value, text: &str) -> Content {
    let Value::Object(object) = value else { return broken(NO_OBJECT, text) };
    Content::Record { record: Record::of_json(&object), text: Some(text.to_owned()) }
}

fn broken(reason: &str, text: &str) -> Content {
    Content::Broken { reason: reason.to_owned(), text: text.to_owned() }
}

/// The links of one page, if it is one and not a link itself: Shlink's `shortUrls.data`, Kutt's
/// `data`, Bitly's `links`, YOURLS's `links`.
fn page(object: Map<String, Value>) -> Result<Vec<Value>, Value> {
    let names: Vec<String> = object.keys().cloned().collect();
    if Format::recognise(&names).is_some() {
        return Err(Value::Object(object));
    }
    let places = ["/shortUrls/data", "/data", "/links"];
    let mut whole = Value::Object(object);
    let place = places.into_iter().find(|place| whole.pointer(place).is_some());
    match place.and_then(|place| whole.pointer_mut(place)) {
        Some(Value::Array(links)) => Ok(std::mem::take(links)),
        Some(Value::Object(links)) => {
            Ok(std::mem::take(links).into_iter().map(|(_, link)| link).collect())
        }
        _ => Err(whole),
    }
}

/// serde_json counts lines from the beginning of the text, which is always the first here.
fn no_json(error: &serde_json::Error, text: &str) -> Content {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return broken(what, text);
    }
    let hint = if error.is_eof() { ON_ONE_LINE } else { "" };
    broken(&format!("it is not JSON: {what} at column {}{hint}", error.column()), text)
}
