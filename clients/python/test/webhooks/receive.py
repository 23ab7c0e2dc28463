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

import with_django  # noqa: E402
import with_flask  # noqa: E402
import with_starlette  # noqa: E402

settings.configure(ALLOWED_HOSTS=["*"])
django.setup()


def deliver(secret: str) -> list[int]:
    """Returns the statuses of the three applications."""
    now = datetime.datetime.now(datetime.timezone.utc)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": standardwebhooks.Webhook(secret).sign("msg_1", now, BODY),
    }
    request = RequestFactory().post("/terse", BODY, content_type="application/json", headers=headers)
    flask = with_flask.app.test_client().post("/terse", data=BODY, headers=headers)
    starlette = TestClient(with_starlette.app).post("/terse", content=BODY, headers=headers)
    return [with_django.receive(request).status_code, flask.status_code, starlette.status_code]


assert deliver(SECRET) == [204] * 3, deliver(SECRET)
assert deliver("whsec_" + base64.b64encode(bytes(32)).decode()) == [400] * 3
