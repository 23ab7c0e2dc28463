# Generated from openapi/operator.json by scripts/clients --generate.

from __future__ import annotations

from typing import TypedDict

from typing_extensions import NotRequired


class FieldError(TypedDict):
    """
    One field that is not valid.
    """

    pointer: str
    """
    JSON pointer (RFC 6901) to the field in the request's body; empty for the body itself.
    """
    detail: str
    """
    What is wrong with it, for people.
    """


class OperatorAccount(TypedDict):
    """
    The operator key of the request.
    """

    name: str
    """
    The key's name, which the history shows.
    """
    role: str
    """
    What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
    """


class OwnersReportRow(TypedDict):
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
    Identifies the kind of problem, for programs: the last segment of `type`. Treat an unknown one by its status: others may be added.
    """
    request_id: str
    """
    The identifier of this request in the server's log, also in the header `X-Request-Id`: quote it when you ask the operator for help.
    """
    errors: NotRequired[list[FieldError]]
    """
    The fields that are not valid; only with `invalid-input` and `destination-blocked`.
    """


class UsageRow(TypedDict):
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
    Links at the close of the month; in an open month, the links now.
    """
    clicks: int
    """
    Clicks, those of deleted links included.
    """


class OwnersReport(TypedDict):
    """
    The report of a month for all owners or one. Groups without clicks are missing.
    """

    data: list[OwnersReportRow]
    """
    The groups, in the order of their names.
    """


class UsageOfMonth(TypedDict):
    """
    Usage of all owners in a month.
    """

    data: list[UsageRow]
    """
    The owners who existed in the month, in the order of their names.
    """
    is_final: int
    """
    Whether the month is closed, so that its usage never changes.
    """
