"""The errors that a server reports (RFC 9457)."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from .api.models import FieldError


class ProblemError(Exception):
    """An error that the server reported. `terse_client.problems` has a subclass for each code."""

    def __init__(self, response: httpx.Response) -> None:
        problem = _problem_of(response)
        #: The status of the response.
        self.status: int = response.status_code
        #: Identifies the kind of problem; empty if the response is not Terse's own, but a proxy's.
        self.code: str = problem.get("code", "")
        #: What happened, for people.
        self.detail: str = problem.get("detail", "the response is no problem of Terse")
        #: Identifies the request in the server's log.
        self.request_id: str = problem.get("request_id", response.headers.get("X-Request-Id", ""))
        #: The fields that are not valid.
        self.errors: list[FieldError] = problem.get("errors", [])
        #: After how many seconds the request can be repeated.
        self.retry_after: float | None = _seconds(response.headers.get("Retry-After"))
        super().__init__(f"{self.status} {self.code}: {self.detail}")

    @staticmethod
    def of(response: httpx.Response) -> ProblemError:
        """Returns the error that a response reports, of the class of its code."""
        from .problems import BY_CODE

        return BY_CODE.get(_problem_of(response).get("code", ""), ProblemError)(response)


def _problem_of(response: httpx.Response) -> dict[str, Any]:
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return {}
    try:
        problem = response.json()
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _seconds(value: str | None) -> float | None:
    """Returns the seconds of `Retry-After`, for which a proxy may send a date."""
    if value is None:
        return None
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
