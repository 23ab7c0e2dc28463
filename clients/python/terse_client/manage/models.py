# Generated from openapi/manage.json by scripts/clients --generate.

from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict


class Actor(TypedDict):
    """
    Who made a change. Owners see nothing that identifies an operator.
    """

    type: str
    """
    `owner_key`, `operator_key`, or `command` for a person or program at a shell of the operator's.
    """
    id: int | None
    """
    Identifies the key; `null` for a command, and where owners do not see it.
    """
    name: str | None
    """
    The label that the API key had, the name of the operator key, or the name that the command was given; `null` where owners do not see it.
    """


class Audit(TypedDict, closed=True):
    """
    Why something is changed, for the history.
    """

    reason: NotRequired[
        Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
    ]
    """
    The reason for the change.
    """
    note: NotRequired[str | None]
    """
    A note about it.
    """
    case_id: NotRequired[str | None]
    """
    The identifier of a case in your own system.
    """


class ClickReportRow(TypedDict):
    """
    Clicks of a group of links in a month.
    """

    campaign: NotRequired[str | None]
    """
    The campaign, in a report by campaign; `null` for links without one and for deleted ones.
    """
    short_code: NotRequired[str | None]
    """
    The code of the link, in a report by link; `null` for deleted links, which have one row.
    """
    clicks: int
    """
    Number of clicks.
    """


class CreatedKey(TypedDict):
    """
    A new API key, with its secret.
    """

    id: int
    """
    Identifies the key.
    """
    label: str | None
    """
    Its label; `null` without one.
    """
    scope: str
    """
    What the key allows: `read`, `create`, `edit` or `full`.
    """
    hint: str | None
    """
    The last four characters of its secret; `null` if an earlier version of the service created it.
    """
    created_at: str
    """
    When the key was created.
    """
    expires_at: str | None
    """
    The time from which the key is invalid; `null` if it does not expire.
    """
    last_used_at: str | None
    """
    When the key was last used, with a precision of a minute; `null` if it never was.
    """
    revoked_at: str | None
    """
    When the key was revoked; `null` if it is not.
    """
    secret: str
    """
    What the key's user sends as `X-API-Key`. Nothing else shows it.
    """


class DayClicks(TypedDict):
    """
    Clicks of a link on one day.
    """

    day: str
    """
    The day (UTC).
    """
    clicks: int
    """
    Number of clicks.
    """


class Domain(TypedDict):
    """
    A domain of the owner.
    """

    host: str
    """
    The host in normal form, with a port if the domain is for that port only.
    """
    home_url: str | None
    """
    Where visitors of the start page go; `null` if they see a page.
    """
    is_default: int
    """
    1 if the owner's short URLs and QR codes have this host.
    """


class EventAudit(TypedDict):
    """
    Why a change was made.
    """

    reason: str
    """
    The reason, such as `owner-request`.
    """
    note: str | None
    """
    A note; `null` without one.
    """
    case_id: str | None
    """
    The case that led to it; `null` without one.
    """


class FieldError(TypedDict):
    """
    One thing in a request that is not valid: a field of the body, or a parameter or header.
    """

    pointer: NotRequired[str]
    """
    JSON pointer (RFC 6901) to the field in the request's body; empty for the body itself.
    """
    parameter: NotRequired[str]
    """
    Name of the query parameter or header, if the error is not in the body.
    """
    code: str
    """
    What is wrong with it, for programs. Others may be added.
    """
    detail: str
    """
    What is wrong with it, for people.
    """


class Key(TypedDict):
    """
    An API key. Nothing shows its secret again.
    """

    id: int
    """
    Identifies the key.
    """
    label: str | None
    """
    Its label; `null` without one.
    """
    scope: str
    """
    What the key allows: `read`, `create`, `edit` or `full`.
    """
    hint: str | None
    """
    The last four characters of its secret; `null` if an earlier version of the service created it.
    """
    created_at: str
    """
    When the key was created.
    """
    expires_at: str | None
    """
    The time from which the key is invalid; `null` if it does not expire.
    """
    last_used_at: str | None
    """
    When the key was last used, with a precision of a minute; `null` if it never was.
    """
    revoked_at: str | None
    """
    When the key was revoked; `null` if it is not.
    """


class KeyCreate(TypedDict, closed=True):
    """
    A key to create.
    """

    label: NotRequired[str | None]
    """
    The key's label, without control characters.
    """
    scope: Literal["read", "create", "edit", "full"]
    """
    What the key allows: `read` to read links and clicks, `create` to create links and QR codes, `edit` both and to change links, `full` everything of the owner.
    """
    expires_at: NotRequired[str | None]
    """
    The time from which the key is invalid (RFC 3339). Without it, the key expires with the owner's key that sends the request, or never.
    """
    audit: NotRequired[Audit | None]


