"""Checks in the server's metrics that a client has sent every request of the scenario.

usage: check_scenario.py URL FILE. FILE contains the counts of the previous call; this call replaces them.
"""

import json
import pathlib
import re
import sys
from collections import Counter

import requests

REQUESTS = re.compile(r'terse_http_requests_total\{method="\w+",route="(\w+)",status="(\d+)"\} (\d+)')

STEPS = {
    "two links": lambda counts: counts["shorten 201"] >= 2,
    "a list of links": lambda counts: counts["listLinks 200"] > 0,
    "a redirect": lambda counts: counts["redirect 302"] > 0,
    "statistics": lambda counts: counts["getStats 200"] > 0,
    "a QR code": lambda counts: counts["enableQrCode 201"] > 0,
    "a list of QR codes": lambda counts: counts["listQrCodes 200"] > 0,
    "401": lambda counts: counts["401"] > 0,
    "404": lambda counts: counts["404"] > 0,
    "409": lambda counts: counts["409"] > 0,
    "422": lambda counts: counts["422"] > 0,
    "429": lambda counts: counts["429"] > 0,
}


def count_requests(metrics: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for operation, status, count in REQUESTS.findall(metrics):
        counts[f"{operation} {status}"] += int(count)
        counts[status] += int(count)
    return counts


def main(url: str, path: str) -> None:
    file = pathlib.Path(path)
    before = json.loads(file.read_text()) if file.exists() else {}
    now = count_requests(requests.get(f"{url}/metrics", timeout=10).text)
    file.write_text(json.dumps(now))
    counts = now - Counter(before)
    missing = [step for step, was_done in STEPS.items() if not was_done(counts)]
    if missing:
        sys.exit(f"the client has not sent the requests of these steps: {', '.join(missing)}")


main(*sys.argv[1:])
