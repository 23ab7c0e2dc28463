use super::ValidationError;

/// An opaque sRGB colour, written `#rrggbb`.
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

    /// Takes `#rrggbb` in any letter case.
    ///
    /// # Errors
    /// When the text is anything else.
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

    /// The three components, red first.
    #[must_use]
    pub const fn rgb(self) -> [u8; 3] {
        [self.red, self.green, self.blue]
    }

    /// Contrast ratio of two colours, 1 (the same) to 21 (black on white).
    /// [WCAG 2.2](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// [WCAG 2.2](https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)
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
    fn contrast_agrees_with_the_standard() {
        assert!((Colour::BLACK.contrast(Colour::WHITE) - 21.0).abs() < 1e-9);
        assert!((Colour::WHITE.contrast(Colour::WHITE) - 1.0).abs() < 1e-9);
        // #767676 on white is the lightest grey that WCAG takes at 4.5.
        let grey = Colour { red: 0x76, green: 0x76, blue: 0x76 };
        assert!((grey.contrast(Colour::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn only_the_long_hexadecimal_form_is_a_colour() {
        for text in ["", "#fff", "ffffff", "#ggffff", "#+12345", "#ffffff ", "red"] {
            assert!(Colour::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_parses_back(red: u8, green: u8, blue: u8) {
            let colour = Colour { red, green, blue };
            prop_assert_eq!(Colour::parse(&colour.to_string()), Ok(colour));
        }
    }
}
