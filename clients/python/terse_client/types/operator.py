"""The types of Terse: run the service. Generated from openapi/operator.json by scripts/clients --generate."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


class Actor(TypedDict):
    """Who made a change, or created a link. Owners see nothing that identifies an operator."""

    type: Literal["command", "owner_key", "operator_key", "import"]
    """`owner_key`, `operator_key`, `command` for a person or program at a shell of the operator's, or `import` for a file that the operator imported."""
    id: int | None
    """Identifies the key; `null` for a command, and where owners do not see it."""
    name: str | None
    """The label that the API key had, the name of the operator key, or the name that the command was given; `null` where owners do not see it."""


class Audit(TypedDict):
    """Why something is changed, for the history."""

    reason: NotRequired[Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None]
    """The reason for the change."""
    note: NotRequired[str | None]
    """A note about it."""
    case_id: NotRequired[str | None]
    """The identifier of a case in your own system."""


class AuditRequest(TypedDict):
    """Why something is changed."""

    audit: NotRequired[Audit | None]


class Block(TypedDict):
    """A pattern of destinations that are blocked, or are exceptions."""

    pattern: str
    """A host, which includes its subdomains, or the beginning of URLs on one host."""
    action: Literal["block", "allow"]
    """`block`, or `allow` for an exception."""
    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
    """Why, such as `phishing`."""
    source: str | None
    """The source of the pattern; `null` for the operator's own."""
    expires_at: str | None
    """The time from which the pattern no longer counts; `null` if it does not expire."""
    created_at: str | None
    """When the pattern was stored, or its list imported; `null` for the block file."""


class BlockCheck(TypedDict):
    """Whether a destination is blocked, and the pattern that decides it."""

    is_blocked: bool
    """Whether the destination is blocked."""
    pattern: str | None
    """The pattern that decides; `null` if none matches."""
    action: Literal["block", "allow"] | None
    """`block` or `allow`; `null` if no pattern matches."""
    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
    """The reason of the pattern; `null` if none matches."""
    source: str | None
    """The source of the pattern; `null` for the operator's own."""
    expires_at: str | None
    """The time from which the pattern no longer counts; `null` if it does not expire."""


Pattern: TypeAlias = str


class BlockCreate(TypedDict):
    """New patterns, or a new rule for existing ones."""

    patterns: list[Pattern]
    """1 to 1,000 patterns. Each is a host, which includes its subdomains, or a URL, which includes all paths below it."""
    action: NotRequired[Literal["block", "allow"] | None]
    """`block`, or `allow` for an exception; without it, `block`."""
    reason: NotRequired[Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None]
    """The reason, which visitors of blocked links see. Without it, an existing pattern keeps its reason, and a new one has `other`."""
    expires_at: NotRequired[str | datetime | None]
    """The time from which a block no longer counts (RFC 3339)."""
    audit: NotRequired[Audit | None]


class BlockList(TypedDict):
    """A page of patterns: the operator's own, newest first, then those of imported lists."""

    data: list[Block]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class ChangeResult(TypedDict):
    """The result of a change."""

    event_id: int | None
    """Identifies the event; `null` if there was nothing to change."""
    changed: int
    """Number of things that changed."""


class ClickReportRow(TypedDict):
    """Clicks of a group of links. It has the members by which the report groups."""

    day: NotRequired[str]
    """The day (UTC), in a report by day."""
    campaign: NotRequired[str | None]
    """The campaign, in a report by campaign; `null` for links without one and for deleted ones."""
    short_code: NotRequired[str | None]
    """The code of the link, in a report by link; `null` for deleted links, which have one row."""
    external_id: NotRequired[str | None]
    """Your own identifier of the link, in a report by link; `null` without one and for deleted links."""
    title: NotRequired[str | None]
    """The title of the link, in a report by link; `null` without one and for deleted links."""
    owner_id: NotRequired[int]
    """The identifier of the owner, in the operator's report by owner."""
    owner_name: NotRequired[str]
    """The name of the owner, in the operator's report by owner."""
    clicks: int
    """Number of clicks."""


