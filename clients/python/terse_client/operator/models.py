# Generated from openapi/operator.json by scripts/clients --generate.

from __future__ import annotations

from typing import Literal, TypeAlias

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


class AuditRequest(TypedDict, closed=True):
    """
    Why something is changed.
    """

    audit: NotRequired[Audit | None]


class Block(TypedDict):
    """
    A pattern of destinations that are blocked, or are exceptions.
    """

    pattern: str
    """
    A host, which includes its subdomains, or the beginning of URLs on one host.
    """
    action: str
    """
    `block`, or `allow` for an exception.
    """
    reason: str
    """
    Why, such as `phishing`.
    """
    source: str | None
    """
    The source of the pattern; `null` for the operator's own.
    """
    until: str | None
    """
    The time from which the pattern no longer counts; `null` if it does not expire.
    """
    created_at: str | None
    """
    When the pattern was stored, or its list imported; `null` for the block file.
    """


class BlockCheck(TypedDict):
    """
    Whether a destination is blocked, and the pattern that decides it.
    """

    is_blocked: int
    """
    1 if the destination is blocked.
    """
    pattern: str | None
    """
    The pattern that decides; `null` if none matches.
    """
    action: str | None
    """
    `block` or `allow`; `null` if no pattern matches.
    """
    reason: str | None
    """
    The reason of the pattern; `null` if none matches.
    """
    source: str | None
    """
    The source of the pattern; `null` for the operator's own.
    """
    until: str | None
    """
    The time from which the pattern no longer counts; `null` if it does not expire.
    """


class BlockCreate(TypedDict, closed=True):
    """
    A new pattern, or a new rule for an existing one.
    """

    pattern: str
    """
    A host, which includes its subdomains, or a URL, which includes all paths below it.
    """
    action: NotRequired[Literal["block", "allow"] | None]
    """
    `block`, or `allow` for an exception; without it, `block`.
    """
    reason: NotRequired[
        Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
    ]
    """
    The reason, which visitors of blocked links see. Without it, an existing pattern keeps its reason, and a new one has `other`.
    """
    until: NotRequired[str | None]
    """
    The time from which a block no longer counts (RFC 3339).
    """
    audit: NotRequired[Audit | None]


class BlockList(TypedDict):
    """
    A page of patterns: the operator's own, newest first, then those of imported lists.
    """

    data: list[Block]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class ChangeResult(TypedDict):
    """
    The result of a change.
    """

    event: int | None
    """
    Identifies the event; `null` if there was nothing to change.
    """
    changed: int
    """
    Number of things that changed.
    """


class ClickReportRow(TypedDict):
    """
    Clicks of a group of links of any owner in a month.
    """

    owner: NotRequired[str]
    """
    Name of the owner, in a report by owner.
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
    owner_id: int
    """
    Identifies the owner.
    """
    owner: str
    """
    The owner's name.
    """


class CreatedOperatorKey(TypedDict):
    """
    A new operator key, with its secret.
    """

    id: int
    """
    Identifies the key.
    """
    name: str
    """
    The key's name, which the history shows.
    """
    role: str
    """
    What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
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
    A domain of an owner.
    """

    host: str
    """
    The host in normal form, with a port if the domain is for that port only.
    """
    owner_id: int
    """
    The identifier of the owner.
    """
    owner: str
    """
    The name of the owner.
    """
    home_url: str | None
    """
    Where visitors of the start page go; `null` if they see a page.
    """
    is_default: int
    """
    1 if the owner's short URLs and QR codes have this host.
    """
    created_at: str
    """
    When the domain was added.
    """


class DomainCreate(TypedDict, closed=True):
    """
    A domain to add. Either `owner` or `owner_id` is required.
    """

    host: str
    """
    The host, in any spelling, with a port if only requests for that port are meant.
    """
    owner: NotRequired[str | None]
    """
    The name of the owner.
    """
    owner_id: NotRequired[int | None]
    """
    The identifier of the owner, instead of the name.
    """
    home_url: NotRequired[str | None]
    """
    Where visitors of the start page go; without it, they see a page.
    """
    accept_destinations: NotRequired[int | None]
    """
    1 adds the domain even if destinations lead to its host already; without it, 0.
    """
    audit: NotRequired[Audit | None]


class DomainList(TypedDict):
    """
    A page of domains, newest first.
    """

    data: list[Domain]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class DomainUpdate(TypedDict, closed=True):
    """
    New values for a domain, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value.
    """

    home_url: NotRequired[str | None]
    """
    Where visitors of the start page go; `null` if they see a page.
    """
    is_default: NotRequired[int]
    """
    1 makes the domain the owner's default, so that another one no longer is.
    """
    audit: NotRequired[Audit | None]


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
    owner_id: int
    """
    Identifies the owner.
    """
    owner: str
    """
    The owner's name.
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


