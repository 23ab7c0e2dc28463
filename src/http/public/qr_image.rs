//! `GET /{code}/qr.svg` and `/{code}/qr.png`

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use poem::http::{StatusCode, header};
use poem::{Request, Response, ResponseBuilder};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::{etag, pages, redirect, refuse_method};
use crate::domain::Error;
use crate::domain::qr::{self, Style};
use crate::domain::qr_image::{NoImage, png, svg};
use crate::http::App;
use crate::http::cause::Cause;
use crate::http::query::{self, whole_number};
use crate::http::route::ImageFormat;
use crate::values::{Invalid, ShortCode};

/// The most pixels a side.
const MAX_SIZE: u32 = 4096;
/// How long an image waits for others that are being drawn.
const DRAWING_TIMEOUT: Duration = Duration::from_secs(5);
/// How images are drawn: another number wherever another image would come of the same.
const DRAWING_VERSION: u32 = 1;

/// Draws the QR code of a link.
pub async fn answer(app: &App, code: &str, format: ImageFormat, request: &Request) -> Response {
    if let Some(refusal) = refuse_method(request) {
        return refusal;
    }
    let Ok(code) = ShortCode::parse(code) else { return pages::no_qr_code() };
    let found = match qr::find(&app.store, &code).await {
        Ok(found) => found,
        Err(Error::LinkNotFound) => return pages::no_qr_code(),
        Err(error) => return redirect::refusal(&error),
    };
    if !found.is_active {
        return pages::gone();
    }
    let size = match size(request) {
        Ok(size) => size,
        Err(reason) => return pages::bad_request(&format!("The parameter size {reason}.")),
    };
    let sketch = Sketch { text: app.base_url.short_url(&code), style: found.style, format, size };
    let etag = sketch.etag();
    let headers = request.headers();
    // Who has its tag has had the image.
    if etag::is_named(headers, &etag) {
        return unchanged(&etag);
    }
    let Some(drawn) = app.pages.drawing.draw(sketch).await else {
        let mut response = pages::unavailable();
        Cause::passing(&"too many images are asked for").travel_in(&mut response);
        return response;
    };
    match drawn {
        Ok(_) if etag::is_any(headers) => unchanged(&etag),
        Ok(image) => {
            let content_type = match format {
                ImageFormat::Svg => "image/svg+xml",
                ImageFormat::Png => "image/png",
            };
            tagged(&etag).content_type(content_type).body(image)
        }
        Err(reason @ (NoImage::TooSmall { .. } | NoImage::TooLong)) => {
            pages::bad_request(&format!("There is no such image: {reason}."))
        }
    }
}

/// An image that is not drawn yet.
struct Sketch {
    text: String,
    style: Style,
    format: ImageFormat,
    size: Option<u32>,
}

impl Sketch {
    /// Of all that the image depends on, the way of drawing included.
    fn etag(&self) -> String {
        let Self { text, style, format, size } = self;
        let Style { error_correction, margin, foreground, background } = style;
        let (correction, margin) = (error_correction.letter(), margin.modules());
        let size = size.unwrap_or(0);
        let all = format!(
            "{DRAWING_VERSION}\n{text}\n\
             {correction} {margin} {foreground} {background} {format:?} {size}"
        );
        etag::of(all.as_bytes())
    }

    fn draw(&self) -> Result<Vec<u8>, NoImage> {
        let Self { text, style, format, size } = self;
        match format {
            ImageFormat::Svg => svg(text, style, *size).map(String::into_bytes),
            ImageFormat::Png => png(text, style, *size),
        }
    }
}

/// Draws images apart from what answers requests: the largest takes as long as thousands of redirects.
/// Those without pixels, which take no time, do not wait for those that have some.
#[derive(Debug)]
pub struct Drawing {
    svg: Arc<Semaphore>,
    png: Arc<Semaphore>,
    patience: Duration,
}

impl Default for Drawing {
    /// Each kind on half of the processors.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let half = || Arc::new(Semaphore::new(processors.div_ceil(2)));
        Self { svg: half(), png: half(), patience: DRAWING_TIMEOUT }
    }
}

impl Drawing {
    /// None where others take too long.
    async fn draw(&self, sketch: Sketch) -> Option<Result<Vec<u8>, NoImage>> {
        let permits = match sketch.format {
            ImageFormat::Svg => &self.svg,
            ImageFormat::Png => &self.png,
        };
        // They are never closed.
        let permit = timeout(self.patience, Arc::clone(permits).acquire_owned()).await.ok()?;
        let drawing = move || {
            let _permit = permit;
            sketch.draw()
        };
        match tokio::task::spawn_blocking(drawing).await {
            Ok(drawn) => Some(drawn),
            // A defect is one of this answer; else the runtime is ending.
            Err(error) => error.try_into_panic().map_or(None, |panic| resume_unwind(panic)),
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

fn tagged(etag: &str) -> ResponseBuilder {
    Response::builder()
        .header(header::ETAG, etag)
        // It may be kept, but not used without asking: settings change, and links are disabled.
        .header(header::CACHE_CONTROL, "public, no-cache")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
}

fn unchanged(etag: &str) -> Response {
    tagged(etag).status(StatusCode::NOT_MODIFIED).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_image_waits_for_others_of_its_kind_for_so_long() {
        // Somebody draws, and goes on.
        let (patience, none) = (Duration::from_millis(20), Arc::new(Semaphore::new(0)));
        let drawing = Drawing { png: none, patience, ..Drawing::default() };
        let sketch = |format| Sketch {
            text: "https://go.example.org/code".to_owned(),
            style: Style::default(),
            format,
            size: None,
        };
        let unhurried = Drawing { png: Arc::clone(&drawing.png), ..Drawing::default() };
        assert!(matches!(unhurried.draw(sketch(ImageFormat::Svg)).await, Some(Ok(_))));
        let started = std::time::Instant::now();
        assert!(drawing.draw(sketch(ImageFormat::Png)).await.is_none());
        assert!(started.elapsed() >= patience);
    }
}