class CreatedKey(TypedDict):
    """A new API key, with its secret."""

    id: int
    """Identifies the key."""
    label: str | None
    """Its label; `null` without one."""
    scope: Literal["read", "create", "edit", "full"]
    """What the key allows: `read`, `create`, `edit` or `full`."""
    hint: str | None
    """The last four characters of its secret; `null` if an earlier version of the service created it."""
    created_at: str
    """When the key was created."""
    expires_at: str | None
    """The time from which the key is invalid; `null` if it does not expire."""
    last_used_at: str | None
    """When the key was last used, with a precision of a minute; `null` if it never was."""
    revoked_at: str | None
    """When the key was revoked; `null` if it is not."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""
    secret: str
    """What the key's user sends as `X-API-Key`. Nothing else shows it."""
    owner_id: int
    """Identifies the owner."""
    owner_name: str
    """The owner's name."""


class CreatedOperatorKey(TypedDict):
    """A new operator key, with its secret."""

    id: int
    """Identifies the key."""
    name: str
    """The key's name, which the history shows."""
    role: Literal["auditor", "provisioner", "moderator", "admin"]
    """What the key may do: `auditor`, `provisioner`, `moderator` or `admin`."""
    hint: str | None
    """The last four characters of its secret; `null` if an earlier version of the service created it."""
    created_at: str
    """When the key was created."""
    expires_at: str | None
    """The time from which the key is invalid; `null` if it does not expire."""
    last_used_at: str | None
    """When the key was last used, with a precision of a minute; `null` if it never was."""
    revoked_at: str | None
    """When the key was revoked; `null` if it is not."""
    secret: str
    """What the key's user sends as `X-API-Key`. Nothing else shows it."""


class CreatedOwner(TypedDict):
    """A new owner, with the first key."""

    id: int
    """Identifies the owner; it never changes and is never used again."""
    name: str
    """The owner's name."""
    external_id: str | None
    """Your own identifier of the owner; `null` without one."""
    plan_name: str
    """The name of the owner's plan."""
    links: int
    """Number of links."""
    is_suspended: bool
    """Whether the owner is suspended."""
    suspended_reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
    """Why the owner is suspended; `null` if the owner is not."""
    suspended_at: str | None
    """Since when the owner is suspended; `null` if the owner is not, or if it is unknown."""
    created_at: str
    """When the owner was created."""
    last_active_on: str | None
    """The day (UTC) of the newest use of the owner's keys; `null` if they were never used."""
    fallback_url: str | None
    """Where visitors of expired links go that have no fallback of their own; `null` if they see a page."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""
    key: CreatedKey | None
    """The first key; `null` if none was requested. Nothing shows its secret again."""


class DatabaseStatus(TypedDict):
    """The database."""

    kind: Literal["sqlite", "postgres"]
    """`sqlite` or `postgres`."""
    size_bytes: int
    """Size in bytes: of the tables and indexes, without a write-ahead log."""
    free_bytes: int | None
    """Free space in bytes on the disk of an SQLite database; `null` on PostgreSQL, which does not report it."""


class DayClicks(TypedDict):
    """Clicks of a link on one day."""

    day: str
    """The day (UTC)."""
    clicks: int
    """Number of clicks."""


class Domain(TypedDict):
    """A domain of an owner."""

    host: str
    """The host in normal form, with a port if the domain is for that port only."""
    owner_id: int
    """The identifier of the owner."""
    owner_name: str
    """The name of the owner."""
    home_url: str | None
    """Where visitors of the start page go; `null` if they see a page."""
    is_default: bool
    """Whether the owner's short URLs and QR codes have this host."""
    created_at: str
    """When the domain was added."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""


class DomainCreate(TypedDict):
    """A domain to add."""

    host: str
    """The host, in any spelling, with a port if only requests for that port are meant."""
    owner_id: int
    """The identifier of the owner."""
    home_url: NotRequired[str | None]
    """Where visitors of the start page go; without it, they see a page."""
    accept_destinations: NotRequired[bool | None]
    """`true` adds the domain even if destinations lead to its host already; without it, `false`."""
    audit: NotRequired[Audit | None]


class DomainList(TypedDict):
    """A page of domains, newest first."""

    data: list[Domain]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class DomainUpdate(TypedDict):
    """New values for a domain, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value."""

    home_url: NotRequired[str | None]
    """Where visitors of the start page go; `null` if they see a page."""
    is_default: NotRequired[bool]
    """`true` makes the domain the owner's default, so that another one no longer is."""
    audit: NotRequired[Audit | None]


