//! Properties of a QR code: error correction, margin and colours.

use strum_macros::{EnumString, IntoStaticStr, VariantNames};

use super::{ErrorCode, ValidationError};

/// Error correction level of a QR code (ISO/IEC 18004): the share of the symbol that may be damaged
/// while scanners can still read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(const_into_str, parse_err_ty = ValidationError, parse_err_fn = unknown)]
pub enum ErrorCorrection {
    /// About 7 % of the symbol may be damaged.
    #[strum(serialize = "L")]
    Low,
    /// About 15 % of the symbol may be damaged.
    #[strum(serialize = "M")]
    Medium,
    /// About 25 % of the symbol may be damaged.
    #[strum(serialize = "Q")]
    Quartile,
    /// About 30 % of the symbol may be damaged.
    #[strum(serialize = "H")]
    High,
}

fn unknown(_: &str) -> ValidationError {
    ErrorCode::NotAllowed.because("must be one of L, M, Q or H")
}

/// Width of the quiet zone around a QR code, in modules (squares of the symbol).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margin(u8);

impl Margin {
    /// The four modules that ISO/IEC 18004 requires.
    pub const STANDARD: Self = Self(4);
    /// Maximum width in modules.
    pub const MAX: u8 = 16;

    /// Creates a margin of 0 to 16 modules.
    ///
    /// # Errors
    /// If `modules` is outside this range.
    pub fn new(modules: i64) -> Result<Self, ValidationError> {
        match u8::try_from(modules) {
            Ok(modules) if modules <= Self::MAX => Ok(Self(modules)),
            Ok(_) | Err(_) => Err(ErrorCode::OutOfRange.because("must be from 0 to 16")),
        }
    }

    /// Returns the width in modules.
    pub const fn width(self) -> u8 {
        self.0
    }
}

/// Opaque sRGB colour, written `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    red: u8,
    green: u8,
    blue: u8,
}

impl Colour {
    /// `#000000`
    pub const BLACK: Self = Self { red: 0, green: 0, blue: 0 };
    /// `#ffffff`
    pub const WHITE: Self = Self { red: 255, green: 255, blue: 255 };

    /// Parses `#rrggbb`, in upper or lower case.
    ///
    /// # Errors
    /// If `text` has another form.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = digits
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or(ValidationError::because("must be a colour written #rrggbb, such as #1a2b3c"))?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self { red, green, blue })
    }

    /// Returns the components red, green and blue, in this order.
    pub const fn rgb(self) -> [u8; 3] {
        [self.red, self.green, self.blue]
    }

    /// Returns the [contrast ratio](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio) of two
    /// colours by WCAG 2.2, from 1 (equal colours) to 21 (black on white).
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns the [relative luminance](https://www.w3.org/TR/WCAG22/#dfn-relative-luminance) by
    /// WCAG 2.2, from 0 (black) to 1 (white).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.rgb().map(|component| {
            let c = f64::from(component) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn contrast_follows_wcag() {
        assert!((Colour::BLACK.contrast(Colour::WHITE) - 21.0).abs() < 1e-9);
        assert!((Colour::WHITE.contrast(Colour::WHITE) - 1.0).abs() < 1e-9);
        // #767676 is the lightest grey with a contrast of at least 4.5 to white.
        let grey = Colour { red: 0x76, green: 0x76, blue: 0x76 };
        assert!((grey.contrast(Colour::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn invalid_colour_is_rejected() {
        for text in ["", "#fff", "ffffff", "#ggffff", "#+12345", "#ffffff ", "red"] {
            assert!(Colour::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn displayed_colour_parses_to_itself(red: u8, green: u8, blue: u8) {
            let colour = Colour { red, green, blue };
            prop_assert_eq!(Colour::parse(&colour.to_string()), Ok(colour));
        }
    }
}
