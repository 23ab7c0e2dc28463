//! `GET /{code}/qr.svg` and `/{code}/qr.png`

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use poem::http::{StatusCode, header};
use poem::{Request, Response, ResponseBuilder};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::pages::Pages;
use super::{file, redirect};
use crate::domain::Error;
use crate::domain::domains::OwnerDomain;
use crate::domain::links::LinkState;
use crate::domain::qr::{self, RenderError, Style, png, svg};
use crate::domain::rate_limits::ClientLimit;
use crate::http::connections::UncountedBody;
use crate::http::openapi::parameter;
use crate::http::openapi::parameter::whole_number;
use crate::http::request_log::LogCause;
use crate::http::route::ImageFormat;
use crate::http::state::AppState;
use crate::values::ValidationError;

/// Maximum side length in pixels.
const MAX_SIZE: u32 = 4096;
/// Maximum time that a request waits before the rendering of its image begins.
const RENDER_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of the cached images in bytes.
const CACHE_BYTES: u64 = 8 << 20;
/// Expected number of cached images.
const CACHED_IMAGES: usize = 4_096;
/// Version of the rendering. Increment it with every change of the output, so that clients fetch
/// images again.
const RENDER_VERSION: u32 = 1;

/// Returns the QR code of a link as an image, or an error page. A domain serves the images of its
/// owner's links only, and returns 404 for any other path in every method.
pub async fn respond(
    app: &AppState,
    pages: &Pages,
    renderer: &QrRenderer,
    (code, domain): (&str, Option<&OwnerDomain>),
    format: ImageFormat,
    request: &Request,
) -> Response {
    let unknown = |is_own| {
        redirect::unknown(app, pages, request)
            .unwrap_or_else(|| if is_own { pages.no_qr_code() } else { pages.no_link() })
    };
    let target = match redirect::resolve(app, code, domain).await {
        Ok(target) => target,
        // A domain does not tell images and links apart that are not its owner's.
        Err(Error::LinkNotFound) => return unknown(domain.is_none()),
        Err(error) => return redirect::error_page(pages, &error),
    };
    if domain.is_some()
        && let Some(response) = pages.check_method(request)
    {
        return response;
    }
    let found = async {
        let state = target.state_at(&app.caches.blocks, app.store.now());
        // A deleted link no longer has QR settings.
        let found = if state == LinkState::Deleted {
            None
        } else {
            Some(qr::find(&app.store, target.id).await?)
        };
        Ok((state, found))
    };
    let (owner_id, code, style) = match found.await {
        Ok((state, Some(found))) if state.is_active() => found,
        Ok((state, _)) => {
            redirect::count_blocked(app, state);
            return pages.gone(state);
        }
        Err(Error::LinkNotFound) => return unknown(true),
        Err(error) => return redirect::error_page(pages, &error),
    };
    let size = match size(request) {
        Ok(size) => size,
        Err(reason) => return pages.bad_request(&format!("The parameter size {reason}.")),
    };
    let text = app.addresses.short_url(owner_id, &code);
    let image = QrImageRequest { text, style, format, size };
    let etag = image.etag();
    let headers = request.headers();
    // A client that sends the tag already has the image, so the server does not have to render it.
    if file::names_etag(headers, &etag) {
        return not_modified(&etag);
    }
    let cached = renderer.images.get(&etag);
    let rendered = match cached {
        Some(image) => Ok(image),
        None => {
            if let Some(decision) = app.check_client_limit(ClientLimit::QrImages, request) {
                return pages.throttled(&decision);
            }
            let Some(rendered) = renderer.render(image).await else {
                let cause = LogCause::transient(&"too many QR images are requested");
                return cause.attach_to(pages.unavailable());
            };
            let rendered = rendered.map(Bytes::from);
            if let Ok(image) = &rendered {
                renderer.images.insert(etag.clone(), image.clone());
            }
            rendered
        }
    };
    match rendered {
        Ok(_) if file::names_any_etag(headers) => not_modified(&etag),
        Ok(image) => {
            let content_type = match format {
                ImageFormat::Svg => "image/svg+xml",
                ImageFormat::Png => "image/png",
            };
            response_with_etag(&etag)
                .content_type(content_type)
                .extension(UncountedBody)
                .body(image)
        }
        Err(reason @ RenderError::TooSmall { .. }) => {
            pages.bad_request(&format!("There is no such image: {reason}."))
        }
        // An import enabled the QR code, which it can do for every code.
        Err(RenderError::TooLong) => pages.no_qr_code(),
    }
}

/// An image to render.
struct QrImageRequest {
    text: String,
    style: Style,
    format: ImageFormat,
    size: Option<u32>,
}

