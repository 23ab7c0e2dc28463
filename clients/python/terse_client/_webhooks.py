"""Verifies deliveries of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ._errors import TerseError

if TYPE_CHECKING:
    from .types.manage import WebhookEvent

_TOLERANCE = 300


class WebhookVerificationError(TerseError):
    """A delivery is not from the server that has the secret, or too old."""


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """Returns the event of a delivery if it was signed with the secret within the last five minutes.

    `body` must be as it was received. The header `webhook-id` is the same for each repeat of a delivery.
    """
    body = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        # Anybody can sign with an empty key.
        raise ValueError("the secret must be whsec_ and base64")
    try:
        identifier, signatures = given["webhook-id"], given["webhook-signature"]
        timestamp = int(given["webhook-timestamp"])
    except (KeyError, ValueError):
        raise WebhookVerificationError("the headers of the signature are missing or malformed") from None
    if abs(time.time() - timestamp) > _TOLERANCE:
        raise WebhookVerificationError("the delivery is not from the last five minutes")
    signed = f"{identifier}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # While a secret is being replaced, there are two.
    if not any([hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")]):
        raise WebhookVerificationError("the signature is wrong")
    event: WebhookEvent = json.loads(body)
    return event
