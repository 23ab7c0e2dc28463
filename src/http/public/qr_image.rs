//! `GET /{code}/qr.svg` and `/{code}/qr.png`

use poem::http::{HeaderMap, StatusCode, header};
use poem::{Request, Response};
use sha2::{Digest, Sha256};

use super::{pages, redirect, refuse_method};
use crate::app::App;
use crate::domain::qr_image::{NoImage, png, svg};
use crate::domain::{Error, qr};
use crate::http::query::{self, whole_number};
use crate::http::route::ImageFormat;
use crate::values::{Invalid, ShortCode};

/// The most pixels a side.
const MAX_SIZE: u32 = 4096;

/// Draws the QR code of a link.
pub async fn answer(app: &App, code: &str, format: ImageFormat, request: &Request) -> Response {
    if let Some(refusal) = refuse_method(request) {
        return refusal;
    }
    let Ok(code) = ShortCode::parse(code) else { return pages::not_found() };
    let found = match qr::find(&app.store, &code).await {
        Ok(found) => found,
        Err(Error::LinkNotFound) => return pages::not_found(),
        Err(error) => return redirect::refusal(&error),
    };
    if !found.is_active {
        return pages::gone();
    }
    let size = match size(request) {
        Ok(size) => size,
        Err(reason) => return pages::bad_request(&format!("The parameter size {reason}.")),
    };
    let text = app.base_url.short_url(&code);
    let image = match format {
        ImageFormat::Svg => svg(&text, &found.style, size).map(String::into_bytes),
        ImageFormat::Png => png(&text, &found.style, size),
    };
    match image {
        Ok(image) => send(image, format, request.headers()),
        Err(reason @ (NoImage::TooSmall { .. } | NoImage::TooLong)) => {
            pages::bad_request(&format!("There is no such image: {reason}."))
        }
    }
}

/// The parameter `size`, if there is one.
fn size(request: &Request) -> Result<Option<u32>, Invalid> {
    let Some(text) = query::parameter(request, "size")? else { return Ok(None) };
    match whole_number(&text) {
        Some(size) if (1..=MAX_SIZE).contains(&size) => Ok(Some(size)),
        Some(_) | None => {
            Err(Invalid(format!("must be a number of pixels from 1 to {MAX_SIZE}").into()))
        }
    }
}

fn send(image: Vec<u8>, format: ImageFormat, headers: &HeaderMap) -> Response {
    let digest = Sha256::digest(&image);
    let tag: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("\"{tag}\"");
    let builder = Response::builder()
        .header(header::ETAG, &etag)
        // It may be kept, but not used without asking: settings change, and links are disabled.
        .header(header::CACHE_CONTROL, "public, no-cache")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if is_known(headers, &etag) {
        return builder.status(StatusCode::NOT_MODIFIED).finish();
    }
    let content_type = match format {
        ImageFormat::Svg => "image/svg+xml",
        ImageFormat::Png => "image/png",
    };
    builder.content_type(content_type).body(image)
}

/// Whether the client has that version already (RFC 9110, section 13.1.2).
fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || tag == etag)
}
