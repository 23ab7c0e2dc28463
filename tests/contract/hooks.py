"""Additions to the document for Schemathesis, and a record of its responses.

The OpenAPI links name the responses whose values later requests use, so that sequences work on
existing links. The record, with one line per response, lets `outcomes.py` detect an empty run.
"""

import os
from pathlib import Path
from typing import Any

import schemathesis

RECORD = Path(os.environ["CONTRACT_WORK"]) / "outcomes"

SHORTEN = ("/api/v1/shorten", "post", "201")
LIST_LINKS = ("/api/v1/links", "get", "200")
ENABLE_QR_CODE = ("/api/v1/qrcodes", "post", "201")
LIST_QR_CODES = ("/api/v1/qrcodes", "get", "200")

CREATED_CODE = "$response.body#/short_code"
LISTED_CODE = "$response.body#/data/0/short_code"


def stats_of(code: str) -> dict[str, Any]:
    return {"operationId": "getStats", "parameters": {"path.code": code}}


def qr_code_of(code: str) -> dict[str, Any]:
    return {"operationId": "enableQrCode", "requestBody": {"short_code": code}}


def same_code_again(code: str) -> dict[str, Any]:
    return {"operationId": "shorten", "requestBody": {"custom_code": code}}


LINKS = {
    SHORTEN: {
        "QrCodeOfCreated": qr_code_of(CREATED_CODE),
        "CreatedCodeAgain": same_code_again(CREATED_CODE),
        "ListWithCreated": {"operationId": "listLinks"},
    },
    LIST_LINKS: {"StatsOfListed": stats_of(LISTED_CODE)},
    ENABLE_QR_CODE: {
        "StatsOfEnabled": stats_of(CREATED_CODE),
        "QrCodeAgain": qr_code_of(CREATED_CODE),
        "QrListWithEnabled": {"operationId": "listQrCodes"},
    },
    LIST_QR_CODES: {"StatsOfQrListed": stats_of(LISTED_CODE)},
}


@schemathesis.hook
def before_load_schema(context: schemathesis.HookContext, raw_schema: dict[str, Any]) -> None:
    """Adds the links above to the document that was loaded. Restricts destinations to URIs, because
    JSON Schema cannot express the WHATWG URL standard: most texts that the pattern accepts are no URL.
    The tests in `tests/outside` cover URLs that are not URIs."""
    url = raw_schema["components"]["schemas"]["ShortenRequest"]["properties"]["url"]
    del url["pattern"]
    url["format"] = "uri"
    for (path, method, status), links in LINKS.items():
        response = raw_schema["paths"][path][method]["responses"][status]
        response.setdefault("links", {}).update(links)


@schemathesis.hook
def after_call(
    context: schemathesis.HookContext,
    case: schemathesis.Case,
    response: schemathesis.Response,
) -> None:
    """Records the phase, the operation and the status of a response."""
    operation = case.operation.definition.raw["operationId"]
    phase = case.meta.phase.name.value if case.meta else "probe"
    with RECORD.open("a", encoding="utf-8") as record:
        record.write(f"{phase} {operation} {response.status_code}\n")
