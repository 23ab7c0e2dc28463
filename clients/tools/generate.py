"""Generates the methods and types of the two client packages from the published documents, and the list of
operations in llms.txt.

usage: generate.py DIRECTORY, with openapi-typescript, datamodel-codegen and ruff in the PATH. DIRECTORY is
that of the repository, or another one with a copy of `clients` and `llms.txt`.
"""

import json
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Any

from generate_python import Python
from generate_typescript import TypeScript

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPENAPI = ROOT / "openapi"
DOCUMENTS = ("openapi", "manage", "operator")
# The methods whose names do not follow from their paths: see `Operation.name`.
NAMES = {
    "GET /block-check": "blocks.check",
    "GET /campaigns": "campaigns.list",
    "GET /external-links/{external_id}": "links.getByExternalId",
    "GET /owners/{id}/keys": "keys.list",
    "GET /owners/{id}/webhooks": "webhooks.list",
    "POST /key-search": "keys.find",
    "POST /link-batches": "links.createBatch",
    "POST /owners/{id}/keys": "keys.create",
    "POST /webhooks/{id}/deliveries/{delivery_id}/retry": "webhooks.retryDelivery",
    "PUT /external-links/{external_id}": "links.upsert",
}
VERBS = {"GET": "get", "POST": "create", "PUT": "replace", "PATCH": "update"}


@dataclass
class Operation:
    """What the methods need to know about an operation of a document."""

    document: dict[str, Any]
    method: str
    path: str
    value: dict[str, Any]
    document_name: str = ""

    def __post_init__(self) -> None:
        self.id: str = self.value["operationId"]
        parameters = [self.resolve(parameter) for parameter in self.value.get("parameters", [])]
        self.in_path = [parameter for parameter in parameters if parameter["in"] == "path"]
        self.query = [p for p in parameters if p["in"] == "query" and p["name"] != "cursor"]
        names = {parameter["name"] for parameter in parameters}
        self.is_idempotent = "Idempotency-Key" in names
        self.takes_match = "If-Match" in names
        self.body = self.schema(self.value.get("requestBody", {}))
        successes = [self.resolve(r) for s, r in self.value["responses"].items() if s.startswith("2")]
        self.result = next(filter(None, map(self.schema, successes)), None)
        # Whether the change may go on after a response without a body.
        self.may_run = not self.result and "202" in self.value["responses"]
        self.item: str | None = None
        if self.result and ("cursor" in names or self.name.endswith(".list")):
            data = self.document["components"]["schemas"][self.result]["properties"]["data"]
            self.item = reference(data["items"])
            # A client requests all pages, by default the longest ones; the document describes a single request.
            for place, parameter in enumerate(self.query):
                if parameter["name"] == "limit":
                    maximum = parameter["schema"]["maximum"]
                    text = f"Number of items per page, from `1` to `{maximum}`; by default `{maximum}`. The list has all pages."
                    schema = {**parameter["schema"], "default": maximum}
                    self.query[place] = {**parameter, "description": text, "schema": schema}

    def resolve(self, value: dict[str, Any]) -> dict[str, Any]:
        """Returns what a reference leads to, or the value itself."""
        while "$ref" in value:
            target = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/")]
            value = target
        return value

    def schema(self, message: dict[str, Any]) -> str | None:
        """Returns the name of the schema of a request's or response's body, if it has one."""
        content = message.get("content", {})
        return reference(content["application/json"]["schema"]) if content else None

    @property
    def name(self) -> str:
        """Returns the method, such as `links.create`. An operation of `/api/v1` is one of the client itself.

        The first segment of the path is the resource; a fixed segment after it, or else the request's method, is
        the verb.
        """
        if self.path.startswith("/api/v1/"):
            return self.id
        path = re.sub(r"^/api/\w+/v1", "", self.path)
        resource, *rest = path.strip("/").split("/")
        fixed = [part for part in rest if not part.startswith("{")]
        # Keys are revoked rather than deleted.
        verb = camel(fixed[-1]) if fixed else VERBS.get(self.method) or re.match("[a-z]+", self.id)[0]
        if not fixed and self.method == "GET" and "/cursor" in str(self.value.get("parameters")):
            verb = "list"
        return NAMES.get(f"{self.method} {path}", f"{camel(resource)}.{verb}")

    @property
    def is_repeatable(self) -> bool:
        """Returns whether the operation has the same effect twice; one with an idempotency key is asked separately."""
        return self.method != "POST" or self.path.endswith("-search")

    @property
    def max_limit(self) -> int | None:
        """Returns the greatest length of a page, for a list of pages."""
        return next((p["schema"]["maximum"] for p in self.query if p["name"] == "limit"), None)


def camel(name: str) -> str:
    """Returns a segment of a path in the spelling of JavaScript."""
    return re.sub(r"-(\w)", lambda match: match[1].upper(), name)


def reference(schema: dict[str, Any]) -> str:
    return schema["$ref"].rpartition("/")[2]


def operations(document: dict[str, Any], name: str = "") -> list[Operation]:
    methods = ("get", "post", "put", "patch", "delete")
    return [
        Operation(document, method.upper(), path, item[method], name)
        for path, item in document["paths"].items()
        for method in methods
        if method in item
    ]


def codes(document: dict[str, Any]) -> list[str]:
    """Returns the codes of the problems that the document names."""
    return document["components"]["schemas"]["Problem"]["properties"]["code"]["x-extensible-enum"]


def write_llms(path: pathlib.Path, documents: dict[str, dict[str, Any]]) -> None:
    """Writes the list of operations in llms.txt, and fails if a link in it leads nowhere."""
    lines = []
    for name, document in documents.items():
        lines += [f"Of [{name}.json](openapi/{name}.json):", ""]
        lines += [f"- `{o.method} {o.path}`: {o.value['summary']}" for o in operations(document)]
        lines += [""]
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition("## Operations\n")
    after = rest[rest.index("\n## ") :]
    path.write_text("\n".join([f"{before}## Operations", "", *lines[:-1], after]), encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if not (ROOT / target).exists():
            sys.exit(f"llms.txt: {target} does not exist")


def main(directory: str) -> None:
    clients = pathlib.Path(directory) / "clients"
    typescript, python = TypeScript(clients), Python(clients)
    every: dict[str, None] = {}
    documents = {}
    every_operation = {}
    for name in DOCUMENTS:
        path = OPENAPI / f"{name}.json"
        if not path.exists():
            continue
        document = json.loads(path.read_text(encoding="utf-8"))
        documents[name] = document
        every |= dict.fromkeys(codes(document))
        every_operation[name] = operations(document, name)
        typescript.write(name, document, every_operation[name])
    python.write(documents, every_operation)
    typescript.write_codes(list(every), documents["openapi"]["info"]["version"])
    python.write_codes(list(every))
    write_llms(pathlib.Path(directory) / "llms.txt", documents)


main(*sys.argv[1:])