class KeySearch(TypedDict, closed=True):
    """
    An API key, to find it.
    """

    secret: str
    """
    The API key, as it was shown when it was created.
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
    owner_id: int
    """
    Identifies the owner.
    """
    owner: str
    """
    The owner's name.
    """


UnknownCode: TypeAlias = str


class LinkChangeResult(TypedDict):
    """
    The result of a change of any number of links.
    """

    event: int | None
    """
    Identifies the event; `null` for a dry run, and if there was nothing to change.
    """
    status: str
    """
    `done` once all links are changed.
    """
    changed: int
    """
    Number of links that changed, or would change in a dry run.
    """
    skipped: int
    """
    Number of links that stayed as they are because the operator has disabled or blocked them; always 0 for the operator.
    """
    dry_run: int
    """
    1 if it was a dry run.
    """
    unknown_codes: list[UnknownCode]
    """
    Listed codes that no link has, in the order of the request: the first 100.
    """
    unknown_count: int
    """
    Number of listed codes that no link has.
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


Code: TypeAlias = str


class LinkSelectors(TypedDict, closed=True):
    """
    Conditions that choose links. A link must meet all of them; at least one is required.
    """

    codes: NotRequired[list[Code] | None]
    """
    Short codes, at most 10,000; the response names unknown ones.
    """
    owner: NotRequired[str | None]
    """
    The name of the owner.
    """
    campaign: NotRequired[str | None]
    """
    The campaign.
    """
    host: NotRequired[str | None]
    """
    The host of the destination, or a parent domain of it.
    """
    destination_url: NotRequired[str | None]
    """
    The destination, exactly.
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


class OperatorKey(TypedDict):
    """
    An operator key. Nothing shows its secret again.
    """

    id: int
    """
    Identifies the key.
    """
    name: str
    """
    The key's name, which the history shows.
    """
    role: str
    """
    What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
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


class OperatorKeyCreate(TypedDict, closed=True):
    """
    An operator key to create.
    """

    name: str
    """
    The key's name, which the history shows. It is free again after the revocation of its key.
    """
    role: Literal["auditor", "provisioner", "moderator", "admin"]
    """
    What the key may do: `auditor` to read, `provisioner` also to manage owners with their keys and domains, `moderator` also to change links and blocks and to suspend owners, `admin` everything.
    """
    expires_at: NotRequired[str | None]
    """
    The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
    """
    audit: NotRequired[Audit | None]


class OperatorKeyList(TypedDict):
    """
    A page of operator keys, newest first, revoked and expired ones included.
    """

    data: list[OperatorKey]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class Owner(TypedDict):
    """
    An owner, as the operator sees it.
    """

    id: int
    """
    Identifies the owner; it never changes and is never used again.
    """
    name: str
    """
    The owner's name.
    """
    plan: str
    """
    The name of the owner's plan.
    """
    links: int
    """
    Number of links.
    """
    is_suspended: int
    """
    1 while the owner is suspended.
    """
    suspended_reason: str | None
    """
    Why the owner is suspended; `null` if the owner is not.
    """
    suspended_at: str | None
    """
    Since when the owner is suspended; `null` if the owner is not, or if it is unknown.
    """
    created_at: str
    """
    When the owner was created.
    """
    fallback_url: str | None
    """
    Where visitors of expired links go that have no fallback of their own; `null` if they see a page.
    """


class OwnerKeyCreate(TypedDict, closed=True):
    """
    The first key of a new owner.
    """

    label: NotRequired[str | None]
    """
    The key's label, without control characters.
    """
    scope: NotRequired[Literal["read", "create", "edit", "full"] | None]
    """
    What the key allows: `read`, `create`, `edit` or `full`. Without it, `full`.
    """
    expires_at: NotRequired[str | None]
    """
    The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
    """


class OwnerList(TypedDict):
    """
    A page of owners, newest first.
    """

    data: list[Owner]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class OwnerUpdate(TypedDict, closed=True):
    """
    New values for an owner, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value.
    """

    name: NotRequired[str]
    """
    The owner's name; keys, links and the history follow.
    """
    plan: NotRequired[str]
    """
    The name of a plan. A lower limit deletes no links.
    """
    fallback_url: NotRequired[str | None]
    """
    Where visitors of expired links go that have no fallback of their own.
    """
    audit: NotRequired[Audit | None]


