//! The OpenAPI document: what poem-openapi generates from the annotated operations, corrected and
//! completed.

mod examples;
mod order;

use poem_openapi::{ContactObject, LicenseObject, OpenApiService, ServerObject};
use serde_json::{Value, json};

use super::Api;
use crate::values::BaseUrl;

/// The version that most client generators support.
const OPENAPI_VERSION: &str = "3.0.3";

const DESCRIPTION: &str = "\
Create short links, count their clicks, and give them QR codes. Every operation needs an API key, \
which the operator of this server can give you: `terse owner add NAME` prints one, and so does the \
first start on SQLite. A key gives access to its owner's links and no others.

**To try it here**, press *Authorize*, paste the key into either field, open an operation, press *Try \
it out* and *Execute*. In your own requests send the key as `X-API-Key: KEY` or as `Authorization: \
Bearer KEY`.

**Redirects.** `GET /{short_code}` answers 302 and counts one click, which is in the database \
before the redirect is sent: statistics requested right afterwards include it. A code that no link \
has is 404, and a link that the operator has disabled 410. While the database \
cannot be written to, clicks wait in memory, and what would show their numbers is answered 503.

**Errors** under `/api` are problem details (RFC 9457). Tell them apart by `code`; `detail` is for \
people; `type` is the URL of a page that says what to do. For invalid input, `errors` points at each \
field (RFC 6901). Where several apply, the first of 405, 401, 415, 413, 400, 422, 404 and 409 is \
returned. In addition to what the operations list, an unknown path under `/api` returns 404 \
`not-found`, and a request that HTTP/1.1 forbids, such as one without `Host`, 400 \
`malformed-request` before all others. Other paths, short links and images among them, answer errors \
with pages for people. `HEAD` works where `GET` does. No response of an operation may be cached \
(`Cache-Control` says so). What cannot be parsed as HTTP, or has a longer URL or more headers than the \
server accepts, is rejected (400, 414, 431) before it is a request: without a body and without \
`X-Request-Id`.

**Retrying.** A 503 says in `Retry-After` when to try again; a `GET` can be repeated at any time. \
A `POST` whose response was lost, or was 503, may have taken effect: send it with an \
`Idempotency-Key` of your own, such as a UUID, and retry it with the same key. Within 24 hours it \
then gets the same response, marked `Idempotent-Replayed: true`, and takes effect once. Only \
successes are kept: a request that failed may be retried with the same key. The same key with a \
different request is 409 `idempotency-key-reused`.

**Versions.** Within `/api/v1` nothing is removed or made stricter. Operations, optional parameters \
and fields of requests, fields and headers of responses, values of enums and of `code`, and statuses \
of errors may be added: ignore what you do not know, and take an unknown `code` by its status. What \
a later version will drop is announced at least a year ahead, by the headers `Deprecation` (RFC \
9745) and `Sunset` (RFC 8594).";

/// Renders the document of the service at `base_url` as indented JSON, ending with a line feed. The
/// output depends on nothing else.
#[must_use]
pub fn render(base_url: &BaseUrl) -> String {
    let service = OpenApiService::new(Api, "Terse", env!("CARGO_PKG_VERSION"))
        .description(DESCRIPTION)
        .contact(ContactObject::new().name("The operator of this service"))
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new(base_url.as_str()).description("This service"));
    // poem-openapi always generates JSON.
    let mut document: Value = serde_json::from_str(&service.spec()).unwrap_or_default();
    document["openapi"] = json!(OPENAPI_VERSION);
    order::put_in_order(&mut document);
    examples::add(base_url, &mut document);
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
