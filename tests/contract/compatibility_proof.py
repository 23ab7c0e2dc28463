"""Checks that `compatibility.py` distinguishes breaking changes from others.

usage: compatibility_proof.py DOCUMENT. Compares the document with changed ones, each with a single
change. The last line is `N passed, N failed`.
"""

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compatibility import Json, breaks, resolve

Change = Callable[[Json], Any]


def inline(value: Any, document: Json) -> Any:
    """Returns the value with its references to parameters, headers and responses resolved."""
    if isinstance(value, list):
        return [inline(item, document) for item in value]
    if not isinstance(value, dict):
        return value
    if not value.get("$ref", "#/components/schemas/").startswith("#/components/schemas/"):
        return inline(resolve(document, value), document)
    return {name: inline(member, document) for name, member in value.items()}


PUBLISHED: Json = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
# Each row changes one operation, not components that it shares with others.
DOCUMENT: Json = {**PUBLISHED, "paths": inline(PUBLISHED["paths"], PUBLISHED)}


def operation(document: Json, path: str, method: str) -> Json:
    return document["paths"][f"/api/v1/{path}"][method]


def fields(document: Json, schema: str) -> Json:
    return document["components"]["schemas"][schema]["properties"]


def required(document: Json, schema: str) -> list[str]:
    return document["components"]["schemas"][schema]["required"]


def response(document: Json, path: str, method: str, status: str) -> Json:
    return operation(document, path, method)["responses"][status]


def limit(document: Json) -> Json:
    """The query parameter `limit` of the list of links."""
    return operation(document, "links", "get")["parameters"][0]


def codes(document: Json) -> Json:
    """The codes of conflicts when a link is created."""
    content = response(document, "shorten", "post", "409")["content"]
    return content["application/problem+json"]["examples"]


def rename(mapping: Json, old: str, new: str) -> None:
    mapping[new] = mapping.pop(old)


def rename_field(document: Json) -> None:
    rename(fields(document, "Link"), "clicks", "count")
    required(document, "Link")[:] = ["short_code", "destination_url", "campaign", "count"]


def rename_schema(document: Json) -> None:
    text = json.dumps(document).replace('"ShortenResponse"', '"CreatedLink"')
    document.update(json.loads(text.replace("schemas/ShortenResponse", "schemas/CreatedLink")))


def require(schema: str, name: str) -> Change:
    return lambda d: required(d, schema).append(name)


def set_in(place: Callable[[Json], Json], **changes: Any) -> Change:
    return lambda d: place(d).update(changes)


def without(place: Callable[[Json], Json], name: str) -> Change:
    return lambda d: place(d).pop(name)


def new_parameter(**more: Any) -> Change:
    parameter = {"name": "since", "in": "query", "schema": {"type": "string"}, **more}
    return lambda d: operation(d, "links", "get")["parameters"].append(parameter)


def title(d: Json) -> Json:
    return fields(d, "ShortenRequest")["title"]


def custom_code(d: Json) -> Json:
    return fields(d, "ShortenRequest")["custom_code"]


def problem_codes(d: Json) -> list[str]:
    return fields(d, "Problem")["code"]["x-extensible-enum"]


def qr_code(d: Json) -> Json:
    return fields(d, "QrCodeRequest")


def created(d: Json) -> Json:
    return response(d, "shorten", "post", "201")


def shorten(d: Json) -> Json:
    return operation(d, "shorten", "post")


