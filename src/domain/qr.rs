//! QR codes of short URLs: their style, and their rendering as SVG and PNG.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};

use super::Error;
use super::changes::{Action, Change, Subject};
use super::idempotency::{
    Fingerprint, Idempotent, IdempotentRequest, Namespace, fingerprint, stored_response,
};
use crate::store::entities::link::Model;
use crate::store::events::ChangeKind;
use crate::store::idempotency::Created;
use crate::store::links::StoredQrSettings;
use crate::store::{Store, link_changes, links};
use crate::values::{Colour, ErrorCorrection, Margin, ShortCode};

/// Minimum contrast ratio of a QR code's colours. Scanners need clear edges, and
/// [WCAG 2.2, criterion 1.4.11](https://www.w3.org/TR/WCAG22/#non-text-contrast) requires 3 for
/// graphics.
pub const MIN_CONTRAST: f64 = 3.0;

/// Style of a QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Error correction level.
    pub error_correction: ErrorCorrection,
    /// Width of the quiet zone.
    pub margin: Margin,
    /// Colour of the dark modules.
    pub foreground: Colour,
    /// Colour of the light modules and the quiet zone.
    pub background: Colour,
}

impl Default for Style {
    /// Returns black on white with medium error correction and the standard margin.
    fn default() -> Self {
        Self {
            error_correction: ErrorCorrection::Medium,
            margin: Margin::STANDARD,
            foreground: Colour::BLACK,
            background: Colour::WHITE,
        }
    }
}

/// New values for settings of a style. `None` keeps a setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StyleChange {
    /// Error correction level.
    pub error_correction: Option<ErrorCorrection>,
    /// Width of the quiet zone.
    pub margin: Option<Margin>,
    /// Colour of the dark modules.
    pub foreground: Option<Colour>,
    /// Colour of the light modules and the quiet zone.
    pub background: Option<Colour>,
}

impl StyleChange {
    /// Returns the fingerprint of a request for this change of the link with this code.
    pub fn fingerprint(&self, code: &ShortCode) -> Fingerprint {
        let texts = self.texts();
        let [error_correction, margin, foreground, background] =
            texts.each_ref().map(Option::as_deref);
        let code = Some(code.as_str());
        fingerprint("enableQrCode", &[code, error_correction, margin, foreground, background])
    }

    /// Returns the new values as texts.
    pub(super) fn texts(&self) -> [Option<String>; 4] {
        let Self { error_correction, margin, foreground, background } = self;
        [
            error_correction.map(|level| level.into_str().to_owned()),
            margin.map(|margin| margin.width().to_string()),
            foreground.map(|colour| colour.to_string()),
            background.map(|colour| colour.to_string()),
        ]
    }
}

impl Style {
    /// Returns the style for stored settings, with the default for each missing one.
    pub fn from_stored(stored: &StoredQrSettings) -> Self {
        let colour = |column: &Option<String>| Colour::parse(column.as_deref()?).ok();
        Self::default().with(&StyleChange {
            error_correction: stored.error_correction.as_deref().and_then(|text| text.parse().ok()),
            margin: stored.margin.and_then(|modules| Margin::new(modules.into()).ok()),
            foreground: colour(&stored.foreground),
            background: colour(&stored.background),
        })
    }

    /// Returns the error correction level of the crate that encodes QR codes.
    pub(super) const fn level(&self) -> EcLevel {
        match self.error_correction {
            ErrorCorrection::Low => EcLevel::L,
            ErrorCorrection::Medium => EcLevel::M,
            ErrorCorrection::Quartile => EcLevel::Q,
            ErrorCorrection::High => EcLevel::H,
        }
    }

    /// Returns whether a QR code of this style can hold `text`.
    fn fits(&self, text: &str) -> bool {
        qrcode::bits::encode_auto(text.as_bytes(), self.level()).is_ok()
    }

    /// Applies a change.
    pub(super) fn with(self, change: &StyleChange) -> Self {
        Self {
            error_correction: change.error_correction.unwrap_or(self.error_correction),
            margin: change.margin.unwrap_or(self.margin),
            foreground: change.foreground.unwrap_or(self.foreground),
            background: change.background.unwrap_or(self.background),
        }
    }

