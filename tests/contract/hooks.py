"""Additions to the document for Schemathesis, and a record of its responses.

The OpenAPI links name the responses whose values later requests use, so that sequences work on
existing links. The record, with one line per response, lets `outcomes.py` detect an empty run.
"""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import schemathesis

RECORD = Path(os.environ["CONTRACT_WORK"]) / "outcomes"

MANAGE = "/api/manage/v1"

SHORTEN = ("/api/v1/shorten", "post", "201")
LIST_LINKS = ("/api/v1/links", "get", "200")
ENABLE_QR_CODE = ("/api/v1/qrcodes", "post", "201")
LIST_QR_CODES = ("/api/v1/qrcodes", "get", "200")

CREATED_CODE = "$response.body#/short_code"
LISTED_ID = "$response.body#/data/0/id"
CREATED_ID = "$response.body#/id"
LISTED_CODE = "$response.body#/data/0/short_code"


def stats_of(code: str) -> dict[str, Any]:
    return {"operationId": "getStats", "parameters": {"path.code": code}}


def qr_code_of(code: str) -> dict[str, Any]:
    return {"operationId": "enableQrCode", "requestBody": {"short_code": code}}


def same_code_again(code: str) -> dict[str, Any]:
    return {"operationId": "shorten", "requestBody": {"custom_code": code}}


def of_link(operation: str, code: str, **parameters: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {"path.code": code, **parameters}}


def of_key(operation: str, key: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {"path.id": key}}


def list_of(number: int) -> dict[str, Any]:
    """Returns the list that has only this link of `prepare.py`. With random conditions, hardly any list
    would have a link."""
    conditions = {
        "campaign": "contract",
        "state": "active",
        "host": "example.org",
        "destination_url": f"https://example.org/contract-{number}",
        "title": f"contract-{number}",
        "created_after": "2020-01-01T00:00:00Z",
        "created_before": "2999-01-01T00:00:00Z",
    }
    parameters = {f"query.{name}": value for name, value in conditions.items()}
    return {"operationId": "findLinks", "parameters": parameters}


LINKS_OF_MANAGE = {
    (f"{MANAGE}/owner", "get", "200"): {
        "LinksOfOwner": {"operationId": "findLinks"},
        **{f"Link{number}OfOwner": list_of(number) for number in range(100, 108)},
        "LinkOfOwner": {"operationId": "createLink"},
        "BatchOfOwner": {"operationId": "createLinks"},
        "KeysOfOwner": {"operationId": "listKeys"},
        "KeyOfOwner": {"operationId": "createKey"},
        "ReportOfOwner": {"operationId": "getClickReport"},
    },
    (f"{MANAGE}/links", "get", "200"): {
        "Found": of_link("getLink", LISTED_CODE),
        "ClicksOfFound": of_link("getLinkClicks", LISTED_CODE),
        "HistoryOfFound": of_link("getLinkHistory", LISTED_CODE),
        "ChangeOfFound": of_link("changeLink", LISTED_CODE),
        "DeletionOfFound": of_link("deleteLink", LISTED_CODE),
    },
    (f"{MANAGE}/links", "post", "201"): {
        "ReadOfCreated": of_link("getLink", CREATED_CODE),
        "ChangeOfCreatedLink": of_link("changeLink", CREATED_CODE),
        "DeletionOfCreated": of_link("deleteLink", CREATED_CODE),
    },
    (f"{MANAGE}/links/{{code}}", "get", "200"): {
        "ChangeOfVersion": of_link(
            "changeLink", CREATED_CODE, **{"header.If-Match": "$response.header.ETag"}
        ),
        "DeletionOfVersion": of_link(
            "deleteLink", CREATED_CODE, **{"header.If-Match": "$response.header.ETag"}
        ),
        "ClicksOfRead": of_link("getLinkClicks", CREATED_CODE),
        "HistoryOfRead": of_link("getLinkHistory", CREATED_CODE),
        "Owner": {"operationId": "getOwner"},
    },
    (f"{MANAGE}/keys", "get", "200"): {
        "Listed": of_key("getKey", LISTED_ID),
        "ChangeOfListed": of_key("changeKey", LISTED_ID),
        "RevocationOfListed": of_key("revokeKey", LISTED_ID),
    },
    (f"{MANAGE}/keys", "post", "201"): {
        "Created": of_key("getKey", CREATED_ID),
        "ChangeOfCreated": of_key("changeKey", CREATED_ID),
        "RevocationOfCreated": of_key("revokeKey", CREATED_ID),
    },
}

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


def prepare_manage(components: dict[str, Any]) -> None:
    """Restricts the days, whose order and distance JSON Schema cannot express, and the entity tags, which
    would hardly ever match."""
    today = datetime.now(UTC).date()
    for name, values in {
        "from": [(today - timedelta(days=20)).isoformat()],
        "to": [today.isoformat()],
        "If-Match": ["*", f'"{"0" * 32}"'],
    }.items():
        components["parameters"][name]["schema"] = {"type": "string", "enum": values}


@schemathesis.hook
def before_load_schema(context: schemathesis.HookContext, raw_schema: dict[str, Any]) -> None:
    """Adds the links above to the document that was loaded. Restricts destinations to URIs, because
    JSON Schema cannot express the WHATWG URL standard: most texts that the pattern accepts are no URL.
    The tests in `tests/outside` cover URLs that are not URIs."""
    schemas = raw_schema["components"]["schemas"]
    is_manage = "LinkPatch" in schemas
    destinations = ["destination_url", "fallback_url"]
    of_manage = {"LinkPatch": destinations, "LinkRequest": destinations}
    names = of_manage if is_manage else {"ShortenRequest": ["url"]}
    for schema, fields in names.items():
        for field in fields:
            url = schemas[schema]["properties"][field]
            del url["pattern"]
            url["format"] = "uri"
    if is_manage:
        prepare_manage(raw_schema["components"])
    for (path, method, status), links in (LINKS_OF_MANAGE if is_manage else LINKS).items():
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
