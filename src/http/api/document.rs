//! The OpenAPI document: what poem-openapi makes of the annotated operations, put in order by one
//! function for everyone who reads it.

mod examples;
mod order;

use poem_openapi::registry::MetaOperation;
use poem_openapi::{
    ContactObject, ExtraHeader, LicenseObject, OpenApi, OpenApiService, ServerObject,
};
use serde_json::{Value, json};

use super::Api;
use super::headers::RequestIdHeader;
use crate::values::BaseUrl;

/// The version that is written: generators read it best.
const OPENAPI_VERSION: &str = "3.0.3";

const DESCRIPTION: &str = "\
Create short links, follow their clicks, and give them QR codes. Every operation needs an API key, \
and whoever runs this server has one for you: its first start shows one, `terse owner add NAME` \
prints another. A key reaches its owner's links and no others.

**To try it here**, press *Authorize*, paste the key into either field, open an operation, press *Try \
it out* and *Execute*. In your own requests send the key as `X-API-Key: KEY` or as `Authorization: \
Bearer KEY`.

**Redirects.** `GET /{short_code}` answers 302 and counts one click, which is in the database before \
the redirect is answered: statistics asked right afterwards show it.

**Errors** are problem details (RFC 9457). Tell them apart by `code`; `detail` is for people; \
`type` leads to a page that says what to do. For input that is not valid, `errors` points at each \
field (RFC 6901). Where several hold, the first of 405, 401, 415, 413, 400, 422, 404 and 409 is \
answered. Beyond what the operations list, a path that is not here is answered 404 `not-found`, and \
what HTTP/1.1 forbids, such as a request without `Host`, 400 `malformed-request`; \
`HEAD` works where `GET` does. What cannot be read as HTTP, or has a longer address or more headers \
than a server takes (400, 414, 431), is answered before it is a request: without a body and without \
`X-Request-Id`.

**Trying again.** 503 says in `Retry-After` when; what only reads can be repeated at any time. A \
`POST` whose answer was lost, or was 503, may have happened: send it with an `Idempotency-Key` of \
your own, such as a UUID, and send it again with the same key. Within 24 hours it then has the same \
answer, marked `Idempotent-Replayed: true`, and happens once. Only success is kept: what was refused \
may be tried again under the same key. The same key with another request is 409 \
`idempotency-key-reused`.

**Versions.** Under `/api/v1` nothing is taken away or made stricter. Operations, optional fields of \
requests, fields of answers and values of `code` may join: pass over what you do not know. What is \
to go is announced at least a year before, by the headers `Deprecation` (RFC 9745) and `Sunset` \
(RFC 8594).";

/// The document of a service whose public address is `base_url`, as pretty JSON with a line feed at
/// its end. The same input always gives the same bytes.
#[must_use]
pub fn render(base_url: &BaseUrl) -> String {
    let service = OpenApiService::new(Api, "Terse", env!("CARGO_PKG_VERSION"))
        .description(DESCRIPTION)
        .contact(ContactObject::new().name("Whoever runs this service"))
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new(base_url.as_str()).description("This service"))
        .extra_response_header::<RequestIdHeader, _>(
            ExtraHeader::new("X-Request-Id")
                .description("What the server's log calls this request."),
        );
    // What poem-openapi writes is JSON.
    let mut document: Value = serde_json::from_str(&service.spec()).unwrap_or_default();
    document["openapi"] = json!(OPENAPI_VERSION);
    order::put_in_order(&mut document);
    examples::add_problems(&mut document);
    examples::add_parameters(&mut document);
    examples::speak_of(base_url, &mut document);
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// The methods of every path, for the header `Allow`.
#[derive(Debug)]
pub struct Paths(Vec<(String, String)>);

impl Paths {
    /// All paths of the interface.
    #[must_use]
    pub fn of_api() -> Self {
        let paths = Api::meta().into_iter().flat_map(|api| api.paths);
        Self(paths.map(|path| (path.path, methods(&path.operations))).collect())
    }

    /// What `path` allows.
    #[must_use]
    pub fn allowed(&self, path: &str) -> Option<&str> {
        let fits = |template: &str| {
            template.split('/').count() == path.split('/').count()
                && template
                    .split('/')
                    .zip(path.split('/'))
                    .all(|(part, segment)| part.starts_with('{') || part == segment)
        };
        self.0.iter().find(|(template, _)| fits(template)).map(|(_, methods)| methods.as_str())
    }
}

fn methods(operations: &[MetaOperation]) -> String {
    let mut methods: Vec<&str> =
        operations.iter().map(|operation| operation.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.join(", ")
}
