//! The links in a line of JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::lines::{Line, NO_UTF8, TOO_LONG, WAS_NO_UTF8, trimmed};
use super::record::Record;
use super::records::{Content, Read};
use super::rejects;
use super::{Place, json};

const NO_OBJECT: &str = "it is not a JSON object";

/// The objects of a line: one link, those of one page of an API's answers, or what was refused of
/// another file.
pub(super) fn objects(line: &Line) -> Vec<Read> {
    let text = String::from_utf8_lossy(trimmed(&line.bytes));
    if line.is_cut || matches!(text, Cow::Owned(_)) {
        let reason = if line.is_cut { TOO_LONG } else { NO_UTF8 };
        return placed(vec![broken(reason, &text)], line.number, Some);
    }
    let value = match json::parse(&text) {
        Ok(value) => value,
        Err(error) => return placed(vec![no_json(&error, &text)], line.number, Some),
    };
    match value.as_object().and_then(rejects::object) {
        None => placed(contents(&value, &text), line.number, Some),
        Some((origin, record)) => placed(mended(record), line.number, |place| {
            // A line that was broken may have become a page.
            origin.map(|origin| Place { object: origin.object.or(place.object), ..origin })
        }),
    }
}

fn placed(contents: Vec<Content>, line: u64, origin: impl Fn(Place) -> Option<Place>) -> Vec<Read> {
    let are_several = contents.len() > 1;
    let read = contents.into_iter().zip(1..).map(|(content, number)| {
        let place = Place { line, object: are_several.then_some(number) };
        Read { place, origin: origin(place), content }
    });
    read.collect()
}

/// What was refused: an object, or a text that was none then.
fn mended(record: &Value) -> Vec<Content> {
    let Some(text) = record.as_str() else { return contents(record, &record.to_string()) };
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return vec![broken(WAS_NO_UTF8, text)];
    }
    match json::parse(text) {
        Ok(value) => contents(&value, text),
        Err(error) => vec![no_json(&error, text)],
    }
}

fn contents(value: &Value, text: &str) -> Vec<Content> {
    let link = |value: &Value| content(value, &value.to_string());
    match value {
        Value::Object(object) => match page(object) {
            Some(values) => values.into_iter().map(link).collect(),
            None => vec![content(value, text)],
        },
        Value::Array(values) => values.iter().map(link).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            vec![broken(NO_OBJECT, text)]
        }
    }
}

fn content(value: &Value, text: &str) -> Content {
    match value.as_object() {
        Some(object) => {
            Content::Record { record: Record::of_json(object), text: Some(text.to_owned()) }
        }
        None => broken(NO_OBJECT, text),
    }
}

fn broken(reason: &str, text: &str) -> Content {
    Content::Broken { reason: reason.to_owned(), text: text.to_owned() }
}

/// The links of one page, if it is one: Shlink's `shortUrls.data`, Kutt's `data`, Bitly's `links`,
/// YOURLS's `links`.
fn page(object: &Map<String, Value>) -> Option<Vec<&Value>> {
    let shlink = object.get("shortUrls").and_then(|page| page.get("data"));
    match shlink.or_else(|| object.get("data")).or_else(|| object.get("links"))? {
        Value::Array(links) => Some(links.iter().collect()),
        Value::Object(links) => Some(links.values().collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// serde_json counts lines from the beginning of the text, which is always the first here.
fn no_json(error: &serde_json::Error, text: &str) -> Content {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return broken(what, text);
    }
    broken(&format!("it is not JSON: {what} at column {}", error.column()), text)
}
