"""Generates the methods and types of the two client packages from the published documents, and the list of
operations in llms.txt.

usage: generate.py DIRECTORY, with openapi-typescript, datamodel-codegen and ruff in the PATH. DIRECTORY is
that of the repository, or another one with a copy of `clients` and `llms.txt`.
"""

import json
import pathlib
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPENAPI = ROOT / "openapi"
# The documents, their modules and their classes.
DOCUMENTS = {"openapi": ("api", "Terse"), "manage": ("manage", "Manage"), "operator": ("operator", "Operator")}
NOTICE = "Generated from openapi/{}.json by scripts/clients --generate."
TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}


@dataclass
class Operation:
    """What the methods need to know about an operation of a document."""

    document: dict[str, Any]
    method: str
    path: str
    value: dict[str, Any]

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
        if "cursor" in names and self.result:
            data = self.document["components"]["schemas"][self.result]["properties"]["data"]
            self.item = reference(data["items"])

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
    def max_limit(self) -> int:
        """Returns the greatest length of a page."""
        return next(p["schema"]["maximum"] for p in self.query if p["name"] == "limit")


def reference(schema: dict[str, Any]) -> str:
    return schema["$ref"].rpartition("/")[2]


def operations(document: dict[str, Any]) -> list[Operation]:
    methods = ("get", "post", "put", "patch", "delete")
    return [
        Operation(document, method.upper(), path, item[method])
        for path, item in document["paths"].items()
        for method in methods
        if method in item
    ]


