"""Writes the classes, types and problems of the Python package."""

import copy
import json
import pathlib
import re
import subprocess
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from generate import Operation

TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
# Formats of texts for which programs have values.
FORMATS = {"date-time": "datetime", "date": "date"}
# The documents of each class, and its module.
CLASSES = {"Terse": ("_terse", ("openapi", "manage")), "TerseOperator": ("_terse_operator", ("operator",))}
NOTICE = "Generated from openapi/{}.json by scripts/clients --generate."
TYPING = """if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired"""


class Python:
    """Writes two classes per server and the types of a document."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.package = directory / "python/terse_client"
        self.readme = directory / "python/README.md"

    def write(self, documents: dict[str, dict[str, Any]], every: dict[str, list["Operation"]]) -> None:
        for name, document in documents.items():
            self.types(name, document)
        for class_name, (module, names) in CLASSES.items():
            found = [operation for name in names for operation in every[name]]
            self.classes(class_name, module, {name: documents[name] for name in names}, found)
        subprocess.run(["ruff", "format", "--quiet", "--isolated", "--line-length", "120", self.package], check=True)
        self.table({name: [o for d in names for o in every[d]] for name, (_, names) in CLASSES.items()})

    def types(self, name: str, document: dict[str, Any]) -> None:
        """Writes the types of a document's schemas."""
        document = copy.deepcopy(document)
        schemas = document["components"]["schemas"]
        requests, responses = set[str](), set[str]()
        for path in document["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):
                    collect(operation.get("requestBody"), schemas, requests)
                    collect(operation.get("responses"), schemas, responses)
        collect(document["components"].get("responses"), schemas, responses)
        if name == "manage":
            split_batch_item(schemas, document["paths"])
            schemas["WebhookEvent"] = webhook_event(document)
        for schema, value in schemas.items():
            adapt(value, schema in requests - responses)
        source = self.package / f"types/{name}.json"
        source.parent.mkdir(exist_ok=True)
        source.write_text(json.dumps(document), encoding="utf-8")
        path = source.with_name(f"{module_of(name)}.py")
        subprocess.run(
            ["datamodel-codegen", "--input", source, "--input-file-type", "openapi", "--output", path,
             "--output-model-type", "typing.TypedDict", "--target-python-version", "3.10", "--use-schema-description",
             "--use-field-description", "--use-single-line-docstring", "--no-use-closed-typed-dict",
             "--enum-field-as-literal", "all", "--use-union-operator", "--use-standard-collections",
             "--strict-nullable", "--formatters", "builtin", "--disable-timestamp",
             "--custom-file-header", f'"""The types of {document["info"]["title"]}. {NOTICE.format(name)}"""'],
            check=True,
        )
        source.unlink()
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"""(['"])@(\w+)\1""", r"@\2", text)
        text = re.sub(r"Literal\[@(\w+)\]", r"str | \1", text)
        # Only type checkers need the package.
        text = re.sub(r"from typing_extensions import NotRequired(, TypedDict)?", TYPING, text)
        text = text.replace("from typing import ", "import sys\nfrom datetime import date, datetime\nfrom typing import TYPE_CHECKING, ", 1)
        path.write_text(text, encoding="utf-8")
        subprocess.run(["ruff", "check", "--quiet", "--isolated", "--select", "F401,I", "--fix", path], check=True)

    def classes(self, class_name: str, module: str, documents: dict[str, Any], every: list["Operation"]) -> None:
        """Writes the table of the operations, the types of their arguments, and the two classes."""
        title = " and of ".join(document["info"]["title"] for document in documents.values())
        text = [
            f'"""The operations of {title}. {NOTICE.format("*")}"""',
            "# mypy: disable-error-code=no-any-return",
            "from __future__ import annotations",
            "from functools import cached_property",
            "from typing import TYPE_CHECKING, ClassVar, Literal",
            "from . import _client as _c, _many",
            "if TYPE_CHECKING:",
            "    from collections.abc import AsyncIterable, Iterable, Sequence",
            "    from datetime import date, datetime",
            "    from typing_extensions import Required, Unpack",
            f"    from .types import {', '.join(map(module_of, documents))}",
        ]
        for operation in every:
            text += [f"    {line}" for line in self.arguments(operation)]
        text += [f"_{constant(o)} = {self.entry(o)}" for o in every]
        resources: dict[str, list[Operation]] = {}
        for operation in every:
            resource, _, _ = operation.name.rpartition(".")
            resources.setdefault(resource, []).append(operation)
        own = resources.pop("", [])
        for prefix in ("", "Async"):
            for resource, operations in resources.items():
                words = re.sub(r"(?=[A-Z])", " ", resource).lower()
                text += [f"class {prefix}{pascal(resource)}(_c.{prefix}Resource):", f'    """The operations of {words}."""']
                for operation in operations:
                    text += self.method(operation, prefix, "self._client.")
            version = next(reversed(documents.values()))["info"]["version"]
            text += [
                f"class {prefix}{class_name}(_c.{prefix}Client):",
                f'    """The operations of {title}."""',
                f'    _document: ClassVar[str] = "{version}"',
            ]
            for resource in resources:
                text += [
                    "    @cached_property",
                    f"    def {snake(resource)}(self) -> {prefix}{pascal(resource)}:",
                    f"        return {prefix}{pascal(resource)}(self)",
                ]
            for operation in own:
                text += self.method(operation, prefix, "self.")
        path = self.package / f"{module}.py"
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
        subprocess.run(["ruff", "check", "--quiet", "--isolated", "--select", "F401", "--fix", path], check=True)

    @staticmethod
    def arguments(o: "Operation") -> list[str]:
        """Returns the type of the keyword arguments of an operation."""
        bases = [f"{module_of(o.document_name)}.{o.body}"] * bool(o.body)
        bases += ["_c.Idempotent"] * o.is_idempotent + ["_c.Conditional"] * o.takes_match
        bases += ["_c.Options"] * (not o.is_idempotent and not o.takes_match)
        members = []
        for parameter in o.query:
            kind = type_of(parameter["schema"])
            kind = f"Required[{kind}]" if parameter.get("required") else f"{kind} | None"
            members.append(f"    {snake(parameter['name'])}: {kind}")
            members += docstring(parameter.get("description", ""), "    ")
        text = [f"class _{pascal(constant(o))}({', '.join(bases)}, total=False):", *(members or ["    pass"])]
        if o.name == "links.createBatch":
            schema = o.document["components"]["schemas"][o.body]["properties"]
            options = [f"    {name}: {type_of(s)}" for name, s in schema.items() if name != "links"]
            text += ["class _LinksCreateMany(_c.Idempotent, total=False):", *(options or ["    pass"])]
        return text

    @staticmethod
    def entry(o: "Operation") -> str:
        """Returns the row of an operation in the table."""
        given = [f'"{o.method}"', '"{}"'.format(re.sub(r"\{\w+\}", "{}", o.path)), str(o.is_repeatable)]
        given += ["takes_key=True"] * o.is_idempotent + ["has_body=True"] * bool(o.body)
        given += [f"max_limit={o.max_limit}"] * bool(o.max_limit)
        missing = o.resolve(o.value["responses"].get("404", {})) if o.method == "DELETE" else {}
        for content in missing.get("content", {}).values():
            given.append(f'missing="{next(iter(content["examples"]))}"')
        return f"_c.Operation({', '.join(given)})"

    @staticmethod
    def method(o: "Operation", prefix: str, client: str) -> list[str]:
        """Returns a method of an operation."""
        arguments = ["self", *[f"{snake(p['name'])}: {TYPES[p['schema']['type']]}" for p in o.in_path]]
        arguments += ["/"] * bool(o.in_path)
        arguments.append(f"**fields: Unpack[_{pascal(constant(o))}]")
        types = module_of(o.document_name)
        if o.item:
            result = f"_c.{prefix}Pages[{types}.{o.item}]"
        elif o.result:
            result = f"{types}.{o.result}"
        else:
            result = "_c.Running | None" if o.may_run else "None"
        values = "".join(f"{snake(p['name'])}, " for p in o.in_path)
        call = f"{client}_{'list' if o.item else 'call'}(_{constant(o)}, ({values}), fields)"
        is_async = bool(prefix) and not o.item
        lines = [
            f"    {'async ' * is_async}def {snake(o.name.rpartition('.')[2])}({', '.join(arguments)}) -> {result}:",
            *docstring(f"{o.value['summary']}.\n{o.value.get('description', '')}", "        "),
            f"        return {'await ' * is_async}{call}",
        ]
        if o.name == "links.createBatch":
            source = f"Iterable[{types}.LinkCreate]" + f" | AsyncIterable[{types}.LinkCreate]" * is_async
            lines += [
                f"    {'async ' * is_async}def create_many(self, links: {source}, **fields: Unpack[_LinksCreateMany]",
                "    ) -> _many.CreatedLinks:",
                *docstring(
                    "Create any number of links, a thousand per request.\n"
                    "What fails with 429 or 503 is repeated for `retry_for` seconds. The result has the outcome of each"
                    " link. With an `idempotency_key`, a repeat of the call within 24 hours creates what is missing.",
                    "        ",
                ),
                f"        return {'await ' * is_async}{client}_run(_many.create_many({client[:-1]}, _{constant(o)}, links, fields))",
            ]
        return lines

    def table(self, classes: dict[str, list["Operation"]]) -> None:
        """Writes the table of all methods in the README."""
        rows = ["| method | request | |", "| --- | --- | --- |"]
        for class_name, operations in classes.items():
            client = "terse" if class_name == "Terse" else "operator"
            for o in operations:
                arguments = ", ".join([*(snake(p["name"]) for p in o.in_path), "…"])
                name = ".".join(map(snake, o.name.split(".")))
                rows.append(f"| `{client}.{name}({arguments})` | `{o.method} {o.path}` | {o.value['summary']} |")
                if o.name == "links.createBatch":
                    rows.append(f"| `{client}.links.create_many(links, …)` | as often as it takes | Create any number of links |")
        text = self.readme.read_text(encoding="utf-8")
        before, _, rest = text.partition("<!-- methods -->\n")
        _, _, after = rest.partition("<!-- end -->")
        lines = [f"{before}<!-- methods -->", *rows, f"<!-- end -->{after}"]
        self.readme.write_text("\n".join(lines), encoding="utf-8")

    def write_codes(self, every: list[str]) -> None:
        names = {code: "".join(part.capitalize() for part in code.split("-")) for code in every}
        text = [f'"""An exception per problem. {NOTICE.format("*")}"""', "", "from ._errors import TerseProblem"]
        for code, name in names.items():
            text += ["", "", f"class {name}(TerseProblem):", f'    """The problem `{code}`."""']
        text += ["", "", "BY_CODE: dict[str, type[TerseProblem]] = {"]
        text += [f'    "{code}": {name},' for code, name in names.items()] + ["}"]
        (self.package / "problems.py").write_text("\n".join(text) + "\n", encoding="utf-8")