BREAKING: dict[str, Change] = {
    "an operation goes": without(lambda d: d["paths"]["/api/v1/qrcodes"], "get"),
    "a path has another name": lambda d: rename(
        d["paths"], "/api/v1/stats/{code}", "/api/v1/statistics/{code}"
    ),
    "an operationId is another": set_in(shorten, operationId="createLink"),
    "a tag is another": set_in(shorten, tags=["QR codes"]),
    "a schema has another name": rename_schema,
    "the title is another": set_in(lambda d: d["info"], title="Terse API"),
    "the version of OpenAPI is another": lambda d: d.update(openapi="3.1.0"),
    "a way to send the key goes": set_in(shorten, security=[{"ApiKeyAuth": []}]),
    "both ways to send the key are needed": set_in(
        shorten, security=[{"ApiKeyAuth": [], "BearerAuth": []}]
    ),
    "the key's header has another name": set_in(
        lambda d: d["components"]["securitySchemes"]["ApiKeyAuth"], name="X-Key"
    ),
    "a scheme goes": without(lambda d: d["components"]["securitySchemes"], "BearerAuth"),
    "success has another status": lambda d: rename(shorten(d)["responses"], "201", "200"),
    "success may have another status": lambda d: shorten(d)["responses"].update({"202": created(d)}),
    "a status of an error goes": without(
        lambda d: operation(d, "stats/{code}", "get")["responses"], "404"
    ),
    "a code of a problem goes": without(codes, "code-reserved"),
    "problems have another media type": lambda d: rename(
        response(d, "links", "get", "400")["content"], "application/problem+json", "application/json"
    ),
    "a header of a response goes": without(lambda d: created(d)["headers"], "Location"),
    "a header of a response may be missing": set_in(
        lambda d: created(d)["headers"]["Location"], required=False
    ),
    "a header of a response may be longer": set_in(
        lambda d: created(d)["headers"]["Location"]["schema"], maxLength=8192
    ),
    "a response has an unknown member": set_in(created, callbacks={}),
    "a field of a response goes": without(lambda d: fields(d, "ShortenResponse"), "short_url"),
    "a field of a response has another name": rename_field,
    "a field of a response may be missing": lambda d: required(d, "Link").remove("clicks"),
    "a field of a response may be null": set_in(
        lambda d: fields(d, "LinkStats")["short_code"], nullable=True
    ),
    "a field of a response has another type": set_in(
        lambda d: fields(d, "LinkStats")["is_active"], type="boolean"
    ),
    "a field of a response has another format": set_in(
        lambda d: fields(d, "LinkStats")["clicks"], format="int32"
    ),
    "a field of a response may be longer": set_in(
        lambda d: fields(d, "Link")["short_code"], maxLength=512
    ),
    "a number of a response may be greater": set_in(
        lambda d: fields(d, "LinkStats")["is_active"], maximum=2
    ),
    "a list is not wrapped": lambda d: response(d, "links", "get", "200")["content"].update(
        {"application/json": {"schema": {"type": "array"}}}
    ),
    "the items of a list are not described": without(lambda d: fields(d, "LinkList")["data"], "items"),
    "a field of a response is composed": set_in(lambda d: fields(d, "Link")["clicks"], anyOf=[{}]),
    "a body goes": without(shorten, "requestBody"),
    "bodies have another media type": lambda d: rename(
        shorten(d)["requestBody"]["content"], "application/json", "application/xml"
    ),
    "a field of a body becomes required": require("ShortenRequest", "title"),
    "a new field of a body is required": lambda d: (
        fields(d, "ShortenRequest").update(domain={"type": "string"}),
        required(d, "ShortenRequest").append("domain"),
    ),
    "a field of a body goes": without(lambda d: fields(d, "ShortenRequest"), "custom_code"),
    "a field of a body may not be null": without(title, "nullable"),
    "a field of a body must be shorter": set_in(title, maxLength=100),
    "a field of a body must be longer": set_in(custom_code, minLength=5),
    "a field of a body has another pattern": set_in(custom_code, pattern="^[0-9a-z]{3,64}$"),
    "a value of an enum goes": lambda d: qr_code(d)["error_correction"]["enum"].remove("H"),
    "a number of a body must be less": set_in(lambda d: qr_code(d)["margin"], maximum=8),
    "a parameter goes": lambda d: operation(d, "links", "get")["parameters"].pop(),
    "a parameter becomes required": set_in(limit, required=True),
    "a new parameter is required": new_parameter(required=True),
    "a parameter must be less": set_in(lambda d: limit(d)["schema"], maximum=100),
    "a path parameter must be shorter": set_in(
        lambda d: operation(d, "stats/{code}", "get")["parameters"][0]["schema"], maxLength=32
    ),
    "a link of a response goes": without(lambda d: created(d)["links"], "getStats"),
    "a link of a response leads elsewhere": set_in(
        lambda d: created(d)["links"]["getStats"], operationId="listLinks"
    ),
    "a value of an enum that may grow goes": lambda d: problem_codes(d).remove("code-in-use"),
    "a parameter has an unknown member": set_in(limit, allowReserved=True),
}

