//! What a QR code's style is made of, beside colours.

use super::ValidationError;

/// How much of a QR code may be lost without the text being lost: about 7, 15, 25 or 30 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCorrection {
    /// 7 %
    Low,
    /// 15 %
    Medium,
    /// 25 %
    Quartile,
    /// 30 %
    High,
}

impl ErrorCorrection {
    /// Takes one of the standard's letters.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(letter: &str) -> Result<Self, ValidationError> {
        match letter {
            "L" => Ok(Self::Low),
            "M" => Ok(Self::Medium),
            "Q" => Ok(Self::Quartile),
            "H" => Ok(Self::High),
            _ => Err(ValidationError::because("must be one of L, M, Q and H")),
        }
    }

    /// The standard's letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Low => "L",
            Self::Medium => "M",
            Self::Quartile => "Q",
            Self::High => "H",
        }
    }
}

/// The quiet zone around a QR code, in modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margin(u8);

impl Margin {
    /// The four modules that ISO/IEC 18004 asks for.
    pub const STANDARD: Self = Self(4);
    /// The most modules.
    pub const MAX: u8 = 16;

    /// Takes a number of modules from 0 to 16.
    ///
    /// # Errors
    /// When it is outside of that.
    pub fn new(modules: i64) -> Result<Self, ValidationError> {
        match u8::try_from(modules) {
            Ok(modules) if modules <= Self::MAX => Ok(Self(modules)),
            Ok(_) | Err(_) => Err(ValidationError::because("must be from 0 to 16")),
        }
    }

    /// That many modules.
    #[must_use]
    pub const fn modules(self) -> u8 {
        self.0
    }
}
