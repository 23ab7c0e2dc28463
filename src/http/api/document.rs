//! The OpenAPI document. poem-openapi generates it from the annotated operations, and this module
//! corrects and extends it.

mod components;
mod examples;
mod order;

use poem_openapi::{ContactObject, LicenseObject, OpenApiService, ServerObject};
use serde_json::{Value, json};

use super::Api;
use crate::values::BaseUrl;

/// Version of OpenAPI. Most client generators support this one.
const OPENAPI_VERSION: &str = "3.0.3";

const DESCRIPTION: &str = "\
Create short links, count their clicks, and give them QR codes. Every operation needs an API key from \
the operator of this server (`terse owner add NAME` prints one), sent as `X-API-Key: KEY` or as \
`Authorization: Bearer KEY`.

Errors are problem details (RFC 9457): read `code`, and treat an unknown one by its status. A method \
that a path does not support returns 405 with `Allow`. To retry a `POST` safely, send an \
`Idempotency-Key`. Ignore unknown fields: `/api/v1` may get more.

`GET /{short_code}` returns 302 and counts one click.";

/// Renders the OpenAPI document as indented JSON that ends with a line feed. It depends only on
/// `base_url`.
#[must_use]
pub fn render(base_url: &BaseUrl) -> String {
    let service = OpenApiService::new(Api, "Terse", env!("CARGO_PKG_VERSION"))
        .description(DESCRIPTION)
        .contact(ContactObject::new().name("The operator of this service"))
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new(base_url.as_str()).description("This service"));
    // This cannot fail, because poem-openapi always generates JSON.
    let mut document: Value = serde_json::from_str(&service.spec()).unwrap_or_default();
    document["openapi"] = json!(OPENAPI_VERSION);
    order::correct(&mut document);
    examples::add(base_url, &mut document);
    components::share(&mut document);
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
