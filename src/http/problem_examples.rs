//! Problems whose detail is constant, which are also the examples in the OpenAPI document.

use serde_json::{Value, json};

use crate::http::problem::{EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID, FieldError, Problem};
use crate::http::problem_type::ProblemType;
use crate::http::request_body::MAX_BODY;
use crate::values::{OperatorPermission, Permission};

const _: () = assert!(MAX_BODY == 65_536, "as `ProblemExample::TOO_LARGE` says");

/// A problem whose detail is constant, which is also an example in the OpenAPI document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemExample {
    pub(super) problem_type: &'static ProblemType,
    pointer: Option<&'static str>,
    detail: &'static str,
    /// A second invalid field: its pointer, and what is wrong with it.
    second: Option<(&'static str, &'static str)>,
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
            Permission::Read | Permission::Create | Permission::Manage => {
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

    /// Problems of every operation with a merge patch.
    pub(super) const OF_PATCHES: &[Self] = &[
        Self::MALFORMED_BODY,
        Self::UNREADABLE_NUMBER,
        Self::TOO_LARGE,
        Self::NOT_A_PATCH,
        Self::CONTENT_ENCODED,
    ];
    /// Problems of every operation with a body.
    pub(super) const OF_BODIES: &[Self] = &[
        Self::MALFORMED_BODY,
        Self::UNREADABLE_NUMBER,
        Self::TOO_LARGE,
        Self::NOT_JSON,
        Self::CONTENT_ENCODED,
    ];

    /// Conflicts of every operation that creates a link.
    pub(super) const OF_NEW_LINKS: &[Self] = &[
        Self::new(ProblemType::CODE_IN_USE, "The short code is in use."),
        Self::new(ProblemType::CODE_RESERVED, "The short code is reserved."),
        Self::new(ProblemType::PLAN_LIMIT_REACHED, "The plan's link limit is reached."),
        Self::new(
            ProblemType::PLAN_LIMIT_REACHED,
            "The plan's limit of new links per day is reached until midnight UTC.",
        ),
        Self::EXPIRY_PASSED,
        Self::KEY_REUSED,
    ];

    pub(super) const UNAUTHORIZED: Self = Self::new(
        ProblemType::UNAUTHORIZED,
        "Send an API key in the header X-API-Key, or as Authorization: Bearer.",
    );
    pub(super) const OWNER_SUSPENDED: Self = Self::new(
        ProblemType::OWNER_SUSPENDED,
        "The operator has suspended the owner of the API key.",
    );
    pub(super) const KEY_SCOPE: Self = Self::new(
        ProblemType::KEY_SCOPE,
        "The scope of the API key does not allow this operation.",
    );
    pub(super) const OPERATOR_ROLE: Self = Self::new(
        ProblemType::OPERATOR_ROLE,
        "The role of the operator key does not allow this operation.",
    );
    pub(super) const RATE_LIMITED: Self = Self::new(
        ProblemType::RATE_LIMITED,
        "The owner has sent as many requests as the plan allows at the moment.",
    );
    pub(super) const KEY_FAILURES_LIMITED: Self = Self::new(
        ProblemType::RATE_LIMITED,
        "Too many requests without a valid API key came from this address.",
    );
    pub(super) const UNAVAILABLE: Self =
        Self::new(ProblemType::UNAVAILABLE, "The database is unavailable at the moment.");
    pub(super) const BUSY: Self =
        Self::new(ProblemType::UNAVAILABLE, "The database is too busy at the moment.");
    pub(super) const CLICKS_PENDING: Self = Self::new(
        ProblemType::UNAVAILABLE,
        "Clicks wait to be stored, so counts are not exact at the moment.",
    );
    pub(super) const MALFORMED_BODY: Self = Self::new(
        ProblemType::MALFORMED_REQUEST,
        "The body is not JSON: EOF while parsing a value at line 1 column 7.",
    );
    pub(super) const UNREADABLE_NUMBER: Self = Self::new(
        ProblemType::MALFORMED_REQUEST,
        "The body is not JSON: number out of range at line 1 column 13.",
    );
    pub(super) const MALFORMED_KEY: Self = Self::new(
        ProblemType::MALFORMED_REQUEST,
        "The header Idempotency-Key appears with different values.",
    );
    pub(super) const INTERNAL_ERROR: Self =
        Self::new(ProblemType::INTERNAL_ERROR, Problem::INTERNAL_ERROR_DETAIL);
    pub(super) const LINK_NOT_FOUND: Self =
        Self::new(ProblemType::LINK_NOT_FOUND, "There is no such link.");
    pub(super) const MALFORMED_LIMIT: Self = Self::new(
        ProblemType::MALFORMED_REQUEST,
        "The parameter limit must be a number from 1 to 1000.",
    );
    pub(super) const UNKNOWN_PARAMETER: Self =
        Self::new(ProblemType::MALFORMED_REQUEST, "The parameter hosts is unknown.");
    pub(super) const CURSOR_NOT_FOUND: Self = Self::new(
        ProblemType::CURSOR_NOT_FOUND,
        "This list did not issue the cursor to this owner.",
    );
    pub(super) const KEY_REUSED: Self = Self::new(
        ProblemType::IDEMPOTENCY_KEY_REUSED,
        "The idempotency key was used for another request.",
    );
    pub(super) const TOO_LARGE: Self =
        Self::new(ProblemType::BODY_TOO_LARGE, "A body must not exceed 65536 bytes.");
    pub(super) const BATCH_TOO_LARGE: Self =
        Self::new(ProblemType::BODY_TOO_LARGE, "A body must not exceed 4194304 bytes.");
    pub(super) const NOT_JSON: Self = Self::new(
        ProblemType::UNSUPPORTED_MEDIA_TYPE,
        "Send the body with Content-Type: application/json.",
    );
    pub(super) const NOT_A_PATCH: Self = Self::new(
        ProblemType::UNSUPPORTED_MEDIA_TYPE,
        "Send the body with Content-Type: application/json or application/merge-patch+json.",
    );
    pub(super) const MALFORMED_REASON: Self = Self::new(
        ProblemType::MALFORMED_REQUEST,
        "The parameter reason must be phishing, malware, spam, legal, owner-request or other.",
    );
    pub(super) const KEY_NOT_FOUND: Self =
        Self::new(ProblemType::KEY_NOT_FOUND, "There is no such key.");
    pub(super) const OWN_KEY: Self = Self::new(ProblemType::OWN_KEY, "A key cannot revoke itself.");
    pub(super) const EXPIRY_AFTER_KEY: Self = Self::new(
        ProblemType::EXPIRY_AFTER_KEY,
        "The key would outlive the one that makes the change.",
    );
    pub(super) const KEY_LIMIT_REACHED: Self = Self::new(
        ProblemType::KEY_LIMIT_REACHED,
        "The owner has 100 valid keys, the most that are allowed.",
    );
    pub(super) const SECRET_UNAVAILABLE: Self = Self::new(
        ProblemType::SECRET_UNAVAILABLE,
        "The secret of the key cannot be shown again: another API key sent the first request, or the \
         key is no longer valid.",
    );
    pub(super) const EXPIRY_PASSED: Self =
        Self::new(ProblemType::EXPIRY_PASSED, "The time of expiry is not in the future.");
    pub(super) const COLOURS_TOO_CLOSE: Self = Self::new(
        ProblemType::QR_COLOURS_TOO_CLOSE,
        "The colours of the QR code have a contrast ratio of 1.07; the minimum is 3.",
    );
    pub(super) const QR_CODE_TOO_LONG: Self = Self::new(
        ProblemType::QR_CODE_TOO_LONG,
        "The short URL is too long for a QR code with error correction H.",
    );
    pub(super) const PRECONDITION_FAILED: Self =
        Self::new(ProblemType::PRECONDITION_FAILED, "The link has changed since it was read.");
    pub(super) const LINK_DISABLED: Self = Self::new(
        ProblemType::LINK_DISABLED,
        "The operator has disabled the link or blocked its destination.",
    );
    pub(super) const MALFORMED_IF_MATCH: Self = Self::new(
        ProblemType::MALFORMED_REQUEST,
        "The header If-Match must be a list of entity tags, or *.",
    );
    pub(super) const CONTENT_ENCODED: Self = Self::new(
        ProblemType::UNSUPPORTED_CONTENT_ENCODING,
        "Send the body without a Content-Encoding.",
    );
    pub(super) const METHOD_NOT_ALLOWED: Self = Self::new(
        ProblemType::METHOD_NOT_ALLOWED,
        "This path does not support that method; Allow lists those it supports.",
    );

    pub(super) const OWNER_NOT_FOUND: Self =
        Self::new(ProblemType::OWNER_NOT_FOUND, "There is no such owner.");
    pub(super) const PLAN_NOT_FOUND: Self =
        Self::new(ProblemType::PLAN_NOT_FOUND, "There is no such plan.");
    pub(super) const EVENT_NOT_FOUND: Self =
        Self::new(ProblemType::EVENT_NOT_FOUND, "There is no such event.");
    pub(super) const BLOCK_NOT_FOUND: Self =
        Self::new(ProblemType::BLOCK_NOT_FOUND, "The operator has added no such pattern.");
    pub(super) const DOMAIN_NOT_FOUND: Self =
        Self::new(ProblemType::DOMAIN_NOT_FOUND, "There is no such domain.");
    pub(super) const OWNER_EXISTS: Self =
        Self::new(ProblemType::OWNER_EXISTS, "The owner 'acme' already exists.");
    pub(super) const PLAN_EXISTS: Self =
        Self::new(ProblemType::PLAN_EXISTS, "The plan 'gold' already exists.");
    pub(super) const DOMAIN_EXISTS: Self =
        Self::new(ProblemType::DOMAIN_EXISTS, "The domain 'go.acme.example' already exists.");
    pub(super) const DOMAIN_HAS_DESTINATIONS: Self = Self::new(
        ProblemType::DOMAIN_HAS_DESTINATIONS,
        "3 destinations or fallbacks lead to acme.link already, and would lead to this service itself.",
    );
    pub(super) const OWNER_NOT_SUSPENDED: Self =
        Self::new(ProblemType::OWNER_NOT_SUSPENDED, "The owner 'acme' is not suspended.");
    pub(super) const DELETION_ABORTED: Self = Self::new(
        ProblemType::DELETION_ABORTED,
        "The owner 'acme' was resumed or deleted meanwhile; what was deleted until then stays deleted.",
    );
    pub(super) const CANNOT_UNDO: Self =
        Self::new(ProblemType::CANNOT_UNDO, "Event 31 is 'owner add', which cannot be undone.");
    pub(super) const BURST_WITHOUT_RATE: Self =
        Self::invalid("/burst", "needs a request_rate, which the plan does not have");

    /// Creates the problem of a blocked destination, to which the JSON pointer leads.
    pub(super) const fn blocked(pointer: &'static str) -> Self {
        Self {
            problem_type: ProblemType::DESTINATION_BLOCKED,
            pointer: Some(pointer),
            detail: "must not lead to evil.example, which the operator of this service has blocked \
                     (phishing)",
            second: None,
        }
    }

    pub(super) const fn new(problem_type: &'static ProblemType, detail: &'static str) -> Self {
        Self { problem_type, pointer: None, detail, second: None }
    }

    /// Creates the problem of one invalid field, to which the JSON pointer leads.
    pub(super) const fn invalid(pointer: &'static str, detail: &'static str) -> Self {
        let problem_type = ProblemType::INVALID_INPUT;
        Self { problem_type, pointer: Some(pointer), detail, second: None }
    }

    /// Adds a second invalid field, to which the JSON pointer leads.
    pub(super) const fn and_invalid(self, pointer: &'static str, detail: &'static str) -> Self {
        Self { second: Some((pointer, detail)), ..self }
    }

    /// Returns the problem, as the error of a request.
    pub(super) fn problem(&self) -> Problem {
        match self.pointer {
            Some(pointer) if self.problem_type == ProblemType::DESTINATION_BLOCKED => {
                Problem::destination_blocked(pointer.to_owned(), self.detail.to_owned())
            }
            Some(pointer) => {
                let fields = std::iter::once((pointer, self.detail)).chain(self.second);
                let errors = fields.map(|(pointer, detail)| FieldError {
                    pointer: pointer.to_owned(),
                    detail: detail.to_owned(),
                });
                Problem::invalid(errors.collect())
            }
            None => Problem::new(self.problem_type, self.detail),
        }
    }

    /// Returns the body of the example response in the OpenAPI document.
    pub(super) fn body(&self) -> Value {
        json!(self.problem().into_details(EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID.to_owned()))
    }
}