def module_of(name: str) -> str:
    return "api" if name == "openapi" else name


def collect(value: object, schemas: dict[str, Any], into: set[str]) -> None:
    """Adds the schemas that a value refers to."""
    for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(value)):
        if name not in into:
            into.add(name)
            collect(schemas[name], schemas, into)


def split_batch_item(schemas: dict[str, Any], paths: dict[str, Any]) -> None:
    """Makes the item of a batch two schemas, so that its status tells whether it has a link or a problem."""
    item = schemas["LinkBatchItem"]
    failures = [int(status) for status in paths["/api/manage/v1/links"]["post"]["responses"] if status >= "4"]
    cases = [("BatchCreation", "link", [201]), ("BatchFailure", "problem", sorted(failures))]
    if item["properties"]["status"]["minimum"] <= 200:
        cases.append(("BatchUpdate", "link", [200]))
    for name, member, statuses in cases:
        status = {**item["properties"]["status"], "enum": statuses}
        properties = {"status": status, member: item["properties"][member]}
        schemas[name] = {**item, "title": name, "required": list(properties), "properties": properties}
    schemas["LinkBatchItem"] = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name, _, _ in cases]}


def webhook_event(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of what webhooks send."""
    events = [event["post"]["requestBody"]["content"]["application/json"] for event in document.get("x-webhooks", {}).values()]
    if events:
        return {"oneOf": [event["schema"] for event in events]}
    text = {"type": "string"}
    return {
        "type": "object",
        "description": "What a webhook sends.",
        "required": ["type", "timestamp", "data"],
        "properties": {"type": text, "timestamp": text, "data": {"type": "object"}},
    }


def adapt(schema: Any, is_request: bool) -> None:
    """Makes a schema one from which datamodel-codegen writes the types of the package.

    Extensible enumerations are checked as closed ones, and requests accept values of `datetime`.
    """
    if isinstance(schema, list):
        for value in schema:
            adapt(value, is_request)
    if not isinstance(schema, dict):
        return
    if isinstance(values := schema.get("x-extensible-enum"), list):
        schema["enum"] = values + [None] * bool(schema.get("nullable"))
    if is_request and schema.get("format") in FORMATS and schema.get("type") == "string":
        schema["enum"] = [f"@{FORMATS[schema.pop('format')]}"] + [None] * bool(schema.get("nullable"))
        for limit in ("minLength", "maxLength", "pattern"):
            schema.pop(limit, None)
    for value in schema.values():
        adapt(value, is_request)


def type_of(schema: dict[str, Any]) -> str:
    """Returns the type of a parameter."""
    if schema["type"] == "array":
        return f"Sequence[{type_of(schema['items'])}]"
    values = schema.get("enum") or schema.get("x-extensible-enum") or []
    if values:
        return f"Literal[{', '.join(json.dumps(value) for value in values if value is not None)}]"
    value = FORMATS.get(schema.get("format", ""))
    return TYPES[schema["type"]] + (f" | {value}" if value else "")


def snake(name: str) -> str:
    """Returns a name in the spelling of Python."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return f"{name}_" if name in ("from", "import", "is", "not") else name


def pascal(name: str) -> str:
    return re.sub(r"(?:^|_)(\w)", lambda match: match[1].upper(), snake(name))


def constant(operation: "Operation") -> str:
    """Returns the name of an operation in the table."""
    return "_".join(map(snake, operation.name.split("."))).upper()


def docstring(text: str, indent: str) -> list[str]:
    """Returns the lines of a docstring: a sentence, an empty line, and the rest."""
    first, _, rest = text.strip().partition("\n")
    lines = [first, *[""] * bool(rest.strip()), *rest.strip().splitlines()]
    lines = [part for line in lines for part in (textwrap.wrap(line, 106) or [""])]
    lines = [line.replace("\\", "\\\\") for line in lines]
    if len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""'] if lines[0] else []
    return [f'{indent}"""{lines[0]}', *[f"{indent}{line}".rstrip() for line in lines[1:]], f'{indent}"""']
