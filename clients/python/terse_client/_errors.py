"""What calls raise."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from .types.manage import FieldError


class TerseError(Exception):
    """A call failed. Arguments that no server can accept raise `ValueError` instead, before a request."""

    def __init__(self, message: str, response: httpx.Response | None = None) -> None:
        super().__init__(message)
        #: The response, as far as it has arrived; its request lacks the key.
        self.response = response
        #: The key under which the call can be made again, and takes effect once.
        self.idempotency_key: str | None = None


class TerseConnectionError(TerseError):
    """The connection failed. The request may have taken effect."""


class TerseTimeoutError(TerseConnectionError):
    """The response did not arrive within `timeout`. The request may have taken effect."""


class TerseProblem(TerseError):
    """An error that the server reported (RFC 9457). `terse_client.problems` has a subclass for each code."""

    def __init__(
        self, problem: Mapping[str, Any], response: httpx.Response | None = None, status: int | None = None
    ) -> None:
        #: The members of the problem; empty if the response is not Terse's own, but a proxy's.
        self.problem = problem
        #: The status of the response.
        self.status: int = status or problem.get("status", 0)
        #: Identifies the kind of problem; empty if the response is not Terse's own.
        self.code: str = _text(problem.get("code"))
        headers = httpx.Headers() if response is None else response.headers
        where = f" to {headers['Location']}" if self.status // 100 == 3 and "Location" in headers else ""
        #: What happened, for people.
        self.detail: str = _text(problem.get("detail"), f"the response{where} is not Terse's")
        #: Identifies the request in the server's log.
        self.request_id: str = _text(problem.get("request_id"), headers.get("X-Request-Id", ""))
        errors = problem.get("errors")
        #: The fields that are not valid.
        self.errors: list[FieldError] = errors if isinstance(errors, list) else []
        #: After how many seconds the request can be repeated.
        self.retry_after: float | None = _seconds(headers.get("Retry-After"))
        super().__init__(f"{self.status} {self.code}: {self.detail}", response)

    def __reduce__(self) -> tuple[Any, ...]:
        return problem_of, (self.problem, self.response, self.status), self.__dict__


def problem_of(problem: Mapping[str, Any], response: httpx.Response, status: int | None = None) -> TerseProblem:
    """Returns an error of the class of its code. Its status is that of the response by default."""
    from .problems import BY_CODE

    kind = BY_CODE.get(_text(problem.get("code")), TerseProblem)
    return kind(problem, response, status or response.status_code)


def not_terse(response: httpx.Response, content: str) -> TerseError:
    """Returns an error that says what came instead of a response of Terse."""
    kind = response.headers.get("Content-Type", "no type")
    received = f"{response.status_code} ({kind}) with {content}"
    return TerseError(f"the response is not Terse's, base_url may be wrong: {received}", response)


def problem_in(response: httpx.Response) -> dict[str, Any]:
    """Returns the problem in a response, and nothing if the response is not Terse's own."""
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return {}
    try:
        problem = response.json()
    except (ValueError, RecursionError):
        return {}
    return problem if isinstance(problem, dict) else {}


def _text(value: object, default: str = "") -> str:
    return value if isinstance(value, str) else default


def _seconds(value: str | None) -> float | None:
    """Returns the seconds of `Retry-After`, for which a proxy may send a date; `None` if it is neither."""
    if value is None:
        return None
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
