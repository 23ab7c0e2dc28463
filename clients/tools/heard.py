"""What the service itself says of a client's story: that every part of it was told.

usage: heard.py URL FILE, where FILE has the counts of the last time, and will have those of now.
"""

import json
import pathlib
import re
import sys
from collections import Counter

import requests

ANSWERED = re.compile(r'terse_http_requests_total\{method="\w+",route="(\w+)",status="(\d+)"\} (\d+)')

PARTS = {
    "two links": lambda heard: heard["shorten 201"] >= 2,
    "a list of links": lambda heard: heard["listLinks 200"] > 0,
    "a redirect": lambda heard: heard["redirect 302"] > 0,
    "statistics": lambda heard: heard["getStats 200"] > 0,
    "a QR code": lambda heard: heard["enableQrCode 201"] > 0,
    "a list of QR codes": lambda heard: heard["listQrCodes 200"] > 0,
    "401": lambda heard: heard["401"] > 0,
    "404": lambda heard: heard["404"] > 0,
    "409": lambda heard: heard["409"] > 0,
    "422": lambda heard: heard["422"] > 0,
}


def counts(metrics: str) -> Counter[str]:
    heard: Counter[str] = Counter()
    for operation, status, count in ANSWERED.findall(metrics):
        heard[f"{operation} {status}"] += int(count)
        heard[status] += int(count)
    return heard


def main(url: str, path: str) -> None:
    file = pathlib.Path(path)
    before = json.loads(file.read_text()) if file.exists() else {}
    now = counts(requests.get(f"{url}/metrics", timeout=10).text)
    file.write_text(json.dumps(now))
    heard = now - Counter(before)
    missing = [part for part, was_told in PARTS.items() if not was_told(heard)]
    if missing:
        sys.exit(f"the service has not heard of: {', '.join(missing)}")


main(*sys.argv[1:])
