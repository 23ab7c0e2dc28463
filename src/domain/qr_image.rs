//! Rendering of QR codes as SVG and PNG.

use std::fmt::Write as _;

use qrcode::{Color, QrCode};

use super::qr::Style;
use crate::values::Colour;

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