class KeyList(TypedDict):
    """
    A page of keys, newest first, revoked and expired ones included.
    """

    data: list[Key]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class KeyUpdate(TypedDict, closed=True):
    """
    New values for a key, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value.
    """

    label: NotRequired[str | None]
    """
    The key's label, without control characters.
    """
    expires_at: NotRequired[str | None]
    """
    The time from which the key is invalid (RFC 3339).
    """
    audit: NotRequired[Audit | None]


class Link(TypedDict):
    """
    A link with everything that its owner can see.
    """

    short_code: str
    """
    The link's code.
    """
    short_url: str
    """
    The URL to hand out: it redirects to the destination.
    """
    destination_url: str
    """
    Where the link leads, exactly as it was sent.
    """
    title: str | None
    """
    The link's title; `null` without one.
    """
    campaign: str | None
    """
    The campaign that the link belongs to; `null` without one.
    """
    clicks: int
    """
    Number of clicks, at most 2⁵³ − 1.
    """
    is_active: int
    """
    1 while the link redirects, which is in the state `active`; otherwise 0.
    """
    state: str
    """
    The first of these that applies: `owner-suspended`, `blocked` (its destination), `disabled` (by the operator), `paused` (by the owner), `expired`, `active`.
    """
    state_reason: str | None
    """
    Why the operator suspended, blocked or disabled it, such as `phishing`; `null` in the other states.
    """
    is_paused: int
    """
    1 if the owner has paused the link, even if another state takes precedence.
    """
    has_qr: int
    """
    1 if the QR code is enabled.
    """
    qr_error_correction: Literal["L", "M", "Q", "H"]
    """
    How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %.
    """
    qr_margin: int
    """
    The quiet zone around the QR code in modules.
    """
    qr_foreground: str
    """
    The colour of the QR code's modules.
    """
    qr_background: str
    """
    The colour behind them.
    """
    forward_query: int
    """
    1 if the redirect appends the query of the request to that of the destination.
    """
    fallback_url: str | None
    """
    Where visitors go once the link has expired; `null` if they see a page.
    """
    created_at: str
    """
    When the link was created; for an imported link, where it comes from.
    """
    expires_at: str | None
    """
    The time at which the link expires: from then on, it returns 410, or redirects to a fallback; `null` if it does not expire.
    """


class LinkClicks(TypedDict):
    """
    Clicks of a link by day. Those of the days, `clicks_before` and `clicks_after` add up to the link's clicks.
    """

    data: list[DayClicks]
    """
    All days of the range, oldest first.
    """
    clicks_before: int
    """
    Clicks before the first day, those included that were imported or are too old to have a day.
    """
    clicks_after: int
    """
    Clicks after the last day.
    """


class LinkCreate(TypedDict, closed=True):
    """
    A link to create.
    """

    destination_url: str
    """
    Where the link leads, as `url` in `POST /api/v1/shorten`.
    """
    custom_code: NotRequired[str | None]
    """
    The short code to give the link, case-sensitive. On a plan without custom codes it is ignored and a random code is generated: read `short_code` in the response.
    """
    title: NotRequired[str | None]
    """
    The link's title, for people, without control characters.
    """
    campaign: NotRequired[str | None]
    """
    The campaign that the link belongs to, without control characters.
    """
    expires_at: NotRequired[str | None]
    """
    The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback. A time that is not in the future returns 409 `expiry-passed`.
    """
    fallback_url: NotRequired[str | None]
    """
    Where visitors go once the link has expired, by the same rules as `destination_url`.
    """
    forward_query: NotRequired[int | None]
    """
    1 appends the query of each request to that of the destination. Without it, 0.
    """
    is_paused: NotRequired[int | None]
    """
    1 creates the link paused: it returns 410 until a change to 0. Without it, 0.
    """
    has_qr: NotRequired[int | None]
    """
    1 enables the QR code. Without it, 0.
    """
    qr_error_correction: NotRequired[Literal["L", "M", "Q", "H"] | None]
    """
    How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %. Without it, `M`.
    """
    qr_margin: NotRequired[int | None]
    """
    The quiet zone around the QR code in modules. Without it, 4, as the standard asks for.
    """
    qr_foreground: NotRequired[str | None]
    """
    The colour of the QR code's modules, as `#rrggbb`. Without it, `#000000`.
    """
    qr_background: NotRequired[str | None]
    """
    The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`. Without it, `#ffffff`.
    """


