"""Verifies deliveries of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Protocol

from ._errors import TerseError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .types.manage import WebhookEvent

_TOLERANCE = 300


class WebhookVerificationError(TerseError):
    """A delivery is not from the server that has the secret, or too old."""


class Headers(Protocol):
    """Headers, such as a `dict` or those of a framework, not all of which are a `Mapping`."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(secret: str, headers: Headers, body: bytes | str) -> WebhookEvent:
    """Returns the event of a delivery if it was signed with the secret within the last five minutes.

    `body` must be as it was received. The header `webhook-id` is the same for each repeat of a delivery.
    """
    body = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    try:
        # A secret that a program reads from a file may end with a line break.
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        # Anybody can sign with an empty key.
        raise ValueError("the secret must be whsec_ and base64")
    values = [given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature")]
    # Anybody can send values that have no number or no bytes.
    identifier, timestamp, signatures = (
        value if isinstance(value, str) and value.isascii() else "" for value in values
    )
    if not identifier or not signatures or not re.fullmatch("[0-9]{1,15}", timestamp):
        raise WebhookVerificationError("the headers of the signature are missing or malformed")
    if abs(time.time() - int(timestamp)) > _TOLERANCE:
        raise WebhookVerificationError("the delivery is not from the last five minutes")
    signed = f"{identifier}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # While a secret is being replaced, there are two.
    if not any([hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")]):
        raise WebhookVerificationError("the signature is wrong")
    event: WebhookEvent = json.loads(body)
    return event