def snake(name: str) -> str:
    """Returns a name in the spelling of Python."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return f"{name}_" if name in ("from", "import", "is", "not") else name


def type_of(schema: dict[str, Any]) -> str:
    """Returns the type of a parameter in Python."""
    if schema["type"] == "array":
        return f"list[{type_of(schema['items'])}]"
    values = ", ".join(json.dumps(value) for value in schema.get("enum", []))
    return f"Literal[{values}]" if values else TYPES[schema["type"]]


def codes(document: dict[str, Any]) -> list[str]:
    """Returns the codes of the problems that the document names."""
    return document["components"]["schemas"]["Problem"]["properties"]["code"]["x-extensible-enum"]


class TypeScript:
    """Writes a class and the types of a document in TypeScript."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory / "typescript/src"

    def write(self, name: str, document: dict[str, Any]) -> None:
        module, class_name = DOCUMENTS[name]
        types = self.directory / f"types/{module}.ts"
        types.parent.mkdir(exist_ok=True)
        subprocess.run(
            ["openapi-typescript", OPENAPI / f"{name}.json", "--output", types, "--root-types",
             "--root-types-no-schema-prefix", "--root-types-keep-casing"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        every = operations(document)
        schemas = sorted(document["components"]["schemas"])
        used = sorted({s for o in every for s in (o.body, o.item or o.result) if s})
        core = ["Client", "type CallOptions", "segment"]
        core += ["type ChangeOptions"] * any(o.takes_match for o in every)
        core += ["type CreateOptions"] * any(o.is_idempotent for o in every)
        core += ["type Pages"] * any(o.item for o in every)
        core += ["type Running"] * any(o.may_run for o in every)
        text = [
            f"// {NOTICE.format(name)}",
            f"import {{ {', '.join(core)} }} from './client.js';",
            f"import type {{ operations, {', '.join(used)} }} from './types/{module}.js';",
            "",
            f"export type {{ {', '.join(s for s in schemas)} }} from './types/{module}.js';",
            "",
            "/** The version of the document from which this file was generated. */",
            f"export const documentVersion = '{document['info']['version']}';",
            "",
            "type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;",
            "",
            f"/** The operations of {document['info']['title']}. */",
            f"export class {class_name} extends Client {{",
        ]
        for index, operation in enumerate(every):
            text += [""] * bool(index) + self.operation(operation)
        text += ["}", ""]
        (self.directory / f"{module}.ts").write_text("\n".join(text), encoding="utf-8")

    @staticmethod
    def operation(operation: Operation) -> list[str]:
        o = operation
        description = f"{o.value['summary']}.\n\n{o.value.get('description', '')}".strip()
        text = ["  /**", *[f"   * {line}".rstrip() for line in description.splitlines()], "   */"]
        arguments = [f"{p['name']}: {'number' if p['schema']['type'] == 'integer' else 'string'}" for p in o.in_path]
        if o.body:
            is_required = o.value["requestBody"].get("required")
            arguments.append(f"body: {o.body}" + ("" if is_required else " = {}"))
        if o.query:
            query = f"Omit<Query<'{o.id}'>, 'cursor'>" if o.item else f"Query<'{o.id}'>"
            is_required = any(parameter.get("required") for parameter in o.query)
            arguments.append(f"query: {query}" + ("" if is_required else " = {}"))
        kind = "CreateOptions" if o.is_idempotent else "ChangeOptions" if o.takes_match else "CallOptions"
        arguments.append(f"options: {kind} = {{}}")
        path = re.sub(r"\{(\w+)\}", r"${segment(\1)}", o.path)
        path = f"`{path}`" if o.in_path else f"'{path}'"
        if o.item:
            result = f"Pages<{o.item}>"
            call = f"this.list({path}, {{ limit: {o.max_limit}, ...query }}, options)"
        else:
            result = f"Promise<{o.result or ('Running | undefined' if o.may_run else 'void')}>"
            request = [f"method: '{o.method}'", f"path: {path}"]
            request += ["query"] * bool(o.query) + ["body"] * bool(o.body)
            request += ["isIdempotent: true"] * o.is_idempotent
            call = f"this.call({{ {', '.join(request)} }}, options)"
        return [*text, f"  {o.id}({', '.join(arguments)}): {result} {{", f"    return {call};", "  }"]

    def write_codes(self, every: list[str]) -> None:
        text = [
            "// Generated from the documents in openapi by scripts/clients --generate.",
            "",
            "/** The codes of the problems that the documents name. Servers may add others. */",
            "export type ProblemCode =",
            *[f"  | '{code}'" for code in every],
            "  | (string & {});",
            "",
        ]
        (self.directory / "codes.ts").write_text("\n".join(text), encoding="utf-8")


class Python:
    """Writes two classes and the types of a document in Python."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory / "python/terse_client"

    def write(self, name: str, document: dict[str, Any]) -> None:
        module, class_name = DOCUMENTS[name]
        package = self.directory / module
        package.mkdir(exist_ok=True)
        subprocess.run(
            ["datamodel-codegen", "--input", OPENAPI / f"{name}.json", "--input-file-type", "openapi",
             "--output", package / "models.py", "--output-model-type", "typing.TypedDict",
             "--target-python-version", "3.10", "--use-schema-description", "--use-field-description",
             "--enum-field-as-literal", "all", "--use-union-operator", "--use-standard-collections",
             "--strict-nullable", "--formatters", "builtin", "--disable-timestamp",
             "--custom-file-header", f"# {NOTICE.format(name)}"],
            check=True,
        )
        every = operations(document)
        used = sorted({s for o in every for s in (o.body, o.item or o.result) if s})
        bodies = any(o.body for o in every)
        enums = any("Literal" in type_of(p["schema"]) for o in every for p in o.query)
        typing = ["TYPE_CHECKING"] + ["Literal"] * enums
        core = ["AsyncClient", "Client", "segment"]
        core += ["AsyncPages", "Pages"] * any(o.item for o in every)
        core += ["Running"] * any(o.may_run for o in every)
        core += ["Tagged"] * any(o.takes_match for o in every)
        text = [
            f'"""The operations of {document["info"]["title"]}. {NOTICE.format(name)}"""',
            "",
            "from __future__ import annotations",
            "",
            f"from typing import {', '.join(typing)}",
            "",
            f"from .._client import {', '.join(sorted(core))}",
            f"from .models import {', '.join(used)}",
            "",
            *(["if TYPE_CHECKING:", "    from typing_extensions import Unpack", ""] if bodies else []),
            f'__all__ = ["DOCUMENT_VERSION", "Async{class_name}", "{class_name}"]',
            "",
            "#: The version of the document from which this module was generated.",
            f'DOCUMENT_VERSION = "{document["info"]["version"]}"',
        ]
        for is_async in (False, True):
            prefix = "Async" if is_async else ""
            text += ["", "", f"class {prefix}{class_name}({prefix}Client):"]
            text += [f'    """The operations of {document["info"]["title"]}."""']
            for operation in every:
                text += ["", *self.operation(operation, is_async)]
        (package / "__init__.py").write_text("\n".join(text) + "\n", encoding="utf-8")
        subprocess.run(["ruff", "format", "--quiet", "--isolated", "--line-length", "100", package], check=True)

    @staticmethod
    def operation(operation: Operation, is_async: bool) -> list[str]:
        o = operation
        arguments = ["self", *[f"{snake(p['name'])}: {TYPES[p['schema']['type']]}" for p in o.in_path]]
        arguments += ["/"] * bool(o.in_path)
        keywords = []
        for parameter in o.query:
            kind = type_of(parameter["schema"])
            name = snake(parameter["name"])
            if o.item and name == "limit":
                keywords.append(f"limit: int = {o.max_limit}")
            else:
                keywords.append(f"{name}: {kind}" + ("" if parameter.get("required") else " | None = None"))
        keywords += ["idempotency_key: str | None = None"] * o.is_idempotent
        keywords += ["if_match: Tagged | None = None"] * o.takes_match
        arguments += ["*"] * bool(keywords) + keywords
        arguments += [f"**body: Unpack[{o.body}]"] * bool(o.body)

        path = re.sub(r"\{(\w+)\}", lambda match: f"{{segment({snake(match[1])})}}", o.path)
        given = [f'f"{path}"' if o.in_path else f'"{path}"']
        if o.query:
            query = ", ".join(f'"{p["name"]}": {snake(p["name"])}' for p in o.query)
            given.append(f"query={{{query}}}")
        given += ["body=dict(body)"] * bool(o.body)
        given += ["idempotency_key=idempotency_key, is_idempotent=True"] * o.is_idempotent
        given += ["if_match=if_match"] * o.takes_match
        waits = "await " if is_async else ""
        if o.item:
            result = f"{'Async' if is_async else ''}Pages[{o.item}]"
            call = [f"return self._list({o.item}, {', '.join(given)})"]
        elif o.result:
            result = o.result
            call = [f'return {waits}self._call({o.result}, "{o.method}", {", ".join(given)})']
        else:
            result = "Running | None" if o.may_run else "None"
            call = [f'{"return " if o.may_run else ""}{waits}self._run("{o.method}", {", ".join(given)})']
        keyword = "async def" if is_async and not o.item else "def"
        description = [o.value["summary"] + ".", *o.value.get("description", "").splitlines()]
        lines = [line for text in description for line in (textwrap.wrap(text, 92) or [""])]
        if len(lines) > 1:
            lines.insert(1, "")
        return [
            f"    {keyword} {snake(o.id)}({', '.join(arguments)}) -> {result}:",
            f'        """{lines[0]}',
            *[f"        {line}".rstrip() for line in lines[1:]],
            '        """',
            *[f"        {line}" for line in call],
        ]

    def write_codes(self, every: list[str]) -> None:
        names = {code: "".join(part.capitalize() for part in code.split("-")) for code in every}
        text = [
            '"""An exception per problem. Generated from the documents in openapi by scripts/clients --generate."""',
            "",
            "from ._problem import ProblemError",
        ]
        for code, name in names.items():
            text += ["", "", f"class {name}(ProblemError):", f'    """The problem `{code}`."""']
        text += ["", "", "BY_CODE: dict[str, type[ProblemError]] = {"]
        text += [f'    "{code}": {name},' for code, name in names.items()] + ["}"]
        (self.directory / "problems.py").write_text("\n".join(text) + "\n", encoding="utf-8")


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
    languages = [language(pathlib.Path(directory) / "clients") for language in (TypeScript, Python)]
    every: dict[str, None] = {}
    documents = {}
    for name in DOCUMENTS:
        path = OPENAPI / f"{name}.json"
        if not path.exists():
            continue
        document = json.loads(path.read_text(encoding="utf-8"))
        documents[name] = document
        every |= dict.fromkeys(codes(document))
        for language in languages:
            language.write(name, document)
    for language in languages:
        language.write_codes(list(every))
    write_llms(pathlib.Path(directory) / "llms.txt", documents)


main(*sys.argv[1:])
