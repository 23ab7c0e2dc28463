//! Small values that cannot be wrong: whoever holds one knows that it was checked.
//! Nothing here knows of HTTP, a database or any other module of Terse.

mod api_key;
mod base_url;
mod colour;
mod destination;
mod idempotency_key;
mod label;
mod qr;
mod reserved;
mod short_code;
mod timestamp;

pub use api_key::{ApiKey, KeyHash};
pub use base_url::BaseUrl;
pub use colour::Colour;
pub use destination::Destination;
pub use idempotency_key::IdempotencyKey;
pub use label::{Campaign, Name, Title};
pub use qr::{ErrorCorrection, Margin};
use reserved::is_reserved;
pub use short_code::{CustomCodeError, ShortCode};
pub use timestamp::Timestamp;

/// Why a text is not the value that it was taken for: a sentence's end for people, such as
/// "must not be longer than 255 characters".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ValidationError(pub std::borrow::Cow<'static, str>);

impl ValidationError {
    /// For a reason that is always the same.
    #[must_use]
    pub const fn because(reason: &'static str) -> Self {
        Self(std::borrow::Cow::Borrowed(reason))
    }
}
