//! The ways in which operations fail, each as it reads in an answer.

use serde_json::{Value, json};

use super::failure::UNAVAILABLE;
use crate::http::problem::{FieldError, Kind, NO_SUCH_METHOD, Problem};
use crate::http::upload::MAX_BODY;

/// What the first challenge of a newcomer is: a request without a key.
pub(super) const SEND_A_KEY: &str =
    "Send an API key in the header X-API-Key, or as Authorization: Bearer.";

const _: () = assert!(MAX_BODY == 65_536, "as `Case::TOO_LARGE` says");

/// One way to fail, with an example that the document shows.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub(super) kind: Kind,
    pointer: Option<&'static str>,
    detail: &'static str,
}

impl Case {
    /// What every operation can answer before it has begun.
    pub(super) const NO_KEY: Self = Self::new(Kind::Unauthorized, SEND_A_KEY);
    /// What every operation can answer when its database does not do its work.
    pub(super) const NO_DATABASE: Self = Self::new(Kind::Unavailable, UNAVAILABLE);
    /// What reading a link can answer.
    pub(super) const NO_LINK: Self = Self::new(Kind::LinkNotFound, "There is no such link.");
    /// What reading a list can answer.
    pub(super) const MALFORMED_LIMIT: Self =
        Self::new(Kind::MalformedRequest, "The parameter limit must be a number from 1 to 1000.");
    /// What reading a list can answer: only the server knows a cursor.
    pub(super) const NO_CURSOR: Self =
        Self::new(Kind::CursorNotFound, "There is no such page of this list.");
    /// What every operation that takes an idempotency key can answer.
    pub(super) const KEY_REUSED: Self =
        Self::new(Kind::IdempotencyKeyReused, "The idempotency key was used for another request.");
    /// What every operation with a body can answer.
    pub(super) const TOO_LARGE: Self =
        Self::new(Kind::BodyTooLarge, "A body must not exceed 65536 bytes.");
    /// What every operation with a body can answer.
    pub(super) const NOT_JSON: Self =
        Self::new(Kind::UnsupportedMediaType, "Send the body with Content-Type: application/json.");

    /// What every operation with a body can answer.
    pub(super) const ENCODED: Self =
        Self::new(Kind::UnsupportedContentEncoding, "Send the body without a Content-Encoding.");
    /// What every path answers to methods that it does not have.
    pub(super) const NO_METHOD: Self = Self::new(Kind::MethodNotAllowed, NO_SUCH_METHOD);

    pub(super) const fn new(kind: Kind, detail: &'static str) -> Self {
        Self { kind, pointer: None, detail }
    }

    /// One field of the body is not valid.
    pub(super) const fn of_field(pointer: &'static str, detail: &'static str) -> Self {
        Self { kind: Kind::InvalidInput, pointer: Some(pointer), detail }
    }

    /// What a client is told.
    pub(super) fn problem(&self) -> Problem {
        match self.pointer {
            Some(pointer) => Problem::invalid(vec![FieldError {
                pointer: pointer.to_owned(),
                detail: self.detail.to_owned(),
            }]),
            None => Problem::new(self.kind, self.detail),
        }
    }

    /// The case as an entry of the document's `examples`.
    pub(super) fn example(&self) -> Value {
        json!({ "summary": self.kind.title(), "value": self.problem().example() })
    }
}
