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
