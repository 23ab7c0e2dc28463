"""The types of Terse: manage your links, reports and keys. Generated from openapi/manage.json by scripts/clients --generate."""

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


class CampaignLinks(TypedDict):
    """A campaign, and the number of its links."""

    campaign: str
    """The campaign."""
    links: int
    """Number of its links."""


class CampaignLinksList(TypedDict):
    """A page of campaigns, by name."""

    data: list[CampaignLinks]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


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


class CreatedWebhook(TypedDict):
    """A webhook with its new secret."""

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
    secret: str
    """The secret with which it signs: `whsec_`, and the Base64 of 32 bytes."""


class DayClicks(TypedDict):
    """Clicks of a link on one day."""

    day: str
    """The day (UTC)."""
    clicks: int
    """Number of clicks."""


class DeliveryAttempt(TypedDict):
    """An attempt of a delivery."""

    created_at: str
    """When the attempt was made."""
    status_code: int | None
    """The status of the response; `null` if there was none."""
    error: str | None
    """What went wrong, or the beginning of a response other than 2xx; `null` if there is nothing to say."""
    milliseconds: int
    """How long the attempt took."""


class Domain(TypedDict):
    """A domain of the owner."""

    host: str
    """The host in normal form, with a port if the domain is for that port only."""
    home_url: str | None
    """Where visitors of the start page go; `null` if they see a page."""
    is_default: bool
    """Whether the owner's short URLs and QR codes have this host."""


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
    """What was done, such as `link edit`."""
    audit: EventAudit
    status: Literal["running", "done", "stopped"]
    """`running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped or interrupted."""
    finished_at: str | None
    """When the change ended; `null` while it goes on."""
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


class LinkCreate(TypedDict):
    """A link to create."""

    destination_url: str
    """Where the link leads, as `url` in `POST /api/v1/shorten`."""
    custom_code: NotRequired[str | None]
    """The short code to give the link, case-sensitive. On a plan without custom codes, the response is 409 `custom-codes-not-allowed`."""
    title: NotRequired[str | None]
    """The link's title, for people, without control characters."""
    campaign: NotRequired[str | None]
    """The campaign that the link belongs to, without control characters."""
    external_id: NotRequired[str | None]
    """Your own identifier of the link, of 1 to 255 characters without control characters, except `.` and `..`. No other link of yours may have it."""
    expires_at: NotRequired[str | datetime | None]
    """The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback. A time that is not in the future returns 409 `expiry-passed`."""
    fallback_url: NotRequired[str | None]
    """Where visitors go once the link has expired, by the same rules as `destination_url`."""
    forward_query: NotRequired[bool | None]
    """`true` appends the query of each request to that of the destination. Without it, `false`."""
    is_paused: NotRequired[bool | None]
    """`true` creates the link paused: it returns 410 until a change to `false`. Without it, `false`."""
    has_qr: NotRequired[bool | None]
    """`true` enables the QR code. Without it, `false`."""
    qr_error_correction: NotRequired[Literal["L", "M", "Q", "H"] | None]
    """How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %. Without it, `M`."""
    qr_margin: NotRequired[int | None]
    """The quiet zone around the QR code in modules. Without it, 4, as the standard asks for."""
    qr_foreground: NotRequired[str | None]
    """The colour of the QR code's modules, as `#rrggbb`. Without it, `#000000`."""
    qr_background: NotRequired[str | None]
    """The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`. Without it, `#ffffff`."""


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


class OwnerUsage(TypedDict):
    """What the owner uses of the plan, and in this month (UTC)."""

    links: int
    """Number of links."""
    links_today: int
    """Number of links created today (UTC), deleted ones included, imported ones not."""
    requests: int
    """Number of requests in this month, without those that a limit rejected or that failed. The server counts a request within some seconds."""
    links_created: int
    """Number of links created in this month, deleted ones included."""
    clicks: int
    """Number of clicks in this month."""


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
        "key-not-found",
        "cursor-not-found",
        "not-found",
        "event-not-found",
        "webhook-not-found",
        "delivery-not-found",
        "method-not-allowed",
        "code-in-use",
        "code-reserved",
        "plan-limit-reached",
        "daily-limit-reached",
        "custom-codes-not-allowed",
        "link-disabled",
        "own-key",
        "expiry-after-key",
        "key-limit-reached",
        "webhook-limit-reached",
        "webhook-disabled",
        "delivery-erased",
        "secret-unavailable",
        "external-id-in-use",
        "expiry-passed",
        "idempotency-key-reused",
        "qr-colours-too-close",
        "qr-code-too-long",
        "change-running",
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


