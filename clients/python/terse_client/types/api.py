"""The types of Terse. Generated from openapi/openapi.json by scripts/clients --generate."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


class FieldError(TypedDict):
    """One thing in a request that is not valid: a field of the body, or a parameter or header."""

    pointer: NotRequired[str]
    """JSON pointer (RFC 6901) to the field in the request's body; empty for the body itself."""
    parameter: NotRequired[str]
    """Name of the query parameter or header, if the error is not in the body."""
    code: Literal[
        "required", "unknown", "wrong-type", "malformed", "too-long", "out-of-range", "in-use", "blocked", "not-allowed"
    ]
    """What is wrong with it, for programs. Others may be added."""
    detail: str
    """What is wrong with it, for people."""


class Link(TypedDict):
    """A link in a list."""

    short_code: str
    """The link's code."""
    destination_url: str
    """Where the link leads."""
    campaign: str | None
    """The campaign that the link belongs to; `null` without one."""
    clicks: int
    """Number of clicks, at most 2⁵³ − 1."""


class LinkList(TypedDict):
    """Links of the owner, newest first."""

    data: list[Link]
    """The links."""


class LinkStats(TypedDict):
    """A link and its statistics."""

    short_code: str
    """The link's code."""
    destination_url: str
    """Where the link leads."""
    campaign: str | None
    """The campaign that the link belongs to; `null` without one."""
    clicks: int
    """Number of clicks, at most 2⁵³ − 1."""
    is_active: int
    """1 while the link redirects to its destination; 0 if it has expired or is paused, or if the operator has disabled it or blocked its destination: it then returns 410, or 451 because of a legal demand."""


class Problem(TypedDict):
    """What went wrong (RFC 9457, problem details)."""

    type: str
    """A page for people that says what the problem means and what to do; the same for every problem of this kind."""
    title: str
    """A short summary; the same for every problem of this kind."""
    status: int
    """The status of the response, for when only the body is kept."""
    detail: str
    """What happened this time, for people."""
    code: Literal[
        "malformed-request",
        "unauthorized",
        "owner-suspended",
        "key-scope",
        "link-not-found",
        "cursor-not-found",
        "not-found",
        "method-not-allowed",
        "code-in-use",
        "code-reserved",
        "plan-limit-reached",
        "daily-limit-reached",
        "expiry-passed",
        "idempotency-key-reused",
        "qr-colours-too-close",
        "qr-code-too-long",
        "body-too-large",
        "unsupported-media-type",
        "unsupported-content-encoding",
        "invalid-input",
        "destination-blocked",
        "rate-limited",
        "internal-error",
        "unavailable",
    ]
    """Identifies the kind of problem, for programs: the last segment of `type`. Treat an unknown one by its status: others may be added. No operation declares `not-found` and `method-not-allowed`, which unknown paths and methods return."""
    request_id: str
    """The identifier of this request in the server's log, also in the header `X-Request-Id`: quote it when you ask the operator for help."""
    errors: NotRequired[list[FieldError]]
    """The fields that are not valid, with `invalid-input` and `destination-blocked`; or the parameter or header that is not, with `malformed-request` unless the body is not JSON."""


class QrCodeLink(TypedDict):
    """A link with a QR code in a list."""

    short_code: str
    """The link's code."""
    destination_url: str
    """Where the link leads."""
    title: str | None
    """The link's title; `null` without one."""
    has_qr: int
    """Always 1: the list has only links whose QR code is enabled."""


class QrCodeList(TypedDict):
    """Links of the owner whose QR code is enabled, newest first."""

    data: list[QrCodeLink]
    """The links."""


class QrCodeRequest(TypedDict):
    """The link whose QR code to enable, and how to draw it."""

    short_code: str
    """The link's code."""
    error_correction: NotRequired[Literal["L", "M", "Q", "H"] | None]
    """How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %. Absent: the stored value, at first `M`."""
    margin: NotRequired[int | None]
    """The quiet zone around the code in modules; the standard asks for 4. Absent: the stored value, at first 4."""
    foreground: NotRequired[str | None]
    """The colour of the modules, as `#rrggbb`. Absent: the stored value, at first `#000000`."""
    background: NotRequired[str | None]
    """The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `foreground`. Absent: the stored value, at first `#ffffff`."""


class QrCodeResponse(TypedDict):
    """A link whose QR code is enabled now."""

    short_code: str
    """The link's code."""
    has_qr: int
    """1: the QR code is enabled."""
    message: str
    """Where the images are, for people; programs find the SVG in the header `Location`."""


class ShortenRequest(TypedDict):
    """A link to create."""

    url: str
    """Where the link leads: an absolute `http` or `https` URL with a host by the WHATWG URL standard, of at most 8,192 bytes (`maxLength` counts characters), which is stored exactly as sent and is not one of this service."""
    title: NotRequired[str | None]
    """The link's title, for people, without control characters."""
    campaign: NotRequired[str | None]
    """The campaign that the link belongs to, without control characters; lists can be filtered by it, spelled exactly as here."""
    expires_at: NotRequired[str | datetime | None]
    """The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback if the operator has set one. A time that is not in the future returns 409 `expiry-passed`."""
    custom_code: NotRequired[str | None]
    """The short code to give the link, case-sensitive. On a plan without custom codes (such as `free`) it is ignored and a random code is generated: read `short_code` in the response."""


class ShortenResponse(TypedDict):
    """A link that was created."""

    short_code: str
    """The link's code."""
    short_url: str
    """The URL to hand out: it redirects to the destination."""
    destination_url: str
    """Where the link leads, exactly as it was sent."""


class StatsResponse(TypedDict):
    """The statistics of one link."""

    data: LinkStats
