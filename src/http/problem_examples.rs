//! Problems whose detail is constant, which are also the examples in the OpenAPI document.

use serde_json::{Value, json};

use crate::http::objects::fields::EXAMPLE_CODE;
use crate::http::problem::{EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID, FieldError, Problem};
use crate::http::problem_type::ProblemType;
use crate::http::request_body::MAX_BODY;
use crate::values::{ErrorCode, OperatorPermission, Permission};

const _: () = assert!(MAX_BODY == 65_536, "as `ProblemExample::TOO_LARGE` says");

/// A problem whose detail is constant, which is also an example in the OpenAPI document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemExample {
    pub(super) problem_type: &'static ProblemType,
    part: RequestPart,
    code: ErrorCode,
    detail: &'static str,
    /// A second invalid field: its pointer, its code, and what is wrong with it.
    second: Option<(&'static str, ErrorCode, &'static str)>,
}

/// The part of a request in which a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestPart {
    Whole,
    /// The link that has this code.
    Link(&'static str),
    Pointer(&'static str),
    Parameter(&'static str),
    Header(&'static str),
}

/// Defines problems, each with its type and its detail.
macro_rules! problem_examples {
    ($($name:ident = $type:ident: $detail:expr;)+) => {
        $(pub(super) const $name: Self = Self::new(ProblemType::$type, $detail);)+
    };
}

impl ProblemExample {
    /// Problems of every operation.
    pub(super) const OF_OPERATIONS: &[Self] = &[
        Self::UNAUTHORIZED,
        Self::KEY_FAILURES_LIMITED,
        Self::INTERNAL_ERROR,
        Self::UNAVAILABLE,
        Self::BUSY,
        Self::CLICKS_PENDING,
    ];

    /// Returns the further problems of every operation that needs this permission: those of a valid key.
    pub(super) const fn of_permission(permission: Permission) -> &'static [Self] {
        match permission {
            Permission::AnyKey => &[Self::OWNER_SUSPENDED, Self::RATE_LIMITED],
            Permission::Read | Permission::Create | Permission::Edit | Permission::Full => {
                &[Self::OWNER_SUSPENDED, Self::KEY_SCOPE, Self::RATE_LIMITED]
            }
            // Keys of all roles may read.
            Permission::Operator(OperatorPermission::Read) => &[],
            Permission::Operator(
                OperatorPermission::Provision
                | OperatorPermission::Suspend
                | OperatorPermission::Moderate
                | OperatorPermission::Administer,
            ) => &[Self::OPERATOR_ROLE],
        }
    }

    /// Conflicts of every operation that creates a link.
    pub(super) const OF_NEW_LINKS: &[Self] = &[
        Self::new(ProblemType::CODE_IN_USE, "The short code is in use."),
        Self::new(ProblemType::CODE_RESERVED, "The short code is reserved."),
        Self::new(ProblemType::PLAN_LIMIT_REACHED, "The plan's link limit is reached."),
        Self::new(
            ProblemType::DAILY_LIMIT_REACHED,
            "The plan's limit of new links per day is reached until midnight UTC.",
        ),
        Self::EXPIRY_PASSED,
    ];

    problem_examples! {
        UNAUTHORIZED = UNAUTHORIZED: "Send an API key in the header X-API-Key, or as Authorization: Bearer.";
        OWNER_SUSPENDED = OWNER_SUSPENDED: "The operator has suspended the owner of the API key.";
        KEY_SCOPE = KEY_SCOPE: "The scope of the API key does not allow this operation.";
        OPERATOR_ROLE = OPERATOR_ROLE: "The role of the operator key does not allow this operation.";
        RATE_LIMITED = RATE_LIMITED: "The owner has sent as many requests as the plan allows at the moment.";
        KEY_FAILURES_LIMITED = RATE_LIMITED:
            "Too many requests without a valid API key came from this address.";
        UNAVAILABLE = UNAVAILABLE: "The database is unavailable at the moment.";
        BUSY = UNAVAILABLE: "The database is too busy at the moment.";
        CLICKS_PENDING = UNAVAILABLE: "Clicks wait to be stored, so counts are not exact at the moment.";
        MALFORMED_BODY = MALFORMED_REQUEST:
            "The body is not JSON: EOF while parsing a value at line 1 column 7.";
        UNREADABLE_NUMBER = MALFORMED_REQUEST:
            "The body is not JSON: number out of range at line 1 column 13.";
        INTERNAL_ERROR = INTERNAL_ERROR: Problem::INTERNAL_ERROR_DETAIL;
        LINK_NOT_FOUND = LINK_NOT_FOUND: "There is no such link.";
        CURSOR_NOT_FOUND = CURSOR_NOT_FOUND: "This list did not issue the cursor to this owner.";
        KEY_REUSED = IDEMPOTENCY_KEY_REUSED: "The idempotency key was used for another request.";
        TOO_LARGE = BODY_TOO_LARGE: "A body must not exceed 65536 bytes.";
        LARGE_BODY_TOO_LARGE = BODY_TOO_LARGE: "A body must not exceed 1048576 bytes.";
        BATCH_TOO_LARGE = BODY_TOO_LARGE: "A body must not exceed 4194304 bytes.";
        NOT_JSON = UNSUPPORTED_MEDIA_TYPE: "Send the body with Content-Type: application/json.";
        NOT_A_PATCH = UNSUPPORTED_MEDIA_TYPE:
            "Send the body with Content-Type: application/json or application/merge-patch+json.";
        KEY_NOT_FOUND = KEY_NOT_FOUND: "There is no such key.";
        OWN_KEY = OWN_KEY: "A key cannot revoke itself.";
        EXPIRY_AFTER_KEY = EXPIRY_AFTER_KEY: "The key would outlive the one that makes the change.";
        KEY_LIMIT_REACHED = KEY_LIMIT_REACHED: "The owner has 100 valid keys, the most that are allowed.";
        SECRET_UNAVAILABLE = SECRET_UNAVAILABLE:
            "The secret of the key cannot be shown again: another API key sent the first request, or the \
             key is no longer valid.";
        WEBHOOK_NOT_FOUND = WEBHOOK_NOT_FOUND: "There is no such webhook.";
        DELIVERY_NOT_FOUND = DELIVERY_NOT_FOUND: "There is no such delivery.";
        WEBHOOK_LIMIT_REACHED = WEBHOOK_LIMIT_REACHED:
            "The owner has 10 webhooks, the most that are allowed.";
        WEBHOOK_DISABLED = WEBHOOK_DISABLED: "The webhook is disabled.";
        DELIVERY_ERASED = DELIVERY_ERASED: "What the delivery is about was deleted.";
        CUSTOM_CODES_NOT_ALLOWED = CUSTOM_CODES_NOT_ALLOWED: "The plan does not allow custom codes.";
        EXTERNAL_ID_IN_USE = EXTERNAL_ID_IN_USE: "The external identifier is in use.";
        EXPIRY_PASSED = EXPIRY_PASSED: "The time of expiry is not in the future.";
        COLOURS_TOO_CLOSE = QR_COLOURS_TOO_CLOSE:
            "The colours of the QR code have a contrast ratio of 1.07; the minimum is 3.";
        QR_CODE_TOO_LONG = QR_CODE_TOO_LONG:
            "The short URL is too long for a QR code with error correction H.";
        PRECONDITION_FAILED = PRECONDITION_FAILED: "It has changed since it was read.";
        LINK_DISABLED = LINK_DISABLED: "The operator has disabled the link or blocked its destination.";
        CONTENT_ENCODED = UNSUPPORTED_CONTENT_ENCODING: "Send the body without a Content-Encoding.";
        METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED:
            "This path does not support that method; Allow lists those it supports.";
        OWNER_NOT_FOUND = OWNER_NOT_FOUND: "There is no such owner.";
        PLAN_NOT_FOUND = PLAN_NOT_FOUND: "There is no such plan.";
        OPERATOR_KEY_NOT_FOUND = OPERATOR_KEY_NOT_FOUND: "There is no such operator key.";
        EVENT_NOT_FOUND = EVENT_NOT_FOUND: "There is no such event.";
        BLOCK_NOT_FOUND = BLOCK_NOT_FOUND: "The operator has added no such pattern.";
        DOMAIN_NOT_FOUND = DOMAIN_NOT_FOUND: "There is no such domain.";
        OWNER_EXISTS = OWNER_EXISTS: "The owner 'acme' already exists.";
        PLAN_EXISTS = PLAN_EXISTS: "The plan 'gold' already exists.";
        PLAN_IN_USE = PLAN_IN_USE: "1 owner has the plan 'gold'.";
        OPERATOR_KEY_EXISTS = OPERATOR_KEY_EXISTS: "The operator key 'billing' already exists.";
        DOMAIN_EXISTS = DOMAIN_EXISTS: "The domain 'go.acme.example' already exists.";
        DOMAIN_HAS_DESTINATIONS = DOMAIN_HAS_DESTINATIONS:
            "3 destinations or fallbacks lead to acme.link already, and would lead to this service itself.";
        OWNER_NOT_SUSPENDED = OWNER_NOT_SUSPENDED: "The owner 'acme' is not suspended.";
        DELETION_ABORTED = DELETION_ABORTED:
            "The owner 'acme' was resumed or deleted meanwhile; what was deleted until then stays deleted.";
        CANNOT_UNDO = CANNOT_UNDO: "Event 31 is 'owner add', which cannot be undone.";
        EVENT_RUNNING = EVENT_RUNNING: "The change of event 31 goes on.";
        CHANGE_RUNNING = CHANGE_RUNNING:
            "The change of event 31 has not ended, and one change of an owner runs at a time.";
    }

    pub(super) const LINK_HAS_EXTERNAL_ID: Self =
        Self { part: RequestPart::Link(EXAMPLE_CODE), ..Self::EXTERNAL_ID_IN_USE };
    pub(super) const BURST_WITHOUT_RATE: Self =
        Self::invalid("/burst", "needs a request_rate, which the plan does not have")
            .with_code(ErrorCode::NotAllowed);
    pub(super) const MALFORMED_NOTE: Self =
        Self::invalid("/audit/note", "must not contain control characters");
    pub(super) const NOT_AN_OBJECT: Self =
        Self::invalid("", "must be a JSON object").with_code(ErrorCode::WrongType);
    pub(super) const MALFORMED_KEY: Self =
        Self::header("Idempotency-Key", "appears with different values")
            .with_code(ErrorCode::NotAllowed);
    pub(super) const MALFORMED_IF_MATCH: Self =
        Self::header("If-Match", "must be a list of entity tags, or *");
    pub(super) const MALFORMED_LIMIT: Self =
        Self::parameter("limit", "must be a number from 1 to 1000")
            .with_code(ErrorCode::OutOfRange);
    pub(super) const UNKNOWN_PARAMETER: Self =
        Self::parameter("hosts", "is unknown").with_code(ErrorCode::Unknown);
    pub(super) const MALFORMED_REASON: Self =
        Self::parameter("reason", "must be phishing, malware, spam, legal, owner-request or other")
            .with_code(ErrorCode::NotAllowed);
    pub(super) const MALFORMED_MONTH: Self =
        Self::parameter("month", "must be a month such as 2026-01");

    /// Creates the problem of a blocked destination, to which the JSON pointer leads.
    pub(super) const fn blocked(pointer: &'static str) -> Self {
        let detail = "must not lead to evil.example, which the operator of this service has blocked \
                      (phishing)";
        Self::at(RequestPart::Pointer(pointer), ProblemType::DESTINATION_BLOCKED, detail)
            .with_code(ErrorCode::Blocked)
    }

    pub(super) const fn new(problem_type: &'static ProblemType, detail: &'static str) -> Self {
        Self::at(RequestPart::Whole, problem_type, detail)
    }

    /// Creates the problem of one invalid field, to which the JSON pointer leads.
    pub(super) const fn invalid(pointer: &'static str, detail: &'static str) -> Self {
        Self::at(RequestPart::Pointer(pointer), ProblemType::INVALID_INPUT, detail)
    }

    /// Creates the problem of a malformed query parameter.
    pub(super) const fn parameter(name: &'static str, detail: &'static str) -> Self {
        Self::at(RequestPart::Parameter(name), ProblemType::MALFORMED_REQUEST, detail)
    }

    /// Creates the problem of a malformed header.
    const fn header(name: &'static str, detail: &'static str) -> Self {
        Self::at(RequestPart::Header(name), ProblemType::MALFORMED_REQUEST, detail)
    }

    const fn at(
        part: RequestPart,
        problem_type: &'static ProblemType,
        detail: &'static str,
    ) -> Self {
        Self { problem_type, part, code: ErrorCode::Malformed, detail, second: None }
    }

    /// Replaces the code of the invalid field or parameter, which is `malformed` otherwise.
    pub(super) const fn with_code(self, code: ErrorCode) -> Self {
        Self { code, ..self }
    }

    /// Adds a second invalid field, to which the JSON pointer leads.
    pub(super) const fn and_invalid(
        self,
        pointer: &'static str,
        code: ErrorCode,
        detail: &'static str,
    ) -> Self {
        Self { second: Some((pointer, code, detail)), ..self }
    }

    /// Returns the problem, as the error of a request.
    pub(super) fn problem(&self) -> Problem {
        let error = self.code.because(self.detail);
        match self.part {
            RequestPart::Whole => Problem::new(self.problem_type, self.detail),
            RequestPart::Link(code) => Problem {
                short_code: Some((*code).into()),
                ..Problem::new(self.problem_type, self.detail)
            },
            RequestPart::Parameter(name) => Problem::malformed_parameter(name, &error),
            RequestPart::Header(name) => Problem::malformed_header(name, &error),
            RequestPart::Pointer(pointer) => {
                let second = self.second.map(|(pointer, code, detail)| {
                    FieldError::at_pointer(pointer, &code.because(detail))
                });
                let first = FieldError::at_pointer(pointer, &error);
                let errors = std::iter::once(first).chain(second).collect();
                Problem { problem_type: self.problem_type, ..Problem::invalid(errors) }
            }
        }
    }

    /// Returns the body of the example response in the OpenAPI document.
    pub(super) fn body(&self) -> Value {
        json!(self.problem().into_details(EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID.to_owned()))
    }
}
