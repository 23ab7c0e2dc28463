"""Delivers signed webhooks to the samples of the README: with_flask.py, with_django.py and with_starlette.py."""

import base64
import datetime
import os
import secrets

import django
import standardwebhooks
from django.conf import settings
from django.test import RequestFactory
from starlette.testclient import TestClient

SECRET = os.environ["WEBHOOK_SECRET"] = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
BODY = '{"type": "webhook.test", "timestamp": "2027-01-02T12:00:00Z", "data": {}}'
#: As large as a delivery can be.
LARGEST = BODY + " " * (128 * 1024 - len(BODY))

import with_django  # noqa: E402
import with_flask  # noqa: E402
import with_starlette  # noqa: E402

settings.configure(ALLOWED_HOSTS=["*"])
django.setup()


def deliver(secret: str, body: str = BODY) -> list[int]:
    """Returns the statuses of the three applications."""
    now = datetime.datetime.now(datetime.timezone.utc)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": standardwebhooks.Webhook(secret).sign("msg_1", now, body),
    }
    request = RequestFactory().post("/terse", body, content_type="application/json", headers=headers)
    flask = with_flask.app.test_client().post("/terse", data=body, headers=headers)
    starlette = TestClient(with_starlette.app).post("/terse", content=body, headers=headers)
    return [with_django.receive(request).status_code, flask.status_code, starlette.status_code]


for body in (BODY, LARGEST):
    assert deliver(SECRET, body) == [204] * 3, deliver(SECRET, body)
assert deliver("whsec_" + base64.b64encode(bytes(32)).decode()) == [400] * 3
