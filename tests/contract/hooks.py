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
OPERATOR = "/api/operator/v1"

SHORTEN = ("/api/v1/shorten", "post", "201")
LIST_LINKS = ("/api/v1/links", "get", "200")
ENABLE_QR_CODE = ("/api/v1/qrcodes", "post", "201")
LIST_QR_CODES = ("/api/v1/qrcodes", "get", "200")

CREATED_CODE = "$response.body#/short_code"
LISTED_ID = "$response.body#/data/0/id"
CREATED_OWNER = "$response.body#/owner/id"
SAME_ID = "$request.path.id"
CREATED_ID = "$response.body#/id"
LISTED_CODE = "$response.body#/data/0/short_code"
# A port on which nothing listens.
RECEIVER = "http://127.0.0.1:65535/terse"


def stats_of(code: str) -> dict[str, Any]:
    return {"operationId": "getStats", "parameters": {"path.code": code}}


def qr_code_of(code: str) -> dict[str, Any]:
    return {"operationId": "enableQrCode", "requestBody": {"short_code": code}}


def same_code_again(code: str) -> dict[str, Any]:
    return {"operationId": "shorten", "requestBody": {"custom_code": code}}


def of_link(operation: str, code: str, **parameters: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {"path.code": code, **parameters}}


def of_id(operation: str, identifier: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {"path.id": identifier}}


def of_delivery() -> dict[str, Any]:
    parameters = {"path.id": SAME_ID, "path.delivery_id": LISTED_ID}
    return {"operationId": "retryWebhookDelivery", "parameters": parameters}


def of_name(operation: str, place: str, name: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {f"path.{place}": name}}


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
    return {"operationId": "listLinks", "parameters": parameters}


# Request objects with destinations, and the names of these.
REQUESTS = {
    "ShortenRequest", "LinkCreate", "LinkUpdate", "LinkSelectors", "OwnerUpdate", "DomainCreate", "DomainUpdate",
}
DESTINATIONS = {"url", "destination_url", "fallback_url", "home_url"}

