"""Prepares a running server for the contract checks.

usage: prepare.py BASE_URL DIRECTORY, with the keys of two owners in CONTRACT_KEY and
CONTRACT_OTHER_KEY, and the address of a document in CONTRACT_DOCUMENT. Creates the link and the
webhooks that the Schemathesis configurations name, and writes the served document, the two owners, in
the format of Schemathesis, and links to import into the directory.
"""

import json
import os
import sys
from pathlib import Path

import requests

LINKS = 2_000

base_url, directory = sys.argv[1], Path(sys.argv[2])
owners = {"one": os.environ["CONTRACT_KEY"], "other": os.environ["CONTRACT_OTHER_KEY"]}

requests.post(
    f"{base_url}/api/v1/shorten",
    headers={"X-API-Key": owners["one"]},
    json={"url": "https://www.rfc-editor.org/rfc/rfc9457", "custom_code": "contract-check"},
    timeout=10,
).raise_for_status()

# The first owner has half of the webhooks that an owner may have. The operator disables and enables them.
for _ in range(5):
    requests.post(
        f"{base_url}/api/manage/v1/webhooks",
        headers={"X-API-Key": owners["one"]},
        json={"url": "http://127.0.0.1:65535/terse", "types": ["link.created"]},
        timeout=10,
    ).raise_for_status()

served = requests.get(os.environ["CONTRACT_DOCUMENT"], timeout=10)
served.raise_for_status()
(directory / "openapi.json").write_bytes(served.content)

# Sequences delete links, and the operator disables one. Vd7hK2m is the example of the document.
codes = ["contract-held", "Vd7hK2m", *(f"contract-{number}" for number in range(LINKS))]
rows = [f"{code},https://example.org/{code},{code},contract" for code in codes]
(directory / "links.csv").write_text("\n".join(["short_code,destination_url,title,campaign", *rows]), encoding="utf-8")

identities = [
    {"name": name, "fixedHeaders": [{"name": "X-API-Key", "value": key}]}
    for name, key in owners.items()
]
(directory / "owners.json").write_text(json.dumps({"auth": identities}), encoding="utf-8")