SkippedItem: TypeAlias = str


class EventAudit(TypedDict):
    """Why a change was made."""

    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
    """The reason, such as `owner-request`."""
    note: str | None
    """A note; `null` without one."""
    case_id: str | None
    """The case that led to it; `null` without one."""


class EventChange(TypedDict):
    """What an event changed of one thing. Values of deleted links and owners are erased."""

    subject: str
    """What was changed: a code, a host, a name, a pattern, or the identifier of a key or webhook."""
    before: dict[str, Any] | None
    """The members that changed, as they were before, with their names and types in the interface. `null` if it did not exist, or if the values are erased."""
    after: dict[str, Any] | None
    """The members that changed, as they were afterwards. `null` if it no longer exists, or if the values are erased."""


class EventChangeList(TypedDict):
    """A page of what an event changed, in the order in which it did."""

    data: list[EventChange]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class EventDetails(TypedDict):
    """An event, and what it changed."""

    id: int
    """Identifies the event."""
    created_at: str
    """When the change was made."""
    actor: Actor
    action: Literal[
        "link disable",
        "link enable",
        "link pause",
        "link unpause",
        "link edit",
        "link delete",
        "owner add",
        "owner plan",
        "owner edit",
        "owner suspend",
        "owner resume",
        "owner rename",
        "owner delete",
        "key add",
        "key expire",
        "key edit",
        "key revoke",
        "operator add",
        "operator revoke",
        "plan add",
        "plan set",
        "plan remove",
        "block add",
        "block allow",
        "block remove",
        "block import",
        "block remove --source",
        "domain add",
        "domain remove",
        "domain default",
        "domain edit",
        "webhook add",
        "webhook edit",
        "webhook rotate",
        "webhook disable",
        "webhook enable",
        "webhook remove",
        "usage reopen",
        "undo",
        "stop",
    ]
    """What was done: the command, such as `link disable`."""
    subject: str
    """What was changed: a code, a name, an identifier, a pattern, or a description of several things."""
    owner_id: int | None
    """Identifies the owner, if everything that changed belongs to one."""
    owner_name: str | None
    """The name of this owner."""
    audit: EventAudit
    changed: int
    """Number of things that changed. A change in progress still adds to it."""
    status: Literal["running", "done", "stopped"]
    """`running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped, or its server or command has given no sign of life for a minute."""
    finished_at: str | None
    """When the change ended; `null` while it goes on."""
    skipped: list[SkippedItem]
    """What an undo did not revert: the first 100 codes, names, patterns or hosts."""
    skipped_count: int
    """Number of all that it did not revert."""
    changes: list[EventChange]
    """What it changed, the first 100; `/events/{id}/changes` has all."""


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


class Key(TypedDict):
    """An API key. Nothing shows its secret again."""

    id: int
    """Identifies the key."""
    label: str | None
    """Its label; `null` without one."""
    scope: Literal["read", "create", "edit", "full"]
    """What the key allows: `read`, `create`, `edit` or `full`."""
    hint: str | None
    """The last four characters of its secret; `null` if an earlier version of the service created it."""
    created_at: str
    """When the key was created."""
    expires_at: str | None
    """The time from which the key is invalid; `null` if it does not expire."""
    last_used_at: str | None
    """When the key was last used, with a precision of a minute; `null` if it never was."""
    revoked_at: str | None
    """When the key was revoked; `null` if it is not."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""
    owner_id: int
    """Identifies the owner."""
    owner_name: str
    """The owner's name."""


class KeyCreate(TypedDict):
    """A key to create."""

    label: NotRequired[str | None]
    """The key's label, without control characters."""
    scope: Literal["read", "create", "edit", "full"]
    """What the key allows: `read` to read links and clicks, `create` to create links and QR codes, `edit` both and to change links, `full` everything of the owner."""
    expires_at: NotRequired[str | datetime | None]
    """The time from which the key is invalid (RFC 3339). Without it, the key expires with the owner's key that sends the request, or never."""
    audit: NotRequired[Audit | None]


