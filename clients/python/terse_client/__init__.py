"""A client for Terse, the self-hosted URL shortener."""

from ._client import AsyncPages, Pages, Running, etag_of, event_id_of, response_headers_of
from ._problem import ProblemError
from .api import DOCUMENT_VERSION, AsyncTerse, Terse

__version__ = "0.1.0"

__all__ = [
    "DOCUMENT_VERSION",
    "AsyncPages",
    "AsyncTerse",
    "Pages",
    "ProblemError",
    "Running",
    "Terse",
    "etag_of",
    "event_id_of",
    "response_headers_of",
]
