"""An exception per problem. Generated from the documents in openapi by scripts/clients --generate."""

from ._problem import ProblemError


class MalformedRequest(ProblemError):
    """The problem `malformed-request`."""


class Unauthorized(ProblemError):
    """The problem `unauthorized`."""


class OwnerSuspended(ProblemError):
    """The problem `owner-suspended`."""


class KeyScope(ProblemError):
    """The problem `key-scope`."""


class LinkNotFound(ProblemError):
    """The problem `link-not-found`."""


class CursorNotFound(ProblemError):
    """The problem `cursor-not-found`."""


class NotFound(ProblemError):
    """The problem `not-found`."""


class MethodNotAllowed(ProblemError):
    """The problem `method-not-allowed`."""


class CodeInUse(ProblemError):
    """The problem `code-in-use`."""


class CodeReserved(ProblemError):
    """The problem `code-reserved`."""


class PlanLimitReached(ProblemError):
    """The problem `plan-limit-reached`."""


class DailyLimitReached(ProblemError):
    """The problem `daily-limit-reached`."""


class ExpiryPassed(ProblemError):
    """The problem `expiry-passed`."""


class IdempotencyKeyReused(ProblemError):
    """The problem `idempotency-key-reused`."""


class QrColoursTooClose(ProblemError):
    """The problem `qr-colours-too-close`."""


class QrCodeTooLong(ProblemError):
    """The problem `qr-code-too-long`."""


class BodyTooLarge(ProblemError):
    """The problem `body-too-large`."""


class UnsupportedMediaType(ProblemError):
    """The problem `unsupported-media-type`."""


class UnsupportedContentEncoding(ProblemError):
    """The problem `unsupported-content-encoding`."""


class InvalidInput(ProblemError):
    """The problem `invalid-input`."""


class DestinationBlocked(ProblemError):
    """The problem `destination-blocked`."""


class RateLimited(ProblemError):
    """The problem `rate-limited`."""


class InternalError(ProblemError):
    """The problem `internal-error`."""


class Unavailable(ProblemError):
    """The problem `unavailable`."""


class KeyNotFound(ProblemError):
    """The problem `key-not-found`."""


class CustomCodesNotAllowed(ProblemError):
    """The problem `custom-codes-not-allowed`."""


class LinkDisabled(ProblemError):
    """The problem `link-disabled`."""


class OwnKey(ProblemError):
    """The problem `own-key`."""


class ExpiryAfterKey(ProblemError):
    """The problem `expiry-after-key`."""


class KeyLimitReached(ProblemError):
    """The problem `key-limit-reached`."""


class SecretUnavailable(ProblemError):
    """The problem `secret-unavailable`."""


class PreconditionFailed(ProblemError):
    """The problem `precondition-failed`."""


class OperatorRole(ProblemError):
    """The problem `operator-role`."""


class OwnerNotFound(ProblemError):
    """The problem `owner-not-found`."""


class PlanNotFound(ProblemError):
    """The problem `plan-not-found`."""


class OperatorKeyNotFound(ProblemError):
    """The problem `operator-key-not-found`."""


class EventNotFound(ProblemError):
    """The problem `event-not-found`."""


class BlockNotFound(ProblemError):
    """The problem `block-not-found`."""


class DomainNotFound(ProblemError):
    """The problem `domain-not-found`."""


class OwnerExists(ProblemError):
    """The problem `owner-exists`."""


class PlanExists(ProblemError):
    """The problem `plan-exists`."""


class PlanInUse(ProblemError):
    """The problem `plan-in-use`."""


class OperatorKeyExists(ProblemError):
    """The problem `operator-key-exists`."""


class DomainExists(ProblemError):
    """The problem `domain-exists`."""


class DomainHasDestinations(ProblemError):
    """The problem `domain-has-destinations`."""


class OwnerNotSuspended(ProblemError):
    """The problem `owner-not-suspended`."""


class DeletionAborted(ProblemError):
    """The problem `deletion-aborted`."""


class CannotUndo(ProblemError):
    """The problem `cannot-undo`."""


BY_CODE: dict[str, type[ProblemError]] = {
    "malformed-request": MalformedRequest,
    "unauthorized": Unauthorized,
    "owner-suspended": OwnerSuspended,
    "key-scope": KeyScope,
    "link-not-found": LinkNotFound,
    "cursor-not-found": CursorNotFound,
    "not-found": NotFound,
    "method-not-allowed": MethodNotAllowed,
    "code-in-use": CodeInUse,
    "code-reserved": CodeReserved,
    "plan-limit-reached": PlanLimitReached,
    "daily-limit-reached": DailyLimitReached,
    "expiry-passed": ExpiryPassed,
    "idempotency-key-reused": IdempotencyKeyReused,
    "qr-colours-too-close": QrColoursTooClose,
    "qr-code-too-long": QrCodeTooLong,
    "body-too-large": BodyTooLarge,
    "unsupported-media-type": UnsupportedMediaType,
    "unsupported-content-encoding": UnsupportedContentEncoding,
    "invalid-input": InvalidInput,
    "destination-blocked": DestinationBlocked,
    "rate-limited": RateLimited,
    "internal-error": InternalError,
    "unavailable": Unavailable,
    "key-not-found": KeyNotFound,
    "custom-codes-not-allowed": CustomCodesNotAllowed,
    "link-disabled": LinkDisabled,
    "own-key": OwnKey,
    "expiry-after-key": ExpiryAfterKey,
    "key-limit-reached": KeyLimitReached,
    "secret-unavailable": SecretUnavailable,
    "precondition-failed": PreconditionFailed,
    "operator-role": OperatorRole,
    "owner-not-found": OwnerNotFound,
    "plan-not-found": PlanNotFound,
    "operator-key-not-found": OperatorKeyNotFound,
    "event-not-found": EventNotFound,
    "block-not-found": BlockNotFound,
    "domain-not-found": DomainNotFound,
    "owner-exists": OwnerExists,
    "plan-exists": PlanExists,
    "plan-in-use": PlanInUse,
    "operator-key-exists": OperatorKeyExists,
    "domain-exists": DomainExists,
    "domain-has-destinations": DomainHasDestinations,
    "owner-not-suspended": OwnerNotSuspended,
    "deletion-aborted": DeletionAborted,
    "cannot-undo": CannotUndo,
}