class KeyList(TypedDict):
    """A page of keys, newest first, revoked and expired ones included."""

    data: list[Key]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class KeySearch(TypedDict):
    """An API key, to find it."""

    secret: str
    """The API key, as it was shown when it was created."""


class KeyUpdate(TypedDict):
    """New values for a key, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value."""

    label: NotRequired[str | None]
    """The key's label, without control characters."""
    expires_at: NotRequired[str | datetime | None]
    """The time from which the key is invalid (RFC 3339)."""
    audit: NotRequired[Audit | None]


class Link(TypedDict):
    """A link with everything that its owner can see."""

    short_code: str
    """The link's code."""
    short_url: str
    """The URL to hand out: it redirects to the destination."""
    destination_url: str
    """Where the link leads, exactly as it was sent."""
    title: str | None
    """The link's title; `null` without one."""
    campaign: str | None
    """The campaign that the link belongs to; `null` without one."""
    external_id: str | None
    """Your own identifier of the link; `null` without one."""
    clicks: int
    """Number of clicks, at most 2⁵³ − 1."""
    is_active: bool
    """Whether the link redirects, which it does in the state `active`."""
    state: Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"]
    """The first of these that applies: `owner-suspended`, `blocked` (its destination), `disabled` (by the operator), `paused` (by the owner), `expired`, `active`."""
    state_reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
    """Why the operator suspended, blocked or disabled it, such as `phishing`; `null` in the other states."""
    is_paused: bool
    """Whether the owner has paused the link, even if another state takes precedence."""
    has_qr: bool
    """Whether the QR code is enabled."""
    qr_error_correction: Literal["L", "M", "Q", "H"]
    """How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %."""
    qr_margin: int
    """The quiet zone around the QR code in modules."""
    qr_foreground: str
    """The colour of the QR code's modules."""
    qr_background: str
    """The colour behind them."""
    qr_svg_url: str | None
    """The QR code as SVG; `null` unless it is enabled."""
    qr_png_url: str | None
    """The QR code as PNG; `null` unless it is enabled."""
    forward_query: bool
    """Whether the redirect appends the query of the request to that of the destination."""
    fallback_url: str | None
    """Where visitors go once the link has expired; `null` if they see a page."""
    created_at: str
    """When the link was created; for an imported link, where it comes from."""
    created_by: Actor | None
    """Who created the link: a key, or an import; `null` if an earlier version did."""
    updated_at: str
    """When what can be written of the link last changed; at first, when it was created."""
    expires_at: str | None
    """The time at which the link expires: from then on, it returns 410, or redirects to a fallback; `null` if it does not expire."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""
    owner_id: int
    """Identifies the owner."""
    owner_name: str
    """The owner's name."""


UnknownCode: TypeAlias = str


class LinkChangeResult(TypedDict):
    """The result of a change of any number of links."""

    event_id: int | None
    """Identifies the event; `null` for a dry run, and if there was nothing to change."""
    status: Literal["running", "done", "stopped"]
    """`running` while the change goes on, `done` once all links are changed, `stopped` if it was stopped."""
    changed: int
    """Number of links that changed, or would change in a dry run."""
    skipped: int
    """Number of links that stayed as they are because the operator has disabled or blocked them; always 0 for the operator."""
    dry_run: bool
    """Whether it was a dry run."""
    unknown_codes: list[UnknownCode]
    """Listed codes that no link has, in the order of the request: the first 100."""
    unknown_count: int
    """Number of listed codes that no link has."""


class LinkChangeUpdate(TypedDict):
    """New values for all links of a change: what is absent stays, and `null` removes a value."""

    title: NotRequired[str | None]
    """The title."""
    campaign: NotRequired[str | None]
    """The campaign."""
    expires_at: NotRequired[str | datetime | None]
    """The time at which the links expire (RFC 3339). One that is not in the future returns 409 `expiry-passed`."""
    is_paused: NotRequired[bool]
    """Whether the links are paused."""
    fallback_url: NotRequired[str | None]
    """Where visitors go once a link has expired."""
    forward_query: NotRequired[bool]
    """Whether the redirect appends the query of each request to that of the destination."""
    has_qr: NotRequired[bool]
    """Whether the QR codes are enabled."""