class WebhookCreate(TypedDict):
    """A webhook to create."""

    url: str
    """Where to send to: `https`, on port 443, 80, or one from 1024."""
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
    """What to send."""
    description: NotRequired[str | None]
    """What it is for, without control characters."""
    audit: NotRequired[Audit | None]


class WebhookList(TypedDict):
    """A page of webhooks, newest first."""

    data: list[Webhook]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class WebhookUpdate(TypedDict):
    """New values for a webhook, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value."""

    url: NotRequired[str]
    """Where to send to: `https`, on port 443, 80, or one from 1024."""
    types: NotRequired[
        list[
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
    ]
    """What to send."""
    description: NotRequired[str | None]
    """What it is for, without control characters."""
    is_enabled: NotRequired[bool]
    """Whether to send anything. Deliveries that wait when it becomes `false` are not sent."""
    audit: NotRequired[Audit | None]


class ClickedLink(TypedDict):
    """The clicks of a link."""

    short_code: str
    """The link's code."""
    external_id: str | None
    """The link's external identifier; `null` if it has none."""
    clicks: int
    """The number of all its clicks. Of several deliveries, the largest number is right."""


class LinkChanges(TypedDict):
    """The changed members of a link, before and after a change."""

    before: dict[str, Any]
    """The members before."""
    after: dict[str, Any]
    """The members after."""


class LinkCreatedData(TypedDict):
    """The data of a delivery."""

    link: Link


class LinkCreatedEvent(TypedDict):
    """A link was created."""

    type: Literal["link.created"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinkCreatedData


class LinkDeletedData(TypedDict):
    """The data of a delivery."""

    short_code: str
    """The link's code, which is never used again."""
    external_id: str | None
    """The external identifier that the link had; `null` if it had none."""
    event_id: int | None
    """Identifies the event of the deletion."""


class LinkDeletedEvent(TypedDict):
    """A link was deleted."""

    type: Literal["link.deleted"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinkDeletedData


class LinkDisabledData(TypedDict):
    """The data of a delivery."""

    link: Link
    event_id: int | None
    """Identifies the event of the change."""
    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
    """Why the operator did it, such as `phishing`."""


class LinkDisabledEvent(TypedDict):
    """The operator disabled a link."""

    type: Literal["link.disabled"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinkDisabledData


class LinkEnabledData(TypedDict):
    """The data of a delivery."""

    link: Link
    event_id: int | None
    """Identifies the event of the change."""
    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
    """Why the operator did it, such as `phishing`."""


class LinkEnabledEvent(TypedDict):
    """The operator enabled a link."""

    type: Literal["link.enabled"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinkEnabledData


class LinkUpdatedData(TypedDict):
    """The data of a delivery."""

    link: Link
    event_id: int | None
    """Identifies the event of the change; `null` if it has none."""
    changes: LinkChanges


class LinkUpdatedEvent(TypedDict):
    """A link was changed by its owner, or by the operator."""

    type: Literal["link.updated"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinkUpdatedData


class LinksChangedData(TypedDict):
    """The data of a delivery."""

    event_id: int | None
    """Identifies the event of the change."""
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
    """What was done, such as `link disable`."""
    changed: int
    """Number of the owner's links that changed."""


class LinksChangedEvent(TypedDict):
    """One change changed more than 100 links of the owner."""

    type: Literal["links.changed"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinksChangedData


class LinksClickedData(TypedDict):
    """The data of a delivery."""

    links: list[ClickedLink]
    """The links, at most 100."""


class LinksClickedEvent(TypedDict):
    """Links were clicked."""

    type: Literal["links.clicked"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: LinksClickedData


class OwnerResumedData(TypedDict):
    """The data of a delivery."""

    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
    """Why the operator did it, such as `phishing`."""


class OwnerResumedEvent(TypedDict):
    """The operator resumed the owner."""

    type: Literal["owner.resumed"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: OwnerResumedData


class OwnerSuspendedData(TypedDict):
    """The data of a delivery."""

    reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
    """Why the operator did it, such as `phishing`."""


class OwnerSuspendedEvent(TypedDict):
    """The operator suspended the owner."""

    type: Literal["owner.suspended"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: OwnerSuspendedData


class WebhookTestData(TypedDict):
    """The data of a delivery."""


class WebhookTestEvent(TypedDict):
    """The owner asked for a test."""

    type: Literal["webhook.test"]
    """What happened."""
    timestamp: str
    """When it happened."""
    data: WebhookTestData


class BatchCreation(TypedDict):
    """The result of one link of a batch."""

    status: Literal[201]
    """201 if the link was created, 200 if it existed and has the given values; otherwise the status with which `POST /links` would have failed."""
    link: Link


class BatchFailure(TypedDict):
    """The result of one link of a batch."""

    status: Literal[400, 401, 403, 409, 413, 415, 422, 429, 500, 503]
    """201 if the link was created, 200 if it existed and has the given values; otherwise the status with which `POST /links` would have failed."""
    problem: Problem


class BatchUpdate(TypedDict):
    """The result of one link of a batch."""

    status: Literal[200]
    """201 if the link was created, 200 if it existed and has the given values; otherwise the status with which `POST /links` would have failed."""
    link: Link


WebhookEvent: TypeAlias = (
    LinkCreatedEvent
    | LinkUpdatedEvent
    | LinkDeletedEvent
    | LinkDisabledEvent
    | LinkEnabledEvent
    | LinksClickedEvent
    | LinksChangedEvent
    | OwnerSuspendedEvent
    | OwnerResumedEvent
    | WebhookTestEvent
)


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


class Delivery(TypedDict):
    """A delivery of a webhook."""

    id: str
    """Identifies the delivery: the header `webhook-id` of every attempt."""
    type: Literal[
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
    """What it is about."""
    created_at: str
    """When that happened."""
    status: Literal["waiting", "delivered", "failed", "erased"]
    """`waiting` while another attempt will be made, `delivered`, `failed`, or `erased` if what it is about was deleted."""
    attempts: list[DeliveryAttempt]
    """The last 10 attempts, oldest first."""
    next_attempt_at: str | None
    """When the next attempt will be made; `null` if none will."""


class DeliveryList(TypedDict):
    """A page of the deliveries of a webhook, newest first."""

    data: list[Delivery]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class Event(TypedDict):
    """A change of what an owner has."""

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
    """What was done, such as `link edit`."""
    audit: EventAudit
    status: Literal["running", "done", "stopped"]
    """`running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped or interrupted."""
    finished_at: str | None
    """When the change ended; `null` while it goes on."""


class EventList(TypedDict):
    """A page of events, newest first unless `after_id` is given."""

    data: list[Event]
    """The items of the page."""
    next_cursor: str | None
    """Where the next page begins: the parameter `cursor` of the next request. `null` on the last page."""


class LinkBatchCreate(TypedDict):
    """Links to create."""

    links: list[LinkCreate]
    """The links, from 1 to 1,000."""
    if_exists: NotRequired[Literal["fail", "update"]]
    """What happens to a link whose `external_id` exists: `fail`, with 409, or `update`, which changes the given members of the link that has it. `update` needs a key of the scope `edit`. Without it, `fail`."""


LinkBatchItem: TypeAlias = BatchCreation | BatchFailure | BatchUpdate


class LinkChange(TypedDict):
    """A change of any number of links."""

    action: Literal["pause", "unpause", "delete", "update"]
    """What to do with the links."""
    selectors: LinkSelectors
    update: NotRequired[LinkChangeUpdate | None]
    dry_run: NotRequired[bool | None]
    """`true` reports how many links would change, and changes nothing; without it, `false`."""
    audit: NotRequired[Audit | None]


class Owner(TypedDict):
    """The owner of the API key."""

    id: int
    """Identifies the owner; it never changes."""
    name: str
    """The owner's name."""
    fallback_url: str | None
    """Where visitors of expired links go that have no fallback of their own; `null` if they see a page."""
    plan: Plan
    usage: OwnerUsage | None
    """What the owner uses of it; `null` for a key of the scope `create`."""
    key: Key
    domains: list[Domain] | None
    """The owner's own domains, the default one first; `null` for a key of the scope `create`."""


class LinkBatch(TypedDict):
    """The results of a batch, in the order of its links."""

    data: list[LinkBatchItem]
    """One result for each link."""
    event_id: int | None
    """Identifies the event of the changes of existing links; `null` if there are none."""
