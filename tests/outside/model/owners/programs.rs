//! An owner's program: random changes, reads and visits of the owner's links.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use reqwest::header::ETAG;
use serde_json::{Map, Value, json};

use super::super::choice::Choice;
use super::super::clients::{Client, Sent, Shared};
use super::CAMPAIGN;
use crate::harness::{Response, field};

/// Number of requests of a program per round.
const REQUESTS: usize = 20;

/// A request for links, and how it ended.
#[derive(Debug)]
pub(super) struct Request {
    /// Case by which its event is found, if the operation has one.
    pub(super) case: String,
    pub(super) has_case: bool,
    /// Event that the response names.
    pub(super) event: Option<i64>,
    /// The links that it may change. None: any.
    pub(super) codes: Vec<String>,
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
    /// Some of the links have changed, or none.
    Changed,
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
    let names = [
        "destination_url",
        "title",
        "campaign",
        "external_id",
        "is_paused",
        "forward_query",
        "fallback_url",
    ];
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
        let (code, other) = (choice.one(&codes).clone(), choice.one(&codes).clone());
        drop(codes);
        let case = format!("{name}-{number}");
        let if_match = tags.get(&code).filter(|_| choice.percent(40)).cloned();
        let target = format!("/api/manage/v1/links/{code}");
        let mut codes = vec![code.clone()];
        let (method, target, body, patch) = match choice.below(26) {
            0 => ("DELETE", format!("{target}?case_id={case}"), Value::Null, Value::Null),
            1..4 => ("GET", target, Value::Null, Value::Null),
            4..8 => ("GET", format!("/{code}"), Value::Null, Value::Null),
            8..11 => {
                let values = values(&mut choice);
                let target = format!("/api/manage/v1/external-links/{code}");
                ("PUT", target, named(&values, &code, false), values)
            }
            11..13 => {
                codes.push(other);
                codes.dedup();
                let values = values(&mut choice);
                let links: Vec<Value> =
                    codes.iter().map(|code| named(&values, code, true)).collect();
                let body = json!({ "links": links, "if_exists": "update" });
                ("POST", "/api/manage/v1/link-batches".to_owned(), body, values)
            }
            13..16 => {
                codes.push(other);
                let selectors = match choice.percent(30) {
                    true => {
                        codes.clear();
                        json!({ "campaign": CAMPAIGN })
                    }
                    false => json!({ "code": codes }),
                };
                let (action, patch) = match choice.below(8) {
                    0 if codes.len() == 2 => ("delete", Value::Null),
                    0..3 => ("pause", json!({ "is_paused": true })),
                    3..6 => ("unpause", json!({ "is_paused": false })),
                    _ => ("update", json!({ "title": case, "forward_query": true })),
                };
                let mut body = json!({ "action": action, "selectors": selectors });
                body["audit"] = json!({ "case_id": case });
                if action == "update" {
                    body["update"] = patch.clone();
                }
                ("POST", "/api/manage/v1/link-changes".to_owned(), body, patch)
            }
            _ => {
                let patch = some_values(&mut choice);
                let mut body = patch.clone();
                body["audit"] = json!({ "case_id": case });
                ("PATCH", target, body, patch)
            }
        };
        let mut fields = vec![field("X-API-Key", key), field("Content-Type", "application/json")];
        let if_match = if_match.filter(|_| matches!(method, "PATCH" | "DELETE"));
        fields.extend(if_match.iter().map(|tag| field("If-Match", tag)));
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let sent = client.send(choice.below(2), method, &target, &fields, &text);
        let is_visit = !target.starts_with("/api/");
        let mut event = None;
        let (answer, clicks) = match sent {
            Sent::Response(response) if is_visit => {
                assert!([302, 410, 503].contains(&response.status), "{response:#?}");
                let is_click = u64::from(response.status == 302);
                (Answer::Refused, (is_click, is_click + u64::from(response.status == 503)))
            }
            Sent::Response(response) => {
                event = event_of(&response);
                (answer(&response, method, if_match.is_some()), (0, 0))
            }
            Sent::Refused => (Answer::Refused, (0, 0)),
            Sent::Lost => (Answer::Unknown, (0, u64::from(is_visit))),
        };
        if let Answer::Shown { tag, .. } = &answer {
            tags.insert(code.clone(), tag.clone());
        }
        let has_case = method == "DELETE" || body["audit"].is_object();
        let patch = patch.as_object().cloned();
        requests.push(Request { case, has_case, event, codes, if_match, patch, answer, clicks });
    }
    requests
}

/// Returns the event that a response names in its header or its body.
fn event_of(response: &Response) -> Option<i64> {
    let header = response.header("event-id").and_then(|id| id.parse().ok());
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    header.or_else(|| body["event_id"].as_i64())
}

/// Returns new values of a link.
fn values(choice: &mut Choice) -> Value {
    let title = *choice.one(&[None, Some("one"), Some("two")]);
    json!({ "destination_url": choice.destination(), "title": title })
}

/// Returns the body that gives these values to the link with this code, whose external identifier is the
/// same. Once the link is deleted, the code cannot be used again, so that no link is created.
fn named(values: &Value, code: &str, with_external_id: bool) -> Value {
    let mut body = values.clone();
    body["custom_code"] = code.into();
    if with_external_id {
        body["external_id"] = code.into();
    }
    body
}

fn some_values(choice: &mut Choice) -> Value {
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
    let mut patch = json!({});
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
        (200 | 202, _) if method == "POST" => Answer::Changed,
        (409, "change-running") if method == "POST" => Answer::Refused,
        // The link is deleted, and nothing has its code again.
        (409, "code-in-use") if method == "PUT" => Answer::Missing,
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