class LinkClicks(TypedDict):
    """Clicks of a link by day. Those of the days, `clicks_before` and `clicks_after` add up to the link's clicks."""

    data: list[DayClicks]
    """All days of the range, oldest first."""
    from_day: str
    """The first day of the range."""
    to_day: str
    """The last day of the range."""
    clicks_before: int
    """Clicks before the first day, those included that were imported or are too old to have a day."""
    clicks_after: int
    """Clicks after the last day."""


class LinkList(TypedDict):
    """A page of links, newest first."""

    data: list[Link]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


CodeItem: TypeAlias = str


class LinkSelectors(TypedDict):
    """Conditions that choose links. A link must meet all of them; at least one is required."""

    code: NotRequired[list[CodeItem] | None]
    """Short codes, at most 10,000; the response names unknown ones."""
    owner_id: NotRequired[int | None]
    """The identifier of the owner."""
    external_id: NotRequired[str | None]
    """The external identifier."""
    campaign: NotRequired[str | None]
    """The campaign."""
    state: NotRequired[Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"] | None]
    """The state."""
    host: NotRequired[str | None]
    """The host of the destination, or a parent domain of it."""
    destination_url: NotRequired[str | None]
    """The destination, exactly."""
    q: NotRequired[str | None]
    """Part of the code, external identifier, title or destination; ASCII letters match in any case."""
    created_after: NotRequired[str | datetime | None]
    """Created at this time or later (RFC 3339)."""
    created_before: NotRequired[str | datetime | None]
    """Created before this time (RFC 3339)."""
    updated_after: NotRequired[str | datetime | None]
    """Created or changed at this time or later (RFC 3339)."""
    created_by_key_id: NotRequired[int | None]
    """The identifier of the API key that created the link."""


class LinkUpdate(TypedDict):
    """New values for a link, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value."""

    destination_url: NotRequired[str]
    """Where the link leads, as in `POST /api/v1/shorten`."""
    title: NotRequired[str | None]
    """The link's title, for people, without control characters."""
    campaign: NotRequired[str | None]
    """The campaign that the link belongs to, without control characters."""
    external_id: NotRequired[str | None]
    """Your own identifier of the link, of 1 to 255 characters without control characters, except `.` and `..`. No other link of yours may have it."""
    expires_at: NotRequired[str | datetime | None]
    """The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback. A new time that is not in the future returns 409 `expiry-passed`."""
    is_paused: NotRequired[bool]
    """`true` pauses the link, which then returns 410 instead of redirecting; `false` ends the pause."""
    fallback_url: NotRequired[str | None]
    """Where visitors go once the link has expired, by the same rules as `destination_url`."""
    forward_query: NotRequired[bool]
    """Whether the redirect appends the query of each request to that of the destination."""
    has_qr: NotRequired[bool]
    """Whether the QR code is enabled."""
    qr_error_correction: NotRequired[Literal["L", "M", "Q", "H"]]
    """How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %."""
    qr_margin: NotRequired[int]
    """The quiet zone around the QR code in modules; the standard asks for 4."""
    qr_foreground: NotRequired[str]
    """The colour of the QR code's modules, as `#rrggbb`."""
    qr_background: NotRequired[str]
    """The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`."""
    audit: NotRequired[Audit | None]


class OperatorKey(TypedDict):
    """An operator key. Nothing shows its secret again."""

    id: int
    """Identifies the key."""
    name: str
    """The key's name, which the history shows."""
    role: Literal["auditor", "provisioner", "moderator", "admin"]
    """What the key may do: `auditor`, `provisioner`, `moderator` or `admin`."""
    hint: str | None
    """The last four characters of its secret; `null` if an earlier version of the service created it."""
    created_at: str
    """When the key was created."""
    expires_at: str | None
    """The time from which the key is invalid; `null` if it does not expire."""
    last_used_at: str | None
    """When the key was last used, with a precision of a minute; `null` if it never was."""
    revoked_at: str | None
    """When the key was revoked; `null` if it is not."""


class OperatorKeyCreate(TypedDict):
    """An operator key to create."""

    name: str
    """The key's name, which the history shows. It is free again after the revocation of its key."""
    role: Literal["auditor", "provisioner", "moderator", "admin"]
    """What the key may do: `auditor` to read, `provisioner` also to manage owners with their keys and domains, `moderator` also to change links and blocks and to suspend owners, `admin` everything."""
    expires_at: NotRequired[str | datetime | None]
    """The time from which the key is invalid (RFC 3339). Without it, the key does not expire."""
    audit: NotRequired[Audit | None]


class OperatorKeyList(TypedDict):
    """A page of operator keys, newest first, revoked and expired ones included."""

    data: list[OperatorKey]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class Owner(TypedDict):
    """An owner, as the operator sees it."""

    id: int
    """Identifies the owner; it never changes and is never used again."""
    name: str
    """The owner's name."""
    external_id: str | None
    """Your own identifier of the owner; `null` without one."""
    plan_name: str
    """The name of the owner's plan."""
    links: int
    """Number of links."""
    is_suspended: bool
    """Whether the owner is suspended."""
    suspended_reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
    """Why the owner is suspended; `null` if the owner is not."""
    suspended_at: str | None
    """Since when the owner is suspended; `null` if the owner is not, or if it is unknown."""
    created_at: str
    """When the owner was created."""
    last_active_on: str | None
    """The day (UTC) of the newest use of the owner's keys; `null` if they were never used."""
    fallback_url: str | None
    """Where visitors of expired links go that have no fallback of their own; `null` if they see a page."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""


class OwnerKeyCreate(TypedDict):
    """The first key of a new owner."""

    label: NotRequired[str | None]
    """The key's label, without control characters."""
    scope: NotRequired[Literal["read", "create", "edit", "full"] | None]
    """What the key allows: `read`, `create`, `edit` or `full`. Without it, `full`."""
    expires_at: NotRequired[str | datetime | None]
    """The time from which the key is invalid (RFC 3339). Without it, the key does not expire."""


class OwnerList(TypedDict):
    """A page of owners, newest first."""

    data: list[Owner]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class OwnerUpdate(TypedDict):
    """New values for an owner, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value."""

    name: NotRequired[str]
    """The owner's name; keys, links and the history follow."""
    plan_name: NotRequired[str]
    """The name of a plan. A lower limit deletes no links."""
    external_id: NotRequired[str | None]
    """Your own identifier of the owner, of 1 to 255 characters without control characters, except `.` and `..`. No other owner may have it."""
    fallback_url: NotRequired[str | None]
    """Where visitors of expired links go that have no fallback of their own."""
    audit: NotRequired[Audit | None]


class OwnerUsage(TypedDict):
    """What an owner used in a month."""

    owner_id: int
    """Identifier of the owner."""
    owner_name: str
    """Name of the owner: at the close of a closed month, at the deletion of a deleted owner."""
    plan_name: str | None
    """Plan of the owner: at the end of a closed month, at the deletion of a deleted owner. `null` if the month was closed before Terse kept it."""
    requests: int
    """Requests with a key of the owner, except those that returned 401, 403, 429 or 503."""
    links_created: int
    """Links created in the month, imported and deleted ones included."""
    links: int
    """Links at the end of the month; in an open month, the links now."""
    clicks: int
    """Clicks, those of deleted links included."""
    links_deleted: int | None
    """Links deleted in the month. `null` if the month was closed before Terse counted them."""


class Plan(TypedDict):
    """A plan. `null` is unlimited."""

    name: str
    """The name of the plan."""
    max_links: int | None
    """Number of links at a time."""
    links_per_day: int | None
    """Number of new links per day (UTC)."""
    request_rate: str | None
    """Requests in a time, such as `20/s`, of all keys of an owner together."""
    burst: int | None
    """How many of these requests may come at once; `null` for the number in `request_rate`."""
    custom_codes: bool
    """Whether owners may choose codes."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""


class PlanCreate(TypedDict):
    """A new plan. A limit that is absent or `null` is unlimited."""

    name: str
    """The name of the plan."""
    max_links: NotRequired[int | None]
    """Number of links at a time."""
    links_per_day: NotRequired[int | None]
    """Number of new links per day (UTC)."""
    request_rate: NotRequired[str | None]
    """Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together."""
    burst: NotRequired[int | None]
    """How many of these requests may come at once; without it, the number in `request_rate`."""
    custom_codes: NotRequired[bool | None]
    """Whether owners may choose codes; without it, `false`."""
    audit: NotRequired[Audit | None]


class PlanList(TypedDict):
    """A page of plans, in the order of their names."""

    data: list[Plan]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class PlanUpdate(TypedDict):
    """New values for a plan, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a limit."""

    max_links: NotRequired[int | None]
    """Number of links at a time. A lower limit deletes no links."""
    links_per_day: NotRequired[int | None]
    """Number of new links per day (UTC)."""
    request_rate: NotRequired[str | None]
    """Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together."""
    burst: NotRequired[int | None]
    """How many of these requests may come at once; `null` for the number in `request_rate`."""
    custom_codes: NotRequired[bool]
    """Whether owners may choose codes."""
    audit: NotRequired[Audit | None]


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
        "operator-role",
        "link-not-found",
        "key-not-found",
        "cursor-not-found",
        "not-found",
        "owner-not-found",
        "plan-not-found",
        "operator-key-not-found",
        "event-not-found",
        "block-not-found",
        "domain-not-found",
        "webhook-not-found",
        "method-not-allowed",
        "own-key",
        "key-limit-reached",
        "secret-unavailable",
        "external-id-in-use",
        "expiry-passed",
        "idempotency-key-reused",
        "qr-colours-too-close",
        "qr-code-too-long",
        "owner-exists",
        "plan-exists",
        "plan-in-use",
        "operator-key-exists",
        "domain-exists",
        "domain-has-destinations",
        "owner-not-suspended",
        "deletion-aborted",
        "cannot-undo",
        "event-running",
        "precondition-failed",
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
    short_code: NotRequired[str]
    """The code of the link that has the external identifier, with `external-id-in-use`."""


class ServerState(TypedDict):
    """The server that responds."""

    started_at: str
    """When it started."""
    failed_requests: int
    """Number of requests that it has answered with a status of 500 or above since."""


class UndoResult(TypedDict):
    """The result of an undo."""

    event_id: int | None
    """Identifies the event of the undo; `null` if there was nothing to revert."""
    changed: int
    """Number of links, owners, patterns or domains that were reverted."""
    status: Literal["running", "done", "stopped"]
    """Whether the undo goes on."""
    skipped: list[SkippedItem]
    """The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not completely, because they have changed since, or were deleted; the first 100."""
    skipped_count: int
    """Number of all that were not reverted."""


class UsageReport(TypedDict):
    """Usage of all owners in a month."""

    data: list[OwnerUsage]
    """The owners who existed in the month, in the order of their names."""
    month: str
    """The month."""
    is_final: bool
    """Whether the month is closed, so that its usage never changes."""


class Warning(TypedDict):
    """Something that needs attention."""

    code: Literal["database-read-only", "clicks-waiting", "disk-full", "backup-overdue"]
    """What it is: `database-read-only`, `clicks-waiting`, `disk-full` or `backup-overdue`."""
    detail: str
    """What is wrong, and what to do."""


class Webhook(TypedDict):
    """A webhook. Only its creation and the replacement of its secret show the secret."""

    id: int
    """Identifies the webhook."""
    url: str
    """Where it sends to."""
    types: list[
        Literal[
            "link.created",
            "link.updated",
            "link.deleted",
            "link.disabled",
            "link.enabled",
            "links.clicked",
            "links.changed",
            "owner.suspended",
            "owner.resumed",
            "webhook.test",
        ]
    ]
    """What it sends."""
    description: str | None
    """What it is for; `null` without a description."""
    is_enabled: bool
    """Whether it sends anything."""
    disabled_reason: Literal["gone", "failing", "operator"] | None
    """Why it is disabled: `gone` (it returned 410), `failing` (for five days), `operator`; `null` if it is enabled, or if the owner has disabled it."""
    created_at: str
    """When the webhook was created."""
    last_success_at: str | None
    """When it last accepted a delivery; `null` if it never did."""
    last_failure_at: str | None
    """When an attempt last failed; `null` if none has."""
    waiting: int
    """Number of deliveries that wait for an attempt."""
    dropped: int
    """Number of deliveries that were dropped because more than 10,000 waited."""
    etag: str
    """Identifies the values that `PATCH` can write, for `If-Match`."""
    owner_id: int
    """Identifies the owner."""
    owner_name: str
    """The owner's name."""


class WebhookList(TypedDict):
    """A page of webhooks, newest first."""

    data: list[Webhook]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class ClickReport(TypedDict):
    """Clicks of a range of days, summed up by group."""

    data: list[ClickReportRow]
    """By day, each day of the range, oldest first; otherwise the groups with clicks, those with the most first."""
    from_day: str
    """The first day of the range."""
    to_day: str
    """The last day of the range."""
    is_final: bool
    """Whether all days of the range are closed, so that the clicks only change by deletions."""
    is_truncated: bool
    """Whether there are more than 10,000 groups, so that those with the fewest clicks are missing."""


class Event(TypedDict):
    """A change, as the operator sees it."""

    id: int
    """Identifies the event."""
    created_at: str
    """When the change was made."""
    actor: Actor
    action: Literal[
        "link disable",
        "link enable",
        "link pause",
        "link unpause",
        "link edit",
        "link delete",
        "owner add",
        "owner plan",
        "owner edit",
        "owner suspend",
        "owner resume",
        "owner rename",
        "owner delete",
        "key add",
        "key expire",
        "key edit",
        "key revoke",
        "operator add",
        "operator revoke",
        "plan add",
        "plan set",
        "plan remove",
        "block add",
        "block allow",
        "block remove",
        "block import",
        "block remove --source",
        "domain add",
        "domain remove",
        "domain default",
        "domain edit",
        "webhook add",
        "webhook edit",
        "webhook rotate",
        "webhook disable",
        "webhook enable",
        "webhook remove",
        "usage reopen",
        "undo",
        "stop",
    ]
    """What was done: the command, such as `link disable`."""
    subject: str
    """What was changed: a code, a name, an identifier, a pattern, or a description of several things."""
    owner_id: int | None
    """Identifies the owner, if everything that changed belongs to one."""
    owner_name: str | None
    """The name of this owner."""
    audit: EventAudit
    changed: int
    """Number of things that changed. A change in progress still adds to it."""
    status: Literal["running", "done", "stopped"]
    """`running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped, or its server or command has given no sign of life for a minute."""
    finished_at: str | None
    """When the change ended; `null` while it goes on."""
    skipped: list[SkippedItem]
    """What an undo did not revert: the first 100 codes, names, patterns or hosts."""
    skipped_count: int
    """Number of all that it did not revert."""


class EventList(TypedDict):
    """A page of events."""

    data: list[Event]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class LinkChange(TypedDict):
    """A change of any number of links."""

    action: Literal["pause", "unpause", "delete", "update", "disable", "enable"]
    """What to do with the links."""
    selectors: LinkSelectors
    update: NotRequired[LinkChangeUpdate | None]
    dry_run: NotRequired[bool | None]
    """`true` reports how many links would change, and changes nothing; without it, `false`."""
    audit: NotRequired[Audit | None]


class OwnerCreate(TypedDict):
    """An owner to create."""

    name: str
    """The owner's name, without control characters."""
    plan_name: NotRequired[str | None]
    """The name of a plan. Without it, `free`."""
    external_id: NotRequired[str | None]
    """Your own identifier of the owner, of 1 to 255 characters without control characters, except `.` and `..`. No other owner may have it."""
    key: NotRequired[OwnerKeyCreate | None]
    audit: NotRequired[Audit | None]


class Status(TypedDict):
    """Whether all is well: what the service has and does today, and what needs attention."""

    version: str
    """Version of the program that responds."""
    schema: str
    """The schema of the database: the name of its newest migration."""
    database: DatabaseStatus
    last_backup_at: str | None
    """When the last complete backup of the SQLite database began; `null` if Terse knows none, and on PostgreSQL, which other programs back up."""
    instances: int
    """Number of running servers that share the database. One that was killed counts for 45 seconds; one that only reads counts for itself."""
    links: int
    """Number of links, deleted ones not included."""
    links_today: int
    """Number of links created today (UTC), deleted ones included, imported ones not."""
    owners: int
    """Number of owners."""
    clicks_today: int
    """Number of clicks today (UTC)."""
    are_clicks_waiting: bool
    """Whether clicks wait until the database takes them."""
    server: ServerState | None
    """The server that responds; `null` if a command does."""
    warnings: list[Warning]
    """What needs attention; empty if all is well."""