    /// Returns the settings to store, for a link with this short URL.
    ///
    /// # Errors
    /// [`Error::ColoursTooClose`] or [`Error::QrCodeTooLong`]
    pub(super) fn checked_settings(self, short_url: &str) -> Result<StoredQrSettings, Error> {
        self.check_contrast()?;
        let error_correction = self.error_correction;
        if !self.fits(short_url) {
            return Err(Error::QrCodeTooLong { error_correction });
        }
        Ok(self.settings())
    }

    /// Checks that scanners can distinguish the colours.
    ///
    /// # Errors
    /// [`Error::ColoursTooClose`]
    pub(super) fn check_contrast(&self) -> Result<(), Error> {
        let contrast = self.foreground.contrast(self.background);
        if contrast < MIN_CONTRAST {
            return Err(Error::ColoursTooClose { contrast, minimum: MIN_CONTRAST });
        }
        Ok(())
    }

    /// Returns the settings to store. The short URL of the link must fit: those of new links do.
    pub(super) fn settings(&self) -> StoredQrSettings {
        StoredQrSettings {
            error_correction: Some(self.error_correction.into_str().to_owned()),
            margin: Some(self.margin.width().into()),
            foreground: Some(self.foreground.to_string()),
            background: Some(self.background.to_string()),
        }
    }
}

/// A link whose QR code is to be enabled, and how.
#[derive(Debug, Clone, Copy)]
pub struct QrRequest<'a> {
    /// Short code of the link.
    pub code: &'a ShortCode,
    /// The text of the QR code.
    pub short_url: &'a str,
    /// New values for settings of the style.
    pub change: &'a StyleChange,
}

/// Enables the QR code of a link of the owner, or changes its style. A request with an idempotency
/// key is executed only once: the same transaction stores its response.
///
/// # Errors
/// [`Error::LinkNotFound`], [`Error::KeyReused`], [`Error::ColoursTooClose`],
/// [`Error::QrCodeTooLong`].
pub async fn enable(
    store: &Store,
    owner_id: i64,
    QrRequest { code, short_url, change: style }: QrRequest<'_>,
    idempotent: Option<&IdempotentRequest>,
    change: &Change,
) -> Result<Idempotent, Error> {
    let enabled = change.apply(store, Action::LinkEdit, async |mut transaction| {
        let (owner, _) = transaction.authorize(owner_id).await?;
        let (db, namespace, now) = (&transaction.db, Namespace::Owner(owner_id), change.now);
        let replayed = stored_response(db, owner_id, idempotent, now).await?;
        if let Some(Ok(response)) = replayed {
            return transaction.done(Idempotent::Replayed(response));
        }
        let before = links::lock_owned(db, owner_id, code).await?.ok_or(Error::LinkNotFound)?;
        // If the link is missing, that error takes precedence over the error of a reused key.
        if let Some(Err(error)) = replayed {
            return Err(error);
        }
        let style = Style::from_stored(&before.clone().into()).with(style);
        let mut after = Model { has_qr: 1, ..before.clone() };
        after.set_qr(style.checked_settings(short_url)?);
        if after != before {
            link_changes::update(db, &before, &after, now).await?;
            let subject = Subject::from_owner(&owner, code.as_str());
            let values = vec![link_changes::edit_of(&before, &after)];
            transaction.record_values(&subject, ChangeKind::Link, values).await?;
        }
        transaction.store_response(namespace, idempotent, Created::Link(code)).await?;
        transaction.done(Idempotent::Executed(code.clone()))
    });
    Ok(enabled.await?.value)
}

/// Returns the owner and the code of any link, and the style of its QR code.
///
/// # Errors
/// [`Error::LinkNotFound`] if there is no such link or its QR code is not enabled, or if the
/// database fails.
pub async fn find(store: &Store, link_id: i64) -> Result<(i64, ShortCode, Style), Error> {
    let link = link_changes::with_ids(store.reader(), &[link_id]).await?.pop();
    let link = link.filter(|link| link.has_qr == 1).ok_or(Error::LinkNotFound)?;
    let owner_id = link.owner_id.ok_or(Error::LinkNotFound)?;
    let code = ShortCode::from_stored(&link.short_code);
    Ok((owner_id, code, Style::from_stored(&link.into())))
}

