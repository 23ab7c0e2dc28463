//! The OpenAPI document: what poem-openapi makes of the annotated operations, put in order by one
//! function for everyone who reads it.

use poem_openapi::registry::{MetaOperation, MetaSchema, MetaSchemaRef};
use poem_openapi::types::Type;
use poem_openapi::{
    ContactObject, ExtraHeader, LicenseObject, OpenApi, OpenApiService, ServerObject,
};
use serde_json::{Value, json};

use super::Api;
use crate::values::BaseUrl;

/// The version that is written: generators read it best.
const OPENAPI_VERSION: &str = "3.0.3";

/// Names of headers as people write them; poem-openapi has them in capitals.
const HEADERS: &[&str] = &["Link", "Retry-After", "WWW-Authenticate", "X-Request-Id"];

const DESCRIPTION: &str = "\
Create short links, follow their clicks, and give them QR codes.

**Getting started.** Every operation needs an API key. Whoever runs this server has one for you: \
`terse owner add NAME` prints it. Here, press *Authorize* and paste it, into either scheme. In your \
own requests send it as `X-API-Key: KEY` or as `Authorization: Bearer KEY`.

**Redirects.** `GET /{short_code}` answers 302 and counts one click, which is in the database before \
the redirect is answered: statistics asked right afterwards show it.

**Errors** are problem details (RFC 9457). Tell them apart by `code`; `detail` is for people; \
`type` leads to a page that says what to do.";

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
    put_in_order(&mut document);
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// The identifier of a request, as a header.
struct RequestIdHeader;

impl Type for RequestIdHeader {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> std::borrow::Cow<'static, str> {
        "RequestId".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            pattern: Some("^[0-9a-f]{16}$".to_owned()),
            min_length: Some(16),
            max_length: Some(16),
            ..MetaSchema::new("string")
        }))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

/// Mends, all the way down, what poem-openapi writes oddly: names of headers in capitals, empty
/// descriptions, whole limits as `1.0`.
fn put_in_order(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if object.get("description").is_some_and(|description| description == "") {
                object.remove("description");
            }
            if let Some(Value::Object(headers)) = object.get_mut("headers") {
                *headers = std::mem::take(headers).into_iter().map(well_known).collect();
            }
            for name in ["minimum", "maximum"] {
                if let Some(limit) = object.get_mut(name) {
                    whole(limit);
                }
            }
            object.values_mut().for_each(put_in_order);
        }
        Value::Array(items) => items.iter_mut().for_each(put_in_order),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn well_known((name, header): (String, Value)) -> (String, Value) {
    let known = HEADERS.iter().find(|known| known.eq_ignore_ascii_case(&name));
    (known.map_or(name, |known| (*known).to_owned()), header)
}

fn whole(limit: &mut Value) {
    if let Some(number) = limit.as_f64().filter(|number| number.fract() == 0.0) {
        #[expect(clippy::cast_possible_truncation, reason = "limits are small whole numbers")]
        let number = number as i64;
        *limit = json!(number);
    }
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
