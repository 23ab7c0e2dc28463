//! An owner's program: random changes, reads and visits of the owner's links.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use reqwest::header::ETAG;
use serde_json::{Map, Value, json};

use super::super::choice::Choice;
use super::super::clients::{Client, Sent, Shared};
use crate::harness::{Response, field};

/// Number of requests of a program per round.
const REQUESTS: usize = 20;

/// A request for a link, and how it ended.
#[derive(Debug)]
pub(super) struct Request {
    /// Case by which its event is found.
    pub(super) case: String,
    pub(super) code: String,
    pub(super) if_match: Option<String>,
    /// The values of a patch.
    pub(super) patch: Option<Map<String, Value>>,
    pub(super) answer: Answer,
    /// The fewest and the most clicks that it caused.
    pub(super) clicks: (u64, u64),
}

/// How a request ended.
#[derive(Debug)]
pub(super) enum Answer {
    /// The link that a server returned: the values that can be written, and the entity tag.
    Shown { values: Value, tag: String },
    /// The link is deleted.
    Deleted,
    /// The server refused the request.
    Refused,
    /// The link is missing. If it was deleted during the request, that may have changed it before.
    Missing,
    /// A killed server may have completed the request.
    Unknown,
}

impl Answer {
    pub(super) fn may_have_changed(&self) -> bool {
        !matches!(self, Self::Refused)
    }
}

/// The entity tags of values: equal values have equal tags, and others have others.
#[derive(Debug, Default)]
pub(super) struct Versions {
    tags: BTreeMap<String, String>,
    values: BTreeMap<String, String>,
}

impl Versions {
    pub(super) fn add(&mut self, values: &Value, tag: &str) {
        let values = values.to_string();
        let known = self.tags.entry(values.clone()).or_insert_with(|| tag.to_owned());
        assert_eq!(known, tag, "two entity tags of {values}");
        let known = self.values.entry(tag.to_owned()).or_insert_with(|| values.clone());
        assert_eq!(*known, values, "two versions with the entity tag {tag}");
    }

    pub(super) fn len(&self) -> usize {
        self.tags.len()
    }
}

/// Returns the values of a link that patches of these tests can write.
pub(super) fn values_of(of: &BTreeMap<String, Value>) -> Value {
    let names =
        ["destination_url", "title", "campaign", "is_paused", "forward_query", "fallback_url"];
    names.iter().map(|name| of.get(*name).cloned().unwrap_or_default()).collect()
}

/// Sends random requests.
pub(super) fn run_program(
    shared: &Shared,
    mut choice: Choice,
    name: &str,
    key: &str,
) -> Vec<Request> {
    let (mut client, mut requests) = (Client::new(shared), Vec::new());
    let mut tags: BTreeMap<String, String> = BTreeMap::new();
    for number in 0..REQUESTS {
        let codes = shared.codes.read().unwrap_or_else(PoisonError::into_inner);
        let code = choice.one(&codes).clone();
        drop(codes);
        let case = format!("{name}-{number}");
        let if_match = tags.get(&code).filter(|_| choice.percent(40)).cloned();
        let target = format!("/api/manage/v1/links/{code}");
        let (method, target, body) = match choice.below(20) {
            0 => ("DELETE", format!("{target}?case_id={case}"), Value::Null),
            1..4 => ("GET", target, Value::Null),
            4..8 => ("GET", format!("/{code}"), Value::Null),
            _ => ("PATCH", target, patch(&mut choice, &case)),
        };
        let mut fields = vec![field("X-API-Key", key), field("Content-Type", "application/json")];
        let if_match = if_match.filter(|_| matches!(method, "PATCH" | "DELETE"));
        fields.extend(if_match.iter().map(|tag| field("If-Match", tag)));
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let sent = client.send(choice.below(2), method, &target, &fields, &text);
        let is_visit = !target.starts_with("/api/");
        let (answer, clicks) = match sent {
            Sent::Response(response) if is_visit => {
                assert!([302, 410, 503].contains(&response.status), "{response:#?}");
                let is_click = u64::from(response.status == 302);
                (Answer::Refused, (is_click, is_click + u64::from(response.status == 503)))
            }
            Sent::Response(response) => (answer(&response, method, if_match.is_some()), (0, 0)),
            Sent::Refused => (Answer::Refused, (0, 0)),
            Sent::Lost => (Answer::Unknown, (0, u64::from(is_visit))),
        };
        if let Answer::Shown { tag, .. } = &answer {
            tags.insert(code.clone(), tag.clone());
        }
        let patch = body.as_object().cloned().map(|mut patch| {
            patch.remove("audit");
            patch
        });
        requests.push(Request { case, code, if_match, patch, answer, clicks });
    }
    requests
}

fn patch(choice: &mut Choice, case: &str) -> Value {
    let title = (*choice.one(&[None, Some("one"), Some("two")])).map_or(Value::Null, Value::from);
    let ended = choice.percent(50).then_some("https://example.org/ended");
    let values = [
        ("title", title),
        ("destination_url", json!(choice.destination())),
        ("is_paused", json!(choice.below(2) == 1)),
        ("forward_query", json!(choice.below(2) == 1)),
        ("fallback_url", json!(ended)),
    ];
    let first = choice.below(values.len());
    let mut patch = json!({ "audit": { "case_id": case } });
    for (number, (name, value)) in values.into_iter().enumerate() {
        if number == first || choice.percent(25) {
            patch[name] = value;
        }
    }
    patch
}

fn answer(response: &Response, method: &str, has_condition: bool) -> Answer {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let code = body["code"].as_str().unwrap_or_default();
    match (response.status, code) {
        (200, _) => {
            let link: BTreeMap<String, Value> =
                serde_json::from_slice(&response.body).expect("a link");
            let tag = response.header(ETAG.as_str()).expect("an entity tag").to_owned();
            Answer::Shown { values: values_of(&link), tag }
        }
        (204, _) if method == "DELETE" => Answer::Deleted,
        (404, "link-not-found") => Answer::Missing,
        (409, "link-disabled") if method != "GET" => Answer::Refused,
        (412, "precondition-failed") if has_condition => Answer::Refused,
        (503, _) => Answer::Unknown,
        _ => panic!("{method}: {response:#?}"),
    }
}
