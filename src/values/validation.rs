//! Errors of invalid values.

use std::borrow::Cow;

use strum_macros::{IntoStaticStr, VariantNames};

/// Kind of an invalid value, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum ErrorCode {
    /// A member or a parameter is missing.
    Required,
    /// No member or parameter has this name.
    Unknown,
    /// The value has another type of JSON, or is not a number although it must be one.
    WrongType,
    /// The value has the right type, but another form.
    Malformed,
    /// The text or the array is longer than allowed.
    TooLong,
    /// The number is too small or too large, or the text or the array is too short.
    OutOfRange,
    /// Something else has the value already.
    InUse,
    /// The operator has blocked the value.
    Blocked,
    /// The value is none of the allowed ones, or must not be there.
    NotAllowed,
}

impl ErrorCode {
    /// Returns the code of a length that is not allowed, where all lengths from 1 to a maximum are.
    pub const fn of_length(length: usize) -> Self {
        if length == 0 { Self::OutOfRange } else { Self::TooLong }
    }

    /// Creates an error of this kind.
    pub fn because(self, reason: impl Into<Cow<'static, str>>) -> ValidationError {
        ValidationError { code: self, item: None, reason: reason.into() }
    }
}

/// Rule that an invalid value breaks, without its subject, such as "must not be longer than 255
/// characters". Callers put the name of the field in front.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ValidationError {
    /// Kind of the error.
    pub code: ErrorCode,
    /// Position of the invalid item, if the value is a list.
    pub item: Option<usize>,
    /// The rule.
    pub reason: Cow<'static, str>,
}

impl ValidationError {
    /// Creates the error of a malformed value.
    pub fn because(reason: impl Into<Cow<'static, str>>) -> Self {
        ErrorCode::Malformed.because(reason)
    }
}