class OwnerUsage(TypedDict):
    """
    What an owner used in a month.
    """

    owner_id: int
    """
    Identifier of the owner.
    """
    owner: str
    """
    Name of the owner: at the close of a closed month, at the deletion of a deleted owner.
    """
    requests: int
    """
    Requests with a key of the owner, except those that returned 401, 403, 429 or 503.
    """
    links_created: int
    """
    Links created in the month, imported and deleted ones included.
    """
    links: int
    """
    Links at the end of the month; in an open month, the links now.
    """
    clicks: int
    """
    Clicks, those of deleted links included.
    """
    links_deleted: int | None
    """
    Links deleted in the month. `null` if the month was closed before Terse counted them.
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


class PlanCreate(TypedDict, closed=True):
    """
    A new plan. A limit that is absent or `null` is unlimited.
    """

    name: str
    """
    The name of the plan.
    """
    max_links: NotRequired[int | None]
    """
    Number of links at a time.
    """
    links_per_day: NotRequired[int | None]
    """
    Number of new links per day (UTC).
    """
    request_rate: NotRequired[str | None]
    """
    Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together.
    """
    burst: NotRequired[int | None]
    """
    How many of these requests may come at once; without it, the number in `request_rate`.
    """
    custom_codes: NotRequired[int | None]
    """
    1 if owners may choose codes; without it, 0.
    """
    audit: NotRequired[Audit | None]


class PlanList(TypedDict):
    """
    A page of plans, in the order of their names.
    """

    data: list[Plan]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class PlanUpdate(TypedDict, closed=True):
    """
    New values for a plan, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a limit.
    """

    max_links: NotRequired[int | None]
    """
    Number of links at a time. A lower limit deletes no links.
    """
    links_per_day: NotRequired[int | None]
    """
    Number of new links per day (UTC).
    """
    request_rate: NotRequired[str | None]
    """
    Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together.
    """
    burst: NotRequired[int | None]
    """
    How many of these requests may come at once; `null` for the number in `request_rate`.
    """
    custom_codes: NotRequired[int]
    """
    1 if owners may choose codes.
    """
    audit: NotRequired[Audit | None]


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


SkippedItem: TypeAlias = str


class UndoResult(TypedDict):
    """
    The result of an undo.
    """

    event: int | None
    """
    Identifies the event of the undo; `null` if there was nothing to revert.
    """
    changed: int
    """
    Number of links, owners, patterns or domains that were reverted.
    """
    skipped: list[SkippedItem]
    """
    The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not completely, because they have changed since, or were deleted; the first 100.
    """


class UsageReport(TypedDict):
    """
    Usage of all owners in a month.
    """

    data: list[OwnerUsage]
    """
    The owners who existed in the month, in the order of their names.
    """
    is_final: int
    """
    Whether the month is closed, so that its usage never changes.
    """


class ClickReport(TypedDict):
    """
    The report of a month for all owners or one. Groups without clicks are missing.
    """

    data: list[ClickReportRow]
    """
    The groups, in the order of their names.
    """


class CreatedOwner(TypedDict):
    """
    A new owner, with the first key.
    """

    owner: Owner
    api_key: CreatedKey | None
    """
    The first key; `null` if none was requested. Nothing shows its secret again.
    """


class Event(TypedDict):
    """
    A change, as the operator sees it.
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
    What was done: the command, such as `link disable`.
    """
    subject: str
    """
    What was changed: a code, a name, an identifier, a pattern, or a description of several things.
    """
    owner_id: int | None
    """
    Identifies the owner, if everything that changed belongs to one.
    """
    owner: str | None
    """
    The name of this owner.
    """
    audit: EventAudit
    changed: int
    """
    Number of things that changed. A change in progress still adds to it.
    """


class EventList(TypedDict):
    """
    A page of events.
    """

    data: list[Event]
    """
    The items of the page.
    """
    next_cursor: str | None
    """
    Where the next page begins: the parameter `cursor` of the next request. `null` on the last page.
    """


class LinkChange(TypedDict, closed=True):
    """
    A change of any number of links.
    """

    action: Literal["disable", "enable", "delete", "pause", "unpause"]
    """
    What to do with the links.
    """
    selectors: LinkSelectors
    dry_run: NotRequired[int | None]
    """
    1 reports how many links would change, and changes nothing; without it, 0.
    """
    audit: NotRequired[Audit | None]


class OwnerCreate(TypedDict, closed=True):
    """
    An owner to create.
    """

    name: str
    """
    The owner's name, without control characters.
    """
    plan: NotRequired[str | None]
    """
    The name of a plan. Without it, `free`.
    """
    api_key: NotRequired[OwnerKeyCreate | None]
    audit: NotRequired[Audit | None]