impl QrImageRequest {
    /// Returns an entity tag that depends on everything that affects the image.
    fn etag(&self) -> String {
        let Self { text, style, format, size } = self;
        let Style { error_correction, margin, foreground, background } = style;
        let (correction, margin) = (error_correction.into_str(), margin.width());
        let size = size.unwrap_or(0);
        let all = format!(
            "{RENDER_VERSION}\n{text}\n\
             {correction} {margin} {foreground} {background} {format:?} {size}"
        );
        file::etag_from_content(all.as_bytes())
    }

    fn render(&self) -> Result<Vec<u8>, RenderError> {
        let Self { text, style, format, size } = self;
        match format {
            ImageFormat::Svg => svg(text, style, *size).map(String::into_bytes),
            ImageFormat::Png => png(text, style, *size),
        }
    }
}

/// Weigher of cached images: the bytes of an image, its tag and the cache's own data.
#[derive(Debug, Clone)]
struct ImageSize;

impl Weighter<String, Bytes> for ImageSize {
    fn weight(&self, etag: &String, image: &Bytes) -> u64 {
        (etag.len() + image.len() + 128) as u64
    }
}

/// Renderer of images on blocking threads, because a large PNG image takes as long as thousands of
/// redirects. SVG images are fast, so they do not wait for PNG images.
#[derive(Debug)]
pub struct QrRenderer {
    svg_permits: Arc<Semaphore>,
    png_permits: Arc<Semaphore>,
    timeout: Duration,
    /// The images that were requested last, by entity tag.
    images: Cache<String, Bytes, ImageSize>,
}

impl Default for QrRenderer {
    /// Creates a renderer in which each format may use half of the CPUs.
    fn default() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
        let half = || Arc::new(Semaphore::new(cpus.div_ceil(2)));
        let images = Cache::with_weighter(CACHED_IMAGES, CACHE_BYTES, ImageSize);
        Self { svg_permits: half(), png_permits: half(), timeout: RENDER_TIMEOUT, images }
    }
}

impl QrRenderer {
    /// Renders an image. Returns `None` if the rendering cannot begin before the timeout.
    async fn render(&self, image: QrImageRequest) -> Option<Result<Vec<u8>, RenderError>> {
        let permits = match image.format {
            ImageFormat::Svg => &self.svg_permits,
            ImageFormat::Png => &self.png_permits,
        };
        // `ok` also discards the error of a closed semaphore, which never occurs.
        let permit = timeout(self.timeout, Arc::clone(permits).acquire_owned()).await.ok()?;
        let render = move || {
            let _permit = permit;
            image.render()
        };
        match tokio::task::spawn_blocking(render).await {
            Ok(rendered) => Some(rendered),
            // A panic resumes here, so that this request fails. Any other error means that the
            // runtime shuts down.
            Err(error) => error.try_into_panic().map_or(None, |panic| resume_unwind(panic)),
        }
    }
}

/// Returns the value of the query parameter `size`, or `None` if the request lacks it.
fn size(request: &Request) -> Result<Option<u32>, ValidationError> {
    let Some(text) = parameter::query_parameter(request, "size")? else { return Ok(None) };
    match whole_number(&text) {
        Some(size) if (1..=MAX_SIZE).contains(&size) => Ok(Some(size)),
        Some(_) | None => Err(ValidationError::because(format!(
            "must be a number of pixels from 1 to {MAX_SIZE}"
        ))),
    }
}

fn response_with_etag(etag: &str) -> ResponseBuilder {
    Response::builder()
        .header(header::ETAG, etag)
        // Clients must revalidate, because QR settings may change and links may be disabled.
        .header(header::CACHE_CONTROL, "public, no-cache")
}

fn not_modified(etag: &str) -> Response {
    response_with_etag(etag).status(StatusCode::NOT_MODIFIED).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn image_waits_for_its_own_format_until_the_timeout() {
        let (timeout, none) = (Duration::from_millis(20), Arc::new(Semaphore::new(0)));
        let renderer = QrRenderer { png_permits: none, timeout, ..QrRenderer::default() };
        let image = |format| QrImageRequest {
            text: "https://go.example.org/code".to_owned(),
            style: Style::default(),
            format,
            size: None,
        };
        let patient =
            QrRenderer { png_permits: Arc::clone(&renderer.png_permits), ..QrRenderer::default() };
        assert!(matches!(patient.render(image(ImageFormat::Svg)).await, Some(Ok(_))));
        let started = std::time::Instant::now();
        assert!(renderer.render(image(ImageFormat::Png)).await.is_none());
        assert!(started.elapsed() >= timeout);
    }
}
