//! Responses of operations in the document: what all have, and those of the declared problems.

use std::collections::BTreeMap;

use poem::http::{Method, StatusCode};
use poem_openapi::registry::MetaHeader;
use serde_json::{Map, Value, json};

use super::headers::{self, OPERATION_PATH};
use super::interface::{Interface, PathOperation};
use crate::http::problem::PROBLEM_JSON;
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;

/// Header fields of successful responses, which poem-openapi writes in upper case.
const OWN_HEADERS: [&str; 5] = ["Location", "Idempotent-Replayed", "Link", "ETag", "Event-Id"];

/// Completes the responses of an operation at `path`: adds the headers that all of them have, and
/// replaces the one without a status by one per status of the operation's problems.
pub(super) fn complete(
    interface: &Interface,
    PathOperation { method, operation, problems, has_body, has_if_match, .. }: &PathOperation,
    path: &str,
    value: &mut Value,
) {
    let parameters = value["parameters"].as_array().into_iter().flatten();
    let path = parameters.fold(path.to_owned(), |path, parameter| {
        let name = format!("{{{}}}", parameter["name"].as_str().unwrap_or_default());
        path.replace(&name, parameter["schema"]["example"].to_string().trim_matches('"'))
    });
    let common = || std::iter::once(named(headers::request_id()));
    let Some(responses) = value["responses"].as_object_mut() else { return };
    let template = responses.shift_remove("default").unwrap_or_default();
    for (status, success) in responses.iter_mut() {
        success["description"] = match status.as_str() {
            "202" => "The change goes on after 20 seconds. `Location` is that of its event.".into(),
            _ => operation.success.into(),
        };
        let own = success["headers"].as_object().cloned().unwrap_or_default();
        let own = own.into_iter().map(|(name, header)| (own_name(name), described(header, &path)));
        let limit = headers::of_limit(99).into_iter().map(named);
        let limit = limit.filter(|_| !interface.is_for_operator);
        success["headers"] = Value::Object(common().chain(own).chain(limit).collect());
    }
    let mut statuses: BTreeMap<StatusCode, Vec<&ProblemExample>> = BTreeMap::new();
    for problem in problems {
        statuses.entry(problem.problem_type.status).or_default().push(problem);
    }
    for (status, problems) in statuses {
        let mut response = template.clone();
        let text = description(interface, status, &problems, *has_body);
        let is_refusal = status == StatusCode::BAD_REQUEST && method != Method::GET;
        let conditions = match has_if_match {
            _ if !is_refusal || !interface.is_strict => "",
            true => {
                " So do a malformed `If-Match`, and `If-None-Match` and `If-Unmodified-Since`, which are not \
                 evaluated."
            }
            false => {
                " So do `If-Match`, `If-None-Match` and `If-Unmodified-Since`, which are not evaluated."
            }
        };
        response["description"] = format!("{text}{conditions}").into();
        for problem in &problems {
            let (problem_type, body) = (problem.problem_type, problem.body());
            let examples = &mut response["content"][PROBLEM_JSON]["examples"];
            let slug = problem_type.slug;
            // Several examples may have the same code.
            let names =
                std::iter::once(slug.to_owned()).chain((2..).map(|n| format!("{slug}-{n}")));
            let mut free = names.filter(|name| examples.get(name).is_none());
            let name = free.next().unwrap_or_default();
            examples[name] = json!({ "summary": problem_type.title, "value": body });
        }
        let headers = headers::of_problem(status, interface.is_for_operator).into_iter().map(named);
        let is_patch = problems.contains(&&ProblemExample::NOT_A_PATCH);
        let accepted = is_patch.then(|| named(headers::accept_patch()));
        let is_daily =
            problems.iter().any(|one| one.problem_type == ProblemType::DAILY_LIMIT_REACHED);
        let retry = is_daily.then(|| named(headers::of_daily_limit()));
        let all = common().chain(accepted).chain(retry).chain(headers);
        response["headers"] = Value::Object(all.collect());
        responses.insert(status.as_str().to_owned(), response);
    }
}

fn named(header: MetaHeader) -> (String, Value) {
    (header.name.clone(), json!(header))
}

fn own_name(name: String) -> String {
    let known = OWN_HEADERS.into_iter().find(|known| known.eq_ignore_ascii_case(&name));
    known.map_or(name, str::to_owned)
}

/// Moves the description of a header's schema to the header, and completes its example.
fn described(mut header: Value, path: &str) -> Value {
    let schema = &mut header["schema"];
    let description = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
    if let Some(Value::String(example)) = schema.get_mut("example") {
        *example = example.replace(OPERATION_PATH, path);
    }
    let description = description.map(|text| ("description".to_owned(), text));
    let members = header.as_object().cloned().unwrap_or_default();
    Value::Object(description.into_iter().chain(members).collect::<Map<_, _>>())
}

