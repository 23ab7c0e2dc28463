//! Every problem that there is: its name, its status, and what people are told of it.

use poem::http::StatusCode;

/// Every problem there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 400
    MalformedRequest,
    /// 401
    Unauthorized,
    /// 404 of a link
    LinkNotFound,
    /// 404 of a cursor
    CursorNotFound,
    /// 404 of a path
    NotFound,
    /// 405
    MethodNotAllowed,
    /// 409 of a code that somebody has
    CodeInUse,
    /// 409 of a code that the server needs
    CodeReserved,
    /// 409 of a plan
    PlanLimitReached,
    /// 409 of an idempotency key
    IdempotencyKeyReused,
    /// 409 of a QR code
    QrColoursTooClose,
    /// 413
    BodyTooLarge,
    /// 415 of a body that is not JSON
    UnsupportedMediaType,
    /// 415 of a body that is compressed
    UnsupportedContentEncoding,
    /// 422
    InvalidInput,
    /// 500
    InternalError,
    /// 503
    Unavailable,
}

impl Kind {
    /// All of them, by status.
    pub const ALL: &[Self] = &[
        Self::MalformedRequest,
        Self::Unauthorized,
        Self::LinkNotFound,
        Self::CursorNotFound,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::CodeInUse,
        Self::CodeReserved,
        Self::PlanLimitReached,
        Self::IdempotencyKeyReused,
        Self::QrColoursTooClose,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::UnsupportedContentEncoding,
        Self::InvalidInput,
        Self::InternalError,
        Self::Unavailable,
    ];

    /// Its name in `type` and `code`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::MalformedRequest => "malformed-request",
            Self::Unauthorized => "unauthorized",
            Self::LinkNotFound => "link-not-found",
            Self::CursorNotFound => "cursor-not-found",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::CodeInUse => "code-in-use",
            Self::CodeReserved => "code-reserved",
            Self::PlanLimitReached => "plan-limit-reached",
            Self::IdempotencyKeyReused => "idempotency-key-reused",
            Self::QrColoursTooClose => "qr-colours-too-close",
            Self::BodyTooLarge => "body-too-large",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::UnsupportedContentEncoding => "unsupported-content-encoding",
            Self::InvalidInput => "invalid-input",
            Self::InternalError => "internal-error",
            Self::Unavailable => "unavailable",
        }
    }

    /// The status of its answers.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::MalformedRequest => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::LinkNotFound | Self::CursorNotFound | Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::CodeInUse
            | Self::CodeReserved
            | Self::PlanLimitReached
            | Self::IdempotencyKeyReused
            | Self::QrColoursTooClose => StatusCode::CONFLICT,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType | Self::UnsupportedContentEncoding => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::InvalidInput => StatusCode::UNPROCESSABLE_ENTITY,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// A short summary, the same for every occurrence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::MalformedRequest => "The request is malformed",
            Self::Unauthorized => "The API key is missing or invalid",
            Self::LinkNotFound => "There is no such link",
            Self::CursorNotFound => "There is no such page",
            Self::NotFound => "There is no such path",
            Self::MethodNotAllowed => "The method is not allowed here",
            Self::CodeInUse => "The short code is in use",
            Self::CodeReserved => "The short code is reserved",
            Self::PlanLimitReached => "The plan's limit is reached",
            Self::IdempotencyKeyReused => "The idempotency key was used before",
            Self::QrColoursTooClose => "The colours are too close to scan",
            Self::BodyTooLarge => "The body is too large",
            Self::UnsupportedMediaType => "The body is not JSON",
            Self::UnsupportedContentEncoding => "The body is compressed",
            Self::InvalidInput => "The input is not valid",
            Self::InternalError => "Internal server error",
            Self::Unavailable => "The service is temporarily unavailable",
        }
    }

    /// What it means and what to do, for the page that `type` leads to; backticks enclose what
    /// programs read.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::MalformedRequest => {
                "The body is not JSON that can be read, or a query parameter or header is malformed \
                 or appears more than once. Nothing was changed. Correct the request before you send \
                 it again; `detail` says what is wrong."
            }
            Self::Unauthorized => {
                "Every operation needs an API key, in the header `X-API-Key` or as `Authorization: \
                 Bearer`. The key is missing, unknown, expired or revoked, or the two headers carry \
                 different keys. Ask the operator of this service for a key."
            }
            Self::LinkNotFound => {
                "No link of yours has this short code. Codes are case-sensitive; another owner's \
                 link is answered the same way as one that does not exist."
            }
            Self::CursorNotFound => {
                "The cursor was not given to you by this list: it was changed on the way, made up, \
                 or is another list's or another owner's. Take the whole URL from the header `Link` \
                 of the previous page, or start again without `cursor`."
            }
            Self::NotFound => {
                "The service has no operation at this path. The document at `/openapi.json` lists them all."
            }
            Self::MethodNotAllowed => {
                "There is an operation at this path, but not with this method. The header `Allow` \
                 lists those that are supported."
            }
            Self::CodeInUse => {
                "Another link has the short code that you asked for. Nothing was created. Choose \
                 another, or leave `custom_code` out and get a random one."
            }
            Self::CodeReserved => {
                "The short code that you asked for is a path that the server uses itself. Nothing \
                 was created. Choose another, or leave `custom_code` out and get a random one."
            }
            Self::PlanLimitReached => {
                "You have as many links as your plan allows. Nothing was created. The operator of \
                 this service can put you on another plan."
            }
            Self::IdempotencyKeyReused => {
                "You have sent a different request with the same `Idempotency-Key` in the last 24 \
                 hours, and it succeeded. This one changed nothing. Send the earlier request again \
                 to get its response again, or use a new key for a new request."
            }
            Self::QrColoursTooClose => {
                "A scanner could not tell the foreground of the QR code from its background; for a \
                 colour that is left out, the stored one counts. Nothing was changed. \
                 Choose a pair with a contrast ratio of at least 3 (WCAG 2)."
            }
            Self::BodyTooLarge => {
                "The body of a request may have 64 KiB at most. Nothing was changed."
            }
            Self::UnsupportedMediaType => {
                "Requests with a body need the header `Content-Type: application/json`."
            }
            Self::UnsupportedContentEncoding => {
                "The body came with a `Content-Encoding`, such as `gzip`. Nothing was changed. Send \
                 the JSON as it is, without that header; a body may have 64 KiB at most anyway."
            }
            Self::InvalidInput => {
                "The body is JSON, but a field is missing, repeated, of the wrong type or \
                 not valid. `errors` names each one with a JSON pointer. Nothing was changed. Correct the fields before \
                 you send the request again."
            }
            Self::InternalError => {
                "This is a defect of the service, not of your request. Please tell its operator, \
                 with the `request_id` of the answer."
            }
            Self::Unavailable => {
                "The database cannot be reached, is full, read-only or too busy. Try again after \
                 the number of seconds in the header `Retry-After`. If the connection broke while \
                 something was being stored, the request may have taken effect: repeat it with the \
                 same `Idempotency-Key`, or check before you repeat it."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn slugs_are_unique_and_statuses_are_errors() {
        let slugs: HashSet<_> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
        assert_eq!(slugs.len(), Kind::ALL.len());
        assert!(Kind::ALL.iter().all(|kind| kind.status().as_u16() >= 400));
    }
}