# Parts that the document lacks: each row adds one, and then changes it.
BREAKING_LATER: dict[str, tuple[Change, Change]] = {
    "a body becomes required": (
        set_in(lambda d: shorten(d)["requestBody"], required=False),
        set_in(lambda d: shorten(d)["requestBody"], required=True),
    ),
    "a body is new and required": (
        without(shorten, "requestBody"),
        set_in(shorten, requestBody={"required": True, "content": {}}),
    ),
    "a part of what is composed is another": (
        set_in(lambda d: fields(d, "Link")["clicks"], anyOf=[{"type": "integer"}]),
        set_in(lambda d: fields(d, "Link")["clicks"], anyOf=[{"type": "string"}]),
    ),
}

COMPATIBLE: dict[str, Change] = {
    "nothing changes": lambda d: None,
    "a description changes": set_in(shorten, description="Another one."),
    "an example changes": set_in(lambda d: d["components"]["schemas"]["Link"], example={}),
    "the server has another address": lambda d: d["servers"][0].update(url="https://example.org"),
    "the version of the service is another": set_in(lambda d: d["info"], version="1.1.0"),
    "an operation is deprecated": set_in(shorten, deprecated=True),
    "an operation is new": lambda d: d["paths"].update(
        {"/api/v1/campaigns": {"get": operation(d, "links", "get")}}
    ),
    "a way to send the key is new": lambda d: shorten(d)["security"].append({"Cookie": []}),
    "a parameter is new": new_parameter(),
    "a parameter may be greater": set_in(lambda d: limit(d)["schema"], maximum=5000),
    "a field of a body is new": lambda d: fields(d, "ShortenRequest").update(
        note={"type": "string"}
    ),
    "a field of a body may be left out": lambda d: required(d, "QrCodeRequest").clear(),
    "a field of a body may be longer": set_in(title, maxLength=500),
    "a field of a body may be anything": without(custom_code, "pattern"),
    "a value of an enum is new": lambda d: qr_code(d)["error_correction"]["enum"].append("X"),
    "a status of an error is new": lambda d: shorten(d)["responses"].update(
        {"418": response(d, "shorten", "post", "503")}
    ),
    "a value of an enum that may grow is new": lambda d: problem_codes(d).append("domain-unknown"),
    "a link of a response is new": lambda d: created(d)["links"].update(
        {"listLinks": {"operationId": "listLinks"}}
    ),
    "parameters, headers and responses are shared": lambda d: d.update(paths=PUBLISHED["paths"]),
    "a code of a problem is new": lambda d: codes(d).update({"domain-unknown": {"value": {}}}),
    "an extension of an operation is new": lambda d: shorten(d).update({"x-example": "new"}),
    "a header of a response is new": lambda d: created(d)["headers"].update(
        {"RateLimit-Reset": {"schema": {"type": "string"}}}
    ),
    "a field of a response is new": lambda d: fields(d, "ShortenResponse").update(
        created_at={"type": "string"}
    ),
    "a field of a response is always there": require("Problem", "errors"),
    "a field of a response is never null": without(lambda d: fields(d, "Link")["campaign"], "nullable"),
    "a field of a response is shorter": set_in(lambda d: fields(d, "Link")["short_code"], maxLength=32),
}


def unchanged(document: Json) -> None:
    """Does nothing, as the preparation of most changes."""


ROWS = [
    *((name, unchanged, change, True) for name, change in BREAKING.items()),
    *((name, *changes, True) for name, changes in BREAKING_LATER.items()),
    *((name, unchanged, change, False) for name, change in COMPATIBLE.items()),
]

passed = failed = 0
for name, prepare, change, is_breaking in ROWS:
    before = copy.deepcopy(DOCUMENT)
    prepare(before)
    after = copy.deepcopy(before)
    change(after)
    found = breaks(before, after)
    if bool(found) == is_breaking:
        passed += 1
    else:
        failed += 1
        print(f"{name}: should {'' if is_breaking else 'not '}break, found {found}")
print(f"{passed} passed, {failed} failed")
sys.exit(int(failed > 0))