/// Error of rendering an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// With the requested size, each module would be smaller than a pixel.
    #[error("this QR code needs a size of at least {minimum} pixels")]
    TooSmall {
        /// Minimum size in pixels.
        minimum: u32,
    },
    /// The text is too long for a QR code.
    #[error("the short URL is too long for a QR code")]
    TooLong,
}

/// The modules of a QR code, which form a square.
struct Modules {
    /// Colours of the modules, row by row, without the quiet zone.
    colours: Vec<Color>,
    /// Modules per side without the quiet zone.
    width: u32,
    /// Width of the quiet zone in modules.
    margin: u32,
}

impl Modules {
    fn new(text: &str, style: &Style) -> Result<Self, RenderError> {
        let code = QrCode::with_error_correction_level(text, style.level());
        let code = code.map_err(|_| RenderError::TooLong)?;
        let width = u32::try_from(code.width()).map_err(|_| RenderError::TooLong)?;
        Ok(Self { colours: code.to_colors(), width, margin: style.margin.width().into() })
    }

    /// Returns the number of modules per side with the quiet zone.
    fn side(&self) -> u32 {
        self.width + 2 * self.margin
    }

    fn rows(&self) -> impl Iterator<Item = &[Color]> {
        self.colours.chunks_exact(self.width as usize)
    }
}

/// Pixels per module if the client requests no size.
const PIXELS_PER_MODULE: u32 = 10;

/// Renders `text` as an SVG image of `size` by `size` pixels. Without a size, each module is ten
/// pixels wide.
///
/// # Errors
/// [`RenderError::TooLong`]
pub fn svg(text: &str, style: &Style, size: Option<u32>) -> Result<String, RenderError> {
    let modules = Modules::new(text, style)?;
    let side = modules.side();
    let size = size.unwrap_or(side * PIXELS_PER_MODULE);
    let mut path = String::new();
    for (y, row) in (modules.margin..).zip(modules.rows()) {
        let mut x = modules.margin;
        for run in row.chunk_by(|a, b| a == b) {
            let length = run.len();
            if run[0] == Color::Dark {
                // Writing to a String cannot fail.
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            }
            x += u32::try_from(length).unwrap_or(0);
        }
    }
    let Style { foreground, background, .. } = style;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size}\" height=\"{size}\" \
         viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <path fill=\"{background}\" d=\"M0 0h{side}v{side}H0z\"/>\
         <path fill=\"{foreground}\" d=\"{path}\"/></svg>\n"
    ))
}

/// Renders `text` as a PNG image of `size` by `size` pixels. Without a size, each module is ten
/// pixels wide.
///
/// All modules have the same whole number of pixels per side. The remaining pixels widen the quiet
/// zone.
///
/// # Errors
/// [`RenderError`]
pub fn png(text: &str, style: &Style, size: Option<u32>) -> Result<Vec<u8>, RenderError> {
    let modules = Modules::new(text, style)?;
    let size = size.unwrap_or(modules.side() * PIXELS_PER_MODULE);
    let scale = size / modules.side();
    if scale == 0 {
        return Err(RenderError::TooSmall { minimum: modules.side() });
    }
    let offset = ((size - scale * modules.side()) / 2 + scale * modules.margin) as usize;
    let (scale, stride) = (scale as usize, (size as usize).div_ceil(8));
    // Each pixel has one bit: 0 is the background, 1 the foreground.
    let mut pixels = vec![0_u8; stride * size as usize];
    for (y, row) in modules.rows().enumerate() {
        let top = offset + y * scale;
        for (x, _) in row.iter().enumerate().filter(|(_, color)| **color == Color::Dark) {
            for pixel in offset + x * scale..offset + (x + 1) * scale {
                pixels[top * stride + pixel / 8] |= 0x80 >> (pixel % 8);
            }
        }
        let (first, last) = (top * stride, (top + 1) * stride);
        for below in top + 1..top + scale {
            pixels.copy_within(first..last, below * stride);
        }
    }
    Ok(encode(size, &pixels, style.background, style.foreground))
}

/// Encodes pixels of one bit each as PNG with a palette of two colours.
fn encode(size: u32, pixels: &[u8], background: Colour, foreground: Colour) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size, size);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_palette([background.rgb(), foreground.rgb()].concat());
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    // Writing to memory cannot fail, and the data have the size that the header declares.
    debug_assert!(written.is_ok(), "{written:?}");
    file
}
