"""The official library and `verify_webhook` accept what a server delivers, and nothing else."""

import json
import os

import standardwebhooks
from terse_client import WebhookVerificationError, verify_webhook

with open(os.environ["DELIVERIES"]) as file:
    story = json.load(file)
first, second = story["secrets"]


def refuses(secret: str, headers: dict[str, str], body: str) -> bool:
    """Returns whether both refuse a delivery."""
    refused = 0
    try:
        standardwebhooks.Webhook(secret).verify(body, headers)
    except standardwebhooks.WebhookVerificationError:
        refused += 1
    try:
        verify_webhook(secret, headers, body)
    except WebhookVerificationError:
        refused += 1
    return refused == 2


types: set[str] = set()
for delivery in story["deliveries"]:
    headers, body = delivery["headers"], delivery["body"]
    sent = json.loads(body)
    # While a secret is being replaced, both sign.
    for secret in [first, second][: delivery["signed_by"]]:
        assert standardwebhooks.Webhook(secret).verify(body, headers) == verify_webhook(secret, headers, body) == sent
    types.add(sent["type"])
    if delivery["signed_by"] == 1:
        assert refuses(second, headers, body)
    assert refuses(first, headers, body.replace(sent["type"], sent["type"] + "x", 1))
    late = str(int(headers["webhook-timestamp"]) - 600)
    assert refuses(first, {**headers, "webhook-timestamp": late}, body)
    assert refuses(first, {**headers, "webhook-id": "msg_x"}, body)
print(f"measured: {len(story['deliveries'])} deliveries of {len(types)} types verified")