/// Returns the description of a problem response.
fn description(
    interface: &Interface,
    status: StatusCode,
    problems: &[&ProblemExample],
    has_body: bool,
) -> String {
    let has_key = problems.contains(&&ProblemExample::MALFORMED_KEY);
    let has_destination =
        problems.iter().any(|one| one.problem_type == ProblemType::DESTINATION_BLOCKED);
    let text = match status {
        StatusCode::BAD_REQUEST if has_body => {
            let key = "`Idempotency-Key` is malformed or appears with different values";
            let others = match (interface.is_strict, has_key) {
                (true, true) => format!(", {key}, or the query has a parameter"),
                (true, false) => ", or the query has a parameter".to_owned(),
                (false, true) => format!(", or {key}"),
                (false, false) => String::new(),
            };
            return format!(
                "The body is not JSON that can be read or did not arrive in full within 30 \
                 seconds{others}; nothing was changed."
            );
        }
        StatusCode::BAD_REQUEST if problems.contains(&&ProblemExample::MALFORMED_IF_MATCH) => {
            "`If-Match` or a query parameter is malformed, or a parameter is unknown, is not UTF-8 or \
             appears more than once. Nothing was changed."
        }
        StatusCode::BAD_REQUEST if interface.is_strict => {
            "A query parameter is unknown, is malformed, is not UTF-8, or appears more than once. \
             Nothing was changed."
        }
        StatusCode::BAD_REQUEST => {
            "A query parameter is malformed, is not UTF-8, or appears more than once. \
             Unknown parameters are ignored."
        }
        StatusCode::UNAUTHORIZED if interface.is_for_operator => {
            "The operator key is missing, unknown, expired or revoked, or the two headers carry different \
             keys."
        }
        StatusCode::NOT_FOUND if interface.is_for_operator => {
            "What the path, the query or the body names does not exist, or this list did not issue \
             `cursor`; `code` says which."
        }
        StatusCode::UNAUTHORIZED => {
            "The API key is missing, unknown, expired or revoked, or the two headers carry \
             different keys."
        }
        StatusCode::FORBIDDEN if problems.contains(&&ProblemExample::OPERATOR_ROLE) => {
            "The role of the operator key does not allow the operation. Nothing was changed."
        }
        StatusCode::FORBIDDEN => {
            "The owner of the API key is suspended, or the key's scope does not allow the operation; \
             `code` says which. Nothing was changed."
        }
        StatusCode::NOT_FOUND if problems.contains(&&ProblemExample::KEY_NOT_FOUND) => {
            "The owner of the API key has no such key, or it is revoked."
        }
        StatusCode::NOT_FOUND if problems.len() > 1 => {
            "The owner of the API key has no such link, or this list did not issue `cursor` to this \
             owner; `code` says which."
        }
        StatusCode::NOT_FOUND if problems.contains(&&ProblemExample::CURSOR_NOT_FOUND) => {
            "This list did not issue `cursor` to this owner."
        }
        StatusCode::NOT_FOUND => "The owner of the API key has no such link.",
        StatusCode::CONFLICT => {
            "The request conflicts with what is stored; `code` says how. Nothing was changed."
        }
        StatusCode::PRECONDITION_FAILED => {
            "What the path names has changed since it was read: `If-Match` does not name its `ETag`. \
             Nothing was changed."
        }
        StatusCode::PAYLOAD_TOO_LARGE if problems.contains(&&ProblemExample::BATCH_TOO_LARGE) => {
            "The body is larger than 4 MiB."
        }
        StatusCode::PAYLOAD_TOO_LARGE
            if problems.contains(&&ProblemExample::LARGE_BODY_TOO_LARGE) =>
        {
            "The body is larger than 1 MiB."
        }
        StatusCode::PAYLOAD_TOO_LARGE => "The body is larger than 64 KiB.",
        StatusCode::UNSUPPORTED_MEDIA_TYPE if problems.contains(&&ProblemExample::NOT_A_PATCH) => {
            "The body is not sent as `application/json` or `application/merge-patch+json`, or has a \
             `Content-Encoding` such as `gzip`."
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "The body is not sent as `application/json`, or has a `Content-Encoding` such as `gzip`."
        }
        StatusCode::UNPROCESSABLE_ENTITY => {
            let unknown = if interface.is_strict { "unknown, " } else { "" };
            let listed = if has_destination {
                "field that is invalid by itself; if there is none, those that the service forbids, \
                 such as a blocked destination"
            } else {
                "invalid field"
            };
            return format!(
                "A field is missing, {unknown}repeated, of the wrong type or not valid. `errors` \
                 lists every {listed}. Nothing was changed."
            );
        }
        StatusCode::TOO_MANY_REQUESTS => {
            "The owner has sent more requests than the plan allows, with whichever keys; or, in place \
             of 401, too many requests without a valid key came from the same address. Nothing was \
             changed: try again after `Retry-After` seconds."
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            "The database is unavailable, full or too busy, or clicks wait to be stored, without which \
             statistics and lists would be wrong: try again after `Retry-After` seconds. If the \
             connection to the database broke at the last moment, a `POST` may have taken effect; \
             with the same `Idempotency-Key`, its repetition takes effect once."
        }
        _ => "A bug in the server; no request should cause it. `request_id` finds it in the log.",
    };
    text.to_owned()
}
