"""An exception per problem. Generated from openapi/*.json by scripts/clients --generate."""

from ._errors import TerseProblem


class MalformedRequest(TerseProblem):
    """The problem `malformed-request`."""


class Unauthorized(TerseProblem):
    """The problem `unauthorized`."""


class OwnerSuspended(TerseProblem):
    """The problem `owner-suspended`."""


class KeyScope(TerseProblem):
    """The problem `key-scope`."""


class LinkNotFound(TerseProblem):
    """The problem `link-not-found`."""


class CursorNotFound(TerseProblem):
    """The problem `cursor-not-found`."""


class NotFound(TerseProblem):
    """The problem `not-found`."""


class MethodNotAllowed(TerseProblem):
    """The problem `method-not-allowed`."""


class CodeInUse(TerseProblem):
    """The problem `code-in-use`."""


class CodeReserved(TerseProblem):
    """The problem `code-reserved`."""


class PlanLimitReached(TerseProblem):
    """The problem `plan-limit-reached`."""


class DailyLimitReached(TerseProblem):
    """The problem `daily-limit-reached`."""


class ExpiryPassed(TerseProblem):
    """The problem `expiry-passed`."""


class IdempotencyKeyReused(TerseProblem):
    """The problem `idempotency-key-reused`."""


class QrColoursTooClose(TerseProblem):
    """The problem `qr-colours-too-close`."""


class QrCodeTooLong(TerseProblem):
    """The problem `qr-code-too-long`."""


class BodyTooLarge(TerseProblem):
    """The problem `body-too-large`."""


class UnsupportedMediaType(TerseProblem):
    """The problem `unsupported-media-type`."""


class UnsupportedContentEncoding(TerseProblem):
    """The problem `unsupported-content-encoding`."""


class InvalidInput(TerseProblem):
    """The problem `invalid-input`."""


class DestinationBlocked(TerseProblem):
    """The problem `destination-blocked`."""


class RateLimited(TerseProblem):
    """The problem `rate-limited`."""


class InternalError(TerseProblem):
    """The problem `internal-error`."""


class Unavailable(TerseProblem):
    """The problem `unavailable`."""


class KeyNotFound(TerseProblem):
    """The problem `key-not-found`."""


class EventNotFound(TerseProblem):
    """The problem `event-not-found`."""


class WebhookNotFound(TerseProblem):
    """The problem `webhook-not-found`."""


class DeliveryNotFound(TerseProblem):
    """The problem `delivery-not-found`."""


class CustomCodesNotAllowed(TerseProblem):
    """The problem `custom-codes-not-allowed`."""


class LinkDisabled(TerseProblem):
    """The problem `link-disabled`."""


class OwnKey(TerseProblem):
    """The problem `own-key`."""


class ExpiryAfterKey(TerseProblem):
    """The problem `expiry-after-key`."""


class KeyLimitReached(TerseProblem):
    """The problem `key-limit-reached`."""


class WebhookLimitReached(TerseProblem):
    """The problem `webhook-limit-reached`."""


class WebhookDisabled(TerseProblem):
    """The problem `webhook-disabled`."""


class DeliveryErased(TerseProblem):
    """The problem `delivery-erased`."""


class SecretUnavailable(TerseProblem):
    """The problem `secret-unavailable`."""


class ExternalIdInUse(TerseProblem):
    """The problem `external-id-in-use`."""


class ChangeRunning(TerseProblem):
    """The problem `change-running`."""


class PreconditionFailed(TerseProblem):
    """The problem `precondition-failed`."""


class OperatorRole(TerseProblem):
    """The problem `operator-role`."""


class OwnerNotFound(TerseProblem):
    """The problem `owner-not-found`."""


class PlanNotFound(TerseProblem):
    """The problem `plan-not-found`."""


class OperatorKeyNotFound(TerseProblem):
    """The problem `operator-key-not-found`."""


class BlockNotFound(TerseProblem):
    """The problem `block-not-found`."""


class DomainNotFound(TerseProblem):
    """The problem `domain-not-found`."""


class OwnerExists(TerseProblem):
    """The problem `owner-exists`."""


class PlanExists(TerseProblem):
    """The problem `plan-exists`."""


class PlanInUse(TerseProblem):
    """The problem `plan-in-use`."""


class OperatorKeyExists(TerseProblem):
    """The problem `operator-key-exists`."""


class DomainExists(TerseProblem):
    """The problem `domain-exists`."""


class DomainHasDestinations(TerseProblem):
    """The problem `domain-has-destinations`."""


class OwnerNotSuspended(TerseProblem):
    """The problem `owner-not-suspended`."""


class DeletionAborted(TerseProblem):
    """The problem `deletion-aborted`."""


class CannotUndo(TerseProblem):
    """The problem `cannot-undo`."""


class EventRunning(TerseProblem):
    """The problem `event-running`."""


BY_CODE: dict[str, type[TerseProblem]] = {
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
    "event-not-found": EventNotFound,
    "webhook-not-found": WebhookNotFound,
    "delivery-not-found": DeliveryNotFound,
    "custom-codes-not-allowed": CustomCodesNotAllowed,
    "link-disabled": LinkDisabled,
    "own-key": OwnKey,
    "expiry-after-key": ExpiryAfterKey,
    "key-limit-reached": KeyLimitReached,
    "webhook-limit-reached": WebhookLimitReached,
    "webhook-disabled": WebhookDisabled,
    "delivery-erased": DeliveryErased,
    "secret-unavailable": SecretUnavailable,
    "external-id-in-use": ExternalIdInUse,
    "change-running": ChangeRunning,
    "precondition-failed": PreconditionFailed,
    "operator-role": OperatorRole,
    "owner-not-found": OwnerNotFound,
    "plan-not-found": PlanNotFound,
    "operator-key-not-found": OperatorKeyNotFound,
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
    "event-running": EventRunning,
}