class LinkList(TypedDict):
    """
    A page of links, newest first.
    """

    data: list[Link]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class LinkUpdate(TypedDict, closed=True):
    """
    New values for a link, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value.
    """

    destination_url: NotRequired[str]
    """
    Where the link leads, as in `POST /api/v1/shorten`.
    """
    title: NotRequired[str | None]
    """
    The link's title, for people, without control characters.
    """
    campaign: NotRequired[str | None]
    """
    The campaign that the link belongs to, without control characters.
    """
    expires_at: NotRequired[str | None]
    """
    The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback. A new time that is not in the future returns 409 `expiry-passed`.
    """
    is_paused: NotRequired[int]
    """
    1 pauses the link, which then returns 410 instead of redirecting; 0 ends the pause.
    """
    fallback_url: NotRequired[str | None]
    """
    Where visitors go once the link has expired, by the same rules as `destination_url`.
    """
    forward_query: NotRequired[int]
    """
    1 appends the query of each request to that of the destination, 0 does not.
    """
    has_qr: NotRequired[int]
    """
    1 enables the QR code, 0 disables it.
    """
    qr_error_correction: NotRequired[Literal["L", "M", "Q", "H"]]
    """
    How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %.
    """
    qr_margin: NotRequired[int]
    """
    The quiet zone around the QR code in modules; the standard asks for 4.
    """
    qr_foreground: NotRequired[str]
    """
    The colour of the QR code's modules, as `#rrggbb`.
    """
    qr_background: NotRequired[str]
    """
    The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`.
    """
    audit: NotRequired[Audit | None]


class OwnerUsage(TypedDict):
    """
    What the owner uses of the plan, and in this month (UTC).
    """

    links: int
    """
    Number of links.
    """
    links_today: int
    """
    Number of links created today (UTC), deleted ones included.
    """
    requests: int
    """
    Number of requests in this month, without those that a limit rejected or that failed. The server counts a request within some seconds.
    """
    links_created: int
    """
    Number of links created in this month, deleted ones included.
    """
    clicks: int
    """
    Number of clicks in this month.
    """


class Plan(TypedDict):
    """
    A plan. `null` is unlimited.
    """

    name: str
    """
    The name of the plan.
    """
    max_links: int | None
    """
    Number of links at a time.
    """
    links_per_day: int | None
    """
    Number of new links per day (UTC).
    """
    request_rate: str | None
    """
    Requests in a time, such as `20/s`, of all keys of an owner together.
    """
    burst: int | None
    """
    How many of these requests may come at once; `null` for the number in `request_rate`.
    """
    custom_codes: int
    """
    1 if owners may choose codes.
    """


class Problem(TypedDict):
    """
    What went wrong (RFC 9457, problem details).
    """

    type: str
    """
    A page for people that says what the problem means and what to do; the same for every problem of this kind.
    """
    title: str
    """
    A short summary; the same for every problem of this kind.
    """
    status: int
    """
    The status of the response, for when only the body is kept.
    """
    detail: str
    """
    What happened this time, for people.
    """
    code: str
    """
    Identifies the kind of problem, for programs: the last segment of `type`. Treat an unknown one by its status: others may be added. No operation declares `not-found` and `method-not-allowed`, which unknown paths and methods return.
    """
    request_id: str
    """
    The identifier of this request in the server's log, also in the header `X-Request-Id`: quote it when you ask the operator for help.
    """
    errors: NotRequired[list[FieldError]]
    """
    The fields that are not valid, with `invalid-input` and `destination-blocked`; or the parameter or header that is not, with `malformed-request` unless the body is not JSON.
    """


class ClickReport(TypedDict):
    """
    The report of a month. Groups without clicks are missing.
    """

    data: list[ClickReportRow]
    """
    The groups, in the order of their names.
    """


class Event(TypedDict):
    """
    A change of a link.
    """

    id: int
    """
    Identifies the event.
    """
    at: str
    """
    When the change was made.
    """
    actor: Actor
    action: str
    """
    What was done, such as `link edit`.
    """
    audit: EventAudit


class EventList(TypedDict):
    """
    A page of the changes of a link, newest first.
    """

    data: list[Event]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class LinkBatchCreate(TypedDict, closed=True):
    """
    Links to create.
    """

    links: list[LinkCreate]
    """
    The links, from 1 to 1,000.
    """


class LinkBatchItem(TypedDict):
    """
    The result of one link of a batch.
    """

    status: int
    """
    201 if the link was created; otherwise the status with which `POST /links` would have failed.
    """
    link: NotRequired[Link]
    problem: NotRequired[Problem]


class Owner(TypedDict):
    """
    The owner of the API key.
    """

    id: int
    """
    Identifies the owner; it never changes.
    """
    name: str
    """
    The owner's name.
    """
    fallback_url: str | None
    """
    Where visitors of expired links go that have no fallback of their own; `null` if they see a page.
    """
    plan: Plan
    usage: OwnerUsage | None
    """
    What the owner uses of it; `null` for a key of the scope `create`.
    """
    key: Key
    domains: list[Domain] | None
    """
    The owner's own domains, the default one first; `null` for a key of the scope `create`.
    """


class LinkBatch(TypedDict):
    """
    The results of a batch, in the order of its links.
    """

    data: list[LinkBatchItem]
    """
    One result for each link.
    """
