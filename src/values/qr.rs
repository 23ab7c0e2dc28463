//! Error correction and margin of a QR code.

use super::ValidationError;

/// Error correction level of a QR code (ISO/IEC 18004): the share of the symbol that may be damaged
/// while scanners can still read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCorrection {
    /// About 7 % of the symbol may be damaged.
    Low,
    /// About 15 % of the symbol may be damaged.
    Medium,
    /// About 25 % of the symbol may be damaged.
    Quartile,
    /// About 30 % of the symbol may be damaged.
    High,
}

impl ErrorCorrection {
    /// Parses the standard's letter: `L`, `M`, `Q` or `H`.
    ///
    /// # Errors
    /// If `letter` is anything else.
    pub fn parse(letter: &str) -> Result<Self, ValidationError> {
        match letter {
            "L" => Ok(Self::Low),
            "M" => Ok(Self::Medium),
            "Q" => Ok(Self::Quartile),
            "H" => Ok(Self::High),
            _ => Err(ValidationError::because("must be one of L, M, Q or H")),
        }
    }

    /// Returns the standard's letter: `L`, `M`, `Q` or `H`.
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
            Ok(_) | Err(_) => Err(ValidationError::because("must be from 0 to 16")),
        }
    }

    /// Returns the width in modules.
    #[must_use]
    pub const fn width(self) -> u8 {
        self.0
    }
}
