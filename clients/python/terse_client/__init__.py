"""A client for Terse, the self-hosted URL shortener."""

__version__ = "0.2.0"

from ._client import AsyncPages, Attempt, Hooks, Page, Pages, Running, event_id_of, response_of
from ._errors import TerseConnectionError, TerseError, TerseProblem, TerseTimeoutError
from ._many import CreatedLinks, LinkResult, TerseBatchError
from ._terse import AsyncTerse, Terse
from ._terse_operator import AsyncTerseOperator, TerseOperator
from ._webhooks import WebhookVerificationError, verify_webhook

#: The version of the documents from which this package was generated.
DOCUMENT_VERSION = Terse._document

__all__ = [
    "DOCUMENT_VERSION",
    "AsyncPages",
    "AsyncTerse",
    "AsyncTerseOperator",
    "Attempt",
    "CreatedLinks",
    "Hooks",
    "LinkResult",
    "Page",
    "Pages",
    "Running",
    "Terse",
    "TerseBatchError",
    "TerseConnectionError",
    "TerseError",
    "TerseOperator",
    "TerseProblem",
    "TerseTimeoutError",
    "WebhookVerificationError",
    "event_id_of",
    "response_of",
    "verify_webhook",
]
