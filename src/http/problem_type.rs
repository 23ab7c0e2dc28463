//! The problem types (RFC 9457): name, status and explanation of each.

use poem::http::StatusCode;

/// A problem type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemType {
    /// Name of the type: the field `code`, and the last segment of the URL in the field `type`.
    pub slug: &'static str,
    /// Status of responses.
    pub status: StatusCode,
    /// Summary, which is the same for every occurrence.
    pub title: &'static str,
    /// Meaning of the problem and its remedy, for the page to which `type` leads. Backticks enclose
    /// code.
    pub explanation: &'static str,
    /// Name and value of a header that responses must have.
    pub header: Option<(&'static str, &'static str)>,
}

/// Defines the problem types, and the list of all of them in the same order.
macro_rules! problem_types {
    ($(
        $(#[$attribute:meta])*
        $name:ident = $slug:literal, $status:ident, $title:literal $(($header:literal: $value:literal))?:
            $explanation:literal;
    )+) => {
        impl ProblemType {
            $(
                $(#[$attribute])*
                pub const $name: &Self = &Self {
                    slug: $slug,
                    status: StatusCode::$status,
                    title: $title,
                    explanation: $explanation,
                    header: problem_types!(@header $($header, $value)?),
                };
            )+

            /// All types, ordered by status.
            pub const ALL: &[&Self] = &[$(Self::$name,)+];
        }
    };
    (@header) => { None };
    (@header $name:literal, $value:literal) => { Some(($name, $value)) };
}

problem_types! {
    /// 400: the body, a parameter or a header is malformed.
    MALFORMED_REQUEST = "malformed-request", BAD_REQUEST, "The request is malformed":
        "The body is not JSON that can be read, or a query parameter or header is malformed or \
         appears more than once. Nothing was changed. Correct the request before you send it \
         again; `detail` says what is wrong.";
    /// 401: the API key is missing or invalid.
    // RFC 9110, section 11.6.1, requires a challenge; X-API-Key has no registered scheme.
    UNAUTHORIZED = "unauthorized", UNAUTHORIZED, "The API key is missing or invalid" ("WWW-Authenticate": "Bearer realm=\"terse\""):
        "Every operation needs an API key, in the header `X-API-Key` or as `Authorization: \
         Bearer`. The key is missing, unknown, expired or revoked, or the two headers carry \
         different keys. Ask the operator of this service for a key.";
    /// 403: the owner is suspended.
    OWNER_SUSPENDED = "owner-suspended", FORBIDDEN, "The owner is suspended":
        "The operator of this service has suspended the owner of the API key. Nothing was changed, \
         and your links return 410 or 451 until the operator resumes the owner. Ask the operator for the \
         reason.";
    /// 403: the scope of the API key does not include the operation.
    KEY_SCOPE = "key-scope", FORBIDDEN, "The API key does not allow this operation":
        "The API key is limited: one of scope `read` reads everything but keys, one of scope `create` \
         creates links and QR codes, one of scope `edit` does both and changes links, and one of scope \
         `full` does everything. No key creates or changes one that may do more than itself. Nothing was \
         changed. Use another key.";
    /// 403: the role of the operator key does not include the operation.
    OPERATOR_ROLE = "operator-role", FORBIDDEN, "The operator key does not allow this operation":
        "The role of the operator key does not include the operation: `auditor` reads, `provisioner` \
         also manages owners, their keys and domains, `moderator` also changes links and blocks and \
         suspends owners, and `admin` does everything. Nothing was changed. Use another key.";
    /// 404: the owner has no such link.
    LINK_NOT_FOUND = "link-not-found", NOT_FOUND, "There is no such link":
        "No link of yours has this short code. Codes are case-sensitive; the response for \
         another owner's link is the same as for one that does not exist.";
    /// 404: the owner has no such key.
    KEY_NOT_FOUND = "key-not-found", NOT_FOUND, "There is no such key":
        "No API key of yours has this identifier, or the key is revoked already. The response for \
         another owner's key is the same as for one that does not exist.";
    /// 404: the server did not issue this cursor for this list.
    CURSOR_NOT_FOUND = "cursor-not-found", NOT_FOUND, "Unknown cursor":
        "The cursor was not given to you by this list: it was changed on the way, made up, or is \
         another list's or another owner's. Take the whole URL from the header `Link` of the \
         previous page, or start again without `cursor`.";
    /// 404: no route has this path.
    NOT_FOUND = "not-found", NOT_FOUND, "Unknown path":
        "The service has no operation at this path. The document at `/openapi.json` lists them \
         all.";
    /// 404: there is no such owner.
    OWNER_NOT_FOUND = "owner-not-found", NOT_FOUND, "There is no such owner":
        "No owner has this identifier or name. Paths, queries and requests name owners by their identifiers; \
         `GET /owners?name=` finds the identifier of a name.";
    /// 404: there is no such plan.
    PLAN_NOT_FOUND = "plan-not-found", NOT_FOUND, "There is no such plan":
        "No plan has this name. Nothing was changed. `GET /plans` lists them all.";
    /// 404: there is no such operator key.
    OPERATOR_KEY_NOT_FOUND = "operator-key-not-found", NOT_FOUND, "There is no such operator key":
        "No operator key has this identifier, or the key is revoked already. Nothing was changed. \
         `GET /operator-keys` lists them.";
    /// 404: there is no such event.
    EVENT_NOT_FOUND = "event-not-found", NOT_FOUND, "There is no such event":
        "No event has this identifier. `GET /events` lists them.";
    /// 404: the operator has not added this pattern.
    BLOCK_NOT_FOUND = "block-not-found", NOT_FOUND, "There is no such pattern":
        "The operator has added no such pattern, or it was removed already. Patterns of imported lists \
         and of the block file are removed where they come from.";
    /// 404: there is no such domain.
    DOMAIN_NOT_FOUND = "domain-not-found", NOT_FOUND, "There is no such domain":
        "No owner has a domain with this host, or it was removed already. `GET /domains` lists them all.";
    /// 404: the owner has no such webhook.
    WEBHOOK_NOT_FOUND = "webhook-not-found", NOT_FOUND, "There is no such webhook":
        "No webhook of yours has this identifier. The response for another owner's webhook is the same as \
         for one that does not exist.";
    /// 404: the webhook has no such delivery.
    DELIVERY_NOT_FOUND = "delivery-not-found", NOT_FOUND, "There is no such delivery":
        "The webhook has no delivery with this identifier, or it is older than 7 days.";
    /// 405: the path does not support the method.
    METHOD_NOT_ALLOWED = "method-not-allowed", METHOD_NOT_ALLOWED, "Method not allowed":
        "There is an operation at this path, but not with this method. The header `Allow` lists \
         those that are supported.";
    /// 409: another link has the custom code.
    CODE_IN_USE = "code-in-use", CONFLICT, "The short code is in use":
        "Another link has the short code that you asked for, or had it before it was deleted. Nothing \
         was created. Choose another, \
         or leave `custom_code` out and get a random one.";
    /// 409: the custom code is reserved.
    CODE_RESERVED = "code-reserved", CONFLICT, "The short code is reserved":
        "The short code that you asked for is a path that the server uses itself. Nothing was \
         created. Choose another, or leave `custom_code` out and get a random one.";
    /// 409: the plan allows the owner no more links.
    PLAN_LIMIT_REACHED = "plan-limit-reached", CONFLICT, "The plan's limit is reached":
        "You have as many links as your plan allows. Nothing was created. The operator of this service \
         can put you on another plan.";
    /// 409: the plan allows the owner no more links today.
    DAILY_LIMIT_REACHED = "daily-limit-reached", CONFLICT, "The plan's limit of the day is reached":
        "You have created as many links today (UTC) as your plan allows per day, deleted ones included. \
         Nothing was created. The header `Retry-After` has the number of seconds until the next day \
         begins. The operator of this service can put you on another plan.";
    /// 409: the plan does not allow custom codes.
    CUSTOM_CODES_NOT_ALLOWED = "custom-codes-not-allowed", CONFLICT, "The plan does not allow custom codes":
        "You have asked for a short code of your choice, which your plan does not allow. Nothing was \
         created. Leave `custom_code` out and get a random code, or ask the operator of this service for \
         another plan.";
    /// 409: the operator has disabled or blocked the link.
    LINK_DISABLED = "link-disabled", CONFLICT, "The link is disabled":
        "The operator of this service has disabled the link or blocked its destination. While that \
         lasts, it can be neither changed nor deleted. Nothing was changed. Ask the operator for the \
         reason.";
    /// 409: a key cannot revoke itself.
    OWN_KEY = "own-key", CONFLICT, "A key cannot revoke itself":
        "You have asked to revoke the key with which you sent the request. Nothing was changed. \
         Revoke it with another key.";
    /// 409: the key would outlive the one that sets its expiry.
    EXPIRY_AFTER_KEY = "expiry-after-key", CONFLICT, "The expiry is too late":
        "The API key with which you sent the request expires, and the key that you are creating or \
         changing would be valid for longer. Nothing was changed. Send a time that is no later than the expiry of \
         your own key.";
    /// 409: the owner has as many valid keys as an owner may have.
    KEY_LIMIT_REACHED = "key-limit-reached", CONFLICT, "The limit of API keys is reached":
        "You have 100 valid API keys, the most that an owner may have; revoked and expired ones do \
         not count. Nothing was changed. Revoke a key that you no longer need.";
    /// 409: the owner has as many webhooks as an owner may have.
    WEBHOOK_LIMIT_REACHED = "webhook-limit-reached", CONFLICT, "The limit of webhooks is reached":
        "You have 10 webhooks, the most that an owner may have. Nothing was created. Delete a webhook that \
         you no longer need, or add types to one.";
    /// 409: the webhook is disabled.
    WEBHOOK_DISABLED = "webhook-disabled", CONFLICT, "The webhook is disabled":
        "The webhook is disabled, so that nothing is sent. Enable it first. If `disabled_reason` is \
         `operator`, only the operator of this service can enable it again.";
    /// 409: what a delivery is about was deleted.
    DELIVERY_ERASED = "delivery-erased", CONFLICT, "The delivery was erased":
        "The link that the delivery is about was deleted, and its values with it. The delivery cannot be \
         sent again.";
    /// 409: a repeated request cannot get the secret of its key again.
    SECRET_UNAVAILABLE = "secret-unavailable", CONFLICT, "The secret cannot be shown again":
        "An earlier request with the same `Idempotency-Key` has created an API key, whose secret the \
         service does not store. It can be shown again only to the API key that sent the earlier \
         request, and only while the created key is valid. Nothing was changed. If you do not have \
         the secret, revoke the created key, and create another one with a new `Idempotency-Key`.";
    /// 409: another link of the owner, or another owner, has the external identifier.
    EXTERNAL_ID_IN_USE = "external-id-in-use", CONFLICT, "The external identifier is in use":
        "Another link of the same owner has this external identifier, `short_code` names it; or another \
         owner has it. Nothing was changed. Change the other one, or choose another identifier. `PUT \
         /external-links/{external_id}` creates the link or changes the one that exists.";
    /// 409: the time of expiry is not in the future.
    EXPIRY_PASSED = "expiry-passed", CONFLICT, "The time of expiry has passed":
        "The time in `expires_at` is not in the future by the service's clock. Nothing was created. \
         Send a later time, or leave `expires_at` out and get a link that does not expire.";
    /// 409: the idempotency key was used for a different request.
    IDEMPOTENCY_KEY_REUSED = "idempotency-key-reused", CONFLICT, "The idempotency key was used before":
        "You have sent a different request with the same `Idempotency-Key` in the last 24 hours, \
         and it succeeded. This one changed nothing. Send the earlier request again to get its \
         response again, or use a new key for a new request.";
    /// 409: scanners could not distinguish the colours of the QR code.
    QR_COLOURS_TOO_CLOSE = "qr-colours-too-close", CONFLICT, "Colour contrast too low to scan":
        "A scanner could not tell the foreground of the QR code from its background; for a colour \
         that is left out, the stored one counts. Nothing was changed. Choose a pair with a \
         contrast ratio of at least 3 (WCAG 2).";
    /// 409: the short URL is too long for a QR code.
    QR_CODE_TOO_LONG = "qr-code-too-long", CONFLICT, "The short URL is too long for a QR code":
        "The short URL of this imported link has more bytes than a QR code can hold with its error \
         correction. Nothing was changed. Choose a lower level of error correction, `L` at the lowest, \
         or give the destination a shorter code.";
    /// 409: another owner has the name.
    OWNER_EXISTS = "owner-exists", CONFLICT, "The name is in use":
        "Another owner has this name. Nothing was changed. Choose another name.";
    /// 409: another plan has the name.
    PLAN_EXISTS = "plan-exists", CONFLICT, "The name is in use":
        "Another plan has this name. Nothing was changed. Choose another name, or change the plan.";
    /// 409: owners have the plan.
    PLAN_IN_USE = "plan-in-use", CONFLICT, "The plan is in use":
        "Owners have the plan, as `detail` counts. Nothing was changed. Give them another plan first; \
         `GET /owners` finds the owners of a plan.";
    /// 409: another operator key has the name.
    OPERATOR_KEY_EXISTS = "operator-key-exists", CONFLICT, "The name is in use":
        "Another operator key, which is not revoked, has this name. Nothing was changed. Choose another \
         name, or revoke the other key first.";
    /// 409: the domain belongs to an owner already.
    DOMAIN_EXISTS = "domain-exists", CONFLICT, "The domain already exists":
        "An owner has a domain with this host already. Nothing was changed. `GET /domains/{host}` shows \
         whose it is; remove it first if it is to belong to another owner.";
    /// 409: destinations lead to the host of a new domain.
    DOMAIN_HAS_DESTINATIONS = "domain-has-destinations", CONFLICT, "Destinations lead to the host of the domain":
        "Links or owners have destinations or fallbacks at the host, as `detail` counts. They would lead \
         from this service to itself. Nothing was changed. Change them first, or send \
         `\"accept_destinations\": 1` to add the domain all the same.";
    /// 409: the owner is not suspended.
    OWNER_NOT_SUSPENDED = "owner-not-suspended", CONFLICT, "The owner is not suspended":
        "Only a suspended owner can be deleted, because the deletion is final. \
         Nothing was changed. Suspend the owner first.";
    /// 409: another change interfered with the deletion of an owner.
    DELETION_ABORTED = "deletion-aborted", CONFLICT, "The deletion was aborted":
        "Another change resumed the owner during the deletion, or deleted the owner too. What was \
         deleted until then stays deleted.";
    /// 409: the event cannot be undone.
    CANNOT_UNDO = "cannot-undo", CONFLICT, "The event cannot be undone":
        "Only events that disable, enable, pause, unpause or edit links, suspend or resume owners, \
         block, allow or remove patterns, or add, change or remove domains can be undone. Nothing was \
         changed.";
    /// 409: the change of the event goes on.
    EVENT_RUNNING = "event-running", CONFLICT, "The change goes on":
        "The change of the event has not ended, so that it cannot be undone yet. Nothing was changed. Stop it \
         with `POST /events/{id}/stop`, or wait until its `status` is `done` or `stopped`.";
    /// 409: another change of the owner goes on.
    CHANGE_RUNNING = "change-running", CONFLICT, "Another change goes on":
        "One change of any number of the owner's links runs at a time. Nothing was changed. Repeat the request \
         when the other change has ended.";
    /// 412: what the path names has another version than `If-Match` names.
    PRECONDITION_FAILED = "precondition-failed", PRECONDITION_FAILED, "It has changed meanwhile":
        "What you want to change has changed since you read it: its `ETag` is not in `If-Match`. \
         Nothing was changed. Read it again, and repeat the change with its new `ETag` if it still \
         makes sense. A proxy that compresses responses changes their `ETag`; then no request with \
         `If-Match` succeeds.";
    /// 413: the body is too large.
    BODY_TOO_LARGE = "body-too-large", PAYLOAD_TOO_LARGE, "The body is too large":
        "The body of a request may have 64 KiB at most, that of a change of many links 1 MiB, that of a batch \
         of links 4 MiB, and each link in it 64 KiB. Nothing was changed.";
    /// 415: the body is not JSON.
    UNSUPPORTED_MEDIA_TYPE = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The body is not JSON":
        "Requests with a body need the header `Content-Type: application/json`.";
    /// 415: the body is compressed.
    // A 415 response names the accepted codings (RFC 9110, section 12.5.3).
    UNSUPPORTED_CONTENT_ENCODING = "unsupported-content-encoding", UNSUPPORTED_MEDIA_TYPE, "The body is compressed" ("Accept-Encoding": "identity"):
        "The body came with a `Content-Encoding`, such as `gzip`. Nothing was changed. Send the \
         JSON as it is, without that header.";
    /// 422: fields are invalid.
    INVALID_INPUT = "invalid-input", UNPROCESSABLE_ENTITY, "The input is not valid":
        "The body is JSON, but a field is missing, repeated, of the wrong type or not valid. \
         `errors` names each one with a JSON pointer. Nothing was changed. Correct the fields \
         before you send the request again.";
    /// 422: the destination is blocked.
    DESTINATION_BLOCKED = "destination-blocked", UNPROCESSABLE_ENTITY, "The destination is blocked":
        "The operator of this service has blocked the destination in `url`, for the reason that \
         `detail` names. Nothing was created. If the block is a mistake, ask the operator to remove \
         it.";
    /// 429: a rate limit is reached.
    RATE_LIMITED = "rate-limited", TOO_MANY_REQUESTS, "Too many requests" ("Retry-After": "1"):
        "You have sent more requests than your plan allows at a time, or your address has sent too \
         many requests without a valid API key; `detail` says which. Nothing was changed. Try again \
         after the number of seconds in the header `Retry-After`. `RateLimit-Policy` has the limit \
         and `RateLimit` what is left of it.";
    /// 500: a bug of the server.
    INTERNAL_ERROR = "internal-error", INTERNAL_SERVER_ERROR, "Internal server error":
        "This is a defect of the service, not of your request. Please tell its operator, with the \
         `request_id` of the response.";
    /// 503: the database is unavailable or busy.
    UNAVAILABLE = "unavailable", SERVICE_UNAVAILABLE, "The service is temporarily unavailable" ("Retry-After": "1"):
        "The database cannot be reached, is full, read-only or too busy, or clicks wait to be \
         stored, or too many requests wait already; `detail` says which of these it is. Try again \
         after the number of seconds in the header `Retry-After`. If the connection broke while something \
         was being stored, the request may have taken effect: repeat it with the same \
         `Idempotency-Key`, or check before you repeat it.";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn slugs_are_unique_and_statuses_are_errors() {
        let slugs: HashSet<_> = ProblemType::ALL.iter().map(|one| one.slug).collect();
        assert_eq!(slugs.len(), ProblemType::ALL.len());
        assert!(ProblemType::ALL.iter().all(|one| one.status.as_u16() >= 400));
    }
}