LINKS_OF_MANAGE = {
    (f"{MANAGE}/owner", "get", "200"): {
        "LinksOfOwner": {"operationId": "listLinks"},
        **{f"Link{number}OfOwner": list_of(number) for number in range(100, 108)},
        "LinkOfOwner": {"operationId": "createLink"},
        "BatchOfOwner": {"operationId": "createLinks"},
        "KeysOfOwner": {"operationId": "listKeys"},
        "KeyOfOwner": {"operationId": "createKey"},
        "ReportOfOwner": {"operationId": "getClickReport"},
        "ChangeOfLinks": {"operationId": "changeLinks"},
        "LinkOfProduct": {"operationId": "putExternalLink"},
        "WebhookOfOwner": {"operationId": "createWebhook"},
        "Webhooks": {"operationId": "listWebhooks"},
    },
    (f"{MANAGE}/links", "get", "200"): {
        "Found": of_link("getLink", LISTED_CODE),
        "ClicksOfFound": of_link("getLinkClicks", LISTED_CODE),
        "HistoryOfFound": of_link("listLinkEvents", LISTED_CODE),
        "ChangeOfFound": of_link("updateLink", LISTED_CODE),
        "DeletionOfFound": of_link("deleteLink", LISTED_CODE),
    },
    (f"{MANAGE}/links", "post", "201"): {
        "ReadOfCreated": of_link("getLink", CREATED_CODE),
        "ChangeOfCreatedLink": of_link("updateLink", CREATED_CODE),
        "DeletionOfCreated": of_link("deleteLink", CREATED_CODE),
    },
    (f"{MANAGE}/links/{{code}}", "get", "200"): {
        "ChangeOfVersion": of_link(
            "updateLink", CREATED_CODE, **{"header.If-Match": "$response.header.ETag"}
        ),
        "DeletionOfVersion": of_link(
            "deleteLink", CREATED_CODE, **{"header.If-Match": "$response.header.ETag"}
        ),
        "ClicksOfRead": of_link("getLinkClicks", CREATED_CODE),
        "HistoryOfRead": of_link("listLinkEvents", CREATED_CODE),
        "Owner": {"operationId": "getOwner"},
    },
    (f"{MANAGE}/keys", "get", "200"): {
        "Listed": of_id("getKey", LISTED_ID),
        "ChangeOfListed": of_id("updateKey", LISTED_ID),
        "RevocationOfListed": of_id("revokeKey", LISTED_ID),
    },
    (f"{MANAGE}/keys", "post", "201"): {
        "Created": of_id("getKey", CREATED_ID),
        "ChangeOfCreated": of_id("updateKey", CREATED_ID),
        "RevocationOfCreated": of_id("revokeKey", CREATED_ID),
    },
    (f"{MANAGE}/events", "get", "200"): {
        "Event": of_id("getEvent", LISTED_ID),
        "Stop": of_id("stopEvent", LISTED_ID),
    },
    (f"{MANAGE}/webhooks", "get", "200"): {
        "TestOfListed": of_id("testWebhook", LISTED_ID),
        "DeliveriesOfListed": of_id("listWebhookDeliveries", LISTED_ID),
    },
    (f"{MANAGE}/webhooks", "post", "201"): {
        "Read": of_id("getWebhook", CREATED_ID),
        "Change": of_id("updateWebhook", CREATED_ID),
        "Rotation": of_id("rotateWebhookSecret", CREATED_ID),
        "Test": of_id("testWebhook", CREATED_ID),
        "Deletion": of_id("deleteWebhook", CREATED_ID),
    },
    (f"{MANAGE}/webhooks/{{id}}/test", "post", "200"): {
        "Deliveries": of_id("listWebhookDeliveries", SAME_ID),
    },
    (f"{MANAGE}/webhooks/{{id}}/deliveries", "get", "200"): {"Retry": of_delivery()},
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


LINKS_OF_OPERATOR = {
    (f"{OPERATOR}/operator", "get", "200"): {
        operation: {"operationId": operation}
        for operation in (
            "listOwners", "listPlans", "listLinks", "listBlocks", "listDomains", "listEvents", "getUsage",
            "getClickReport", "createOwner", "createPlan", "createBlocks", "createDomain", "changeLinks", "checkBlock",
            "deleteBlock", "findKey",
        )
    },
    (f"{OPERATOR}/owners", "get", "200"): {
        "Owner": of_id("getOwner", LISTED_ID),
        "KeysOfOwner": of_id("listKeys", LISTED_ID),
        "WebhooksOfOwner": of_id("listWebhooks", LISTED_ID),
    },
    (f"{OPERATOR}/owners/{{id}}/webhooks", "get", "200"): {
        "Disabling": of_id("disableWebhook", LISTED_ID),
        "Enabling": of_id("enableWebhook", LISTED_ID),
    },
    (f"{OPERATOR}/owners", "post", "201"): {
        "ReadOfOwner": of_id("getOwner", CREATED_OWNER),
        "ChangeOfOwner": of_id("updateOwner", CREATED_OWNER),
        "KeyOfOwner": of_id("createKey", CREATED_OWNER),
        "SuspensionOfOwner": of_id("suspendOwner", CREATED_OWNER),
    },
    (f"{OPERATOR}/owners/{{id}}/suspend", "post", "200"): {
        "Resumption": of_id("resumeOwner", SAME_ID),
        "DeletionOfOwner": of_id("deleteOwner", SAME_ID),
    },
    (f"{OPERATOR}/owners/{{id}}/keys", "post", "201"): {
        "ReadOfKey": of_id("getKey", CREATED_ID),
        "ChangeOfKey": of_id("updateKey", CREATED_ID),
        "RevocationOfKey": of_id("revokeKey", CREATED_ID),
        "FoundKey": {"operationId": "findKey", "requestBody": {"secret": "$response.body#/secret"}},
    },
    (f"{OPERATOR}/plans", "post", "201"): {
        "ReadOfPlan": of_name("getPlan", "name", "$response.body#/name"),
        "ChangeOfPlan": of_name("updatePlan", "name", "$response.body#/name"),
    },
    (f"{OPERATOR}/domains", "post", "201"): {
        "ReadOfDomain": of_name("getDomain", "host", "$response.body#/host"),
        "ChangeOfDomain": of_name("updateDomain", "host", "$response.body#/host"),
        "RemovalOfDomain": of_name("deleteDomain", "host", "$response.body#/host"),
    },
    (f"{OPERATOR}/links", "get", "200"): {
        "Found": of_link("getLink", LISTED_CODE),
        "ChangeOfFound": of_link("updateLink", LISTED_CODE),
        "ClicksOfFound": of_link("getLinkClicks", LISTED_CODE),
        "HistoryOfFound": of_link("listLinkEvents", LISTED_CODE),
    },
    (f"{OPERATOR}/events", "get", "200"): {
        "Event": of_id("getEvent", LISTED_ID),
        "Undo": of_id("undoEvent", LISTED_ID),
        "Stop": of_id("stopEvent", LISTED_ID),
    },
}


def prepare_manage(components: dict[str, Any]) -> None:
    """Restricts the days, whose order and distance JSON Schema cannot express, and the entity tags, which
    would hardly ever match."""
    today = datetime.now(UTC).date()
    for name, values in {
        "from_day": [(today - timedelta(days=20)).isoformat()],
        "to_day": [today.isoformat()],
        "If-Match": ["*", f'"{"0" * 32}"'],
    }.items():
        components["parameters"][name]["schema"] = {"type": "string", "enum": values}


def exclude_control_characters(schema: Any) -> None:
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    for part in parts:
        exclude_control_characters(part)
    if isinstance(schema, dict) and isinstance(schema.get("pattern"), str):
        schema["pattern"] = schema["pattern"].replace(r"\x7F]", r"\x7F-\x9F]")


@schemathesis.hook
def before_load_schema(context: schemathesis.HookContext, raw_schema: dict[str, Any]) -> None:
    """Adds the links above to the document that was loaded. Restricts destinations to URIs, because
    JSON Schema cannot express the WHATWG URL standard: most texts that the pattern accepts are no URL.
    The tests in `tests/outside` cover URLs that are not URIs. Restricts webhooks to one receiver. Excludes
    the control characters from U+0080 to U+009F, which a pattern that clients for PHP understand cannot.
    Declares the response of the HTTP library to a query that exceeds the limit for URL and headers."""
    exclude_control_characters(raw_schema)
    schemas = raw_schema["components"]["schemas"]
    first = next(iter(raw_schema["paths"]))
    all_links = LINKS_OF_MANAGE if first.startswith(MANAGE) else LINKS_OF_OPERATOR if first.startswith(OPERATOR) else LINKS
    for schema in REQUESTS & schemas.keys():
        for field in DESTINATIONS & schemas[schema]["properties"].keys():
            url = schemas[schema]["properties"][field]
            del url["pattern"]
            url["format"] = "uri"
    for schema in {"WebhookCreate", "WebhookUpdate"} & schemas.keys():
        schemas[schema]["properties"]["url"] = {"type": "string", "enum": [RECEIVER]}
    if all_links is LINKS_OF_MANAGE:
        # Schemathesis repeats values of responses, and the next attempt of a delivery is near. A key that changes
        # itself must outlive the run.
        schemas["KeyUpdate"]["properties"]["expires_at"] = {
            "type": "string", "nullable": True, "enum": ["2098-01-01T00:00:00Z", "2099-01-01T00:00:00Z"],
        }
    if all_links is not LINKS:
        prepare_manage(raw_schema["components"])
        for path in raw_schema["paths"].values():
            for operation in path.values():
                operation["responses"]["431"] = {"description": "URL and headers exceed 16 KiB."}
    for (path, method, status), links in all_links.items():
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
