"""Writes the classes and types of the TypeScript package."""

import copy
import json
import pathlib
import re
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from generate import Operation

NOTICE = "Generated from openapi/{}.json by scripts/clients --generate."
# The types of parameters in paths.
TYPES = {"integer": "number", "string": "string"}


class TypeScript:
    """Writes the classes and the types of a document in TypeScript."""

    # The module, the class with the resources, and the class above it.
    CLASSES = {
        "openapi": ("api", "Api", "Resource"),
        "manage": ("manage", "Terse", "Api"),
        "operator": ("operator", "TerseOperator", "Resource"),
    }
    # Resources with methods that are written by hand.
    PARENTS = {("manage", "links"): "Batches"}

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory / "typescript/src"
        # The operation of each method, for the tests.
        self.operations: dict[str, dict[str, str]] = {}
        self.rows: list[str] = []

    def write(self, name: str, document: dict[str, Any], every: list["Operation"]) -> None:
        module, class_name, parent = self.CLASSES[name]
        self.operations[name] = {o.name: f"{o.method} {o.path}" for o in every}
        client = "TerseOperator" if name == "operator" else "Terse"
        for o in every:
            self.rows.append(f"| `{client}` | {self.row(o)} | {o.value['summary']} |")
            if o.name == "links.createBatch":
                self.rows.append(f"| `{client}` | `links.createMany(links)` | Create any number of links |")
        schemas = self.write_types(name, document, every)
        resources: dict[str, list["Operation"]] = {}
        for operation in every:
            resources.setdefault(operation.name.rpartition(".")[0], []).append(operation)
        own = resources.pop("", [])
        classes = [self.resource(module, resource, of) for resource, of in sorted(resources.items())]
        title = document["info"]["title"]
        main = [f"/** The operations of {title}. */", f"export class {class_name} extends {parent} {{"]
        main += [f"  readonly {resource} = new {class_of(resource)}(this.core);" for resource in sorted(resources)]
        if resources:
            main += ["", "  constructor(options: ClientOptions) {", "    super(new Core(options));", "  }"]
        main += [*self.methods(own), "}"]
        text = "\n\n".join("\n".join(lines) for lines in [*classes, main])

        def imported(names: list[str]) -> str:
            found = [n for n in names if re.search(rf"\b{n.removeprefix('type ')}\b", text)]
            return ", ".join(found)

        core = ["Core", "Resource", "segment", "type CallOptions", "type ChangeOptions", "type ClientOptions"]
        core += ["type CreateOptions", "type Pages", "type Running"]
        head = [f"// {NOTICE.format(name)}"]
        head += ["import { Api } from './api.js';"] * (parent == "Api")
        head += ["import { Batches } from './batches.js';"] * ("extends Batches" in text)
        head += [f"import {{ {imported(core)} }} from './client.js';"]
        head += [f"import type {{ {imported(schemas)} }} from './types/{module}.js';", ""]
        head += [f"export type * from './types/{module}.js';", ""] * (module == "operator")
        (self.directory / f"{module}.ts").write_text("\n".join([*head, text, ""]), encoding="utf-8")

    def write_types(self, name: str, document: dict[str, Any], every: list["Operation"]) -> list[str]:
        """Writes the types of the schemas and queries, and returns their names."""
        document = copy.deepcopy(document)
        schemas = document["components"]["schemas"]
        if "LinkBatchItem" in schemas:
            failures = next(o for o in every if o.name == "links.create").value["responses"]
            schemas["LinkBatchItem"] = batch_item(schemas["LinkBatchItem"], sorted(int(s) for s in failures if s >= "4"))
        for operation in every:
            if operation.query:
                schemas[query_name(operation)] = {
                    "type": "object",
                    "description": f"The query of `{operation.name}`.",
                    "properties": {p["name"]: {"description": p.get("description", ""), **p["schema"]} for p in operation.query},
                    "required": [p["name"] for p in operation.query if p.get("required")],
                }
        if webhooks := document.get("x-webhooks"):
            bodies = [w["post"]["requestBody"]["content"]["application/json"]["schema"] for w in webhooks.values()]
            schemas["WebhookEvent"] = {"description": "What a delivery reports. Servers may add types.", "oneOf": bodies}
        sent = reachable(schemas, [s for o in every for s in (o.body, o.query and query_name(o)) if s])
        for schema_name, schema in schemas.items():
            for part in parts(schema):
                is_time = part.pop("format", None) == "date-time"
                part.pop("example", None)
                if isinstance(part.get("title"), str):
                    del part["title"]
                # In quotation marks until `openapi-typescript` has written it.
                if is_time and schema_name in sent:
                    part["enum"] = ["string | Date"]
                if part.get("type") == "integer" and part.get("maximum") == 1:
                    part["enum"] = [0, 1]
                if values := part.pop("x-extensible-enum", None):
                    part["enum"] = values
        types = self.directory / f"types/{self.CLASSES[name][0]}.ts"
        types.parent.mkdir(exist_ok=True)
        only_schemas = {"openapi": "3.0.3", "info": document["info"], "paths": {}, "components": {"schemas": schemas}}
        subprocess.run(
            ["openapi-typescript", "--output", types, "--root-types", "--root-types-no-schema-prefix",
             "--root-types-keep-casing", "--default-non-nullable", "false"],
            check=True, input=json.dumps(only_schemas), text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        text = types.read_text(encoding="utf-8")
        text = re.sub(r'"(string \| Date|undefined)"', r"\1", text)
        # The types say it, and for times something else.
        text = re.sub(r"/\*\* @enum \{.*\} \*/\n *|\n *\* @enum \{.*\}(?=\n)", "", text)
        text = text[text.index("export interface components") :]
        text = re.sub(r"\nexport (type \$defs|interface operations|type operations).*", "", text)
        types.write_text(f"// {NOTICE.format(name)}\n{text}", encoding="utf-8")
        return sorted(schemas)

    def resource(self, module: str, name: str, every: list["Operation"]) -> list[str]:
        parent = self.PARENTS.get((module, name), "Resource")
        return [f"export class {class_of(name)} extends {parent} {{", *self.methods(every)[1:], "}"]

    @staticmethod
    def row(operation: "Operation") -> str:
        """Returns a method with its arguments, without the options."""
        o = operation
        arguments = [snake_to_camel(p["name"]) for p in o.in_path] + ["body"] * bool(o.body) + ["query"] * bool(o.query)
        return f"`{o.name}({', '.join(arguments)})`"

    def methods(self, every: list["Operation"]) -> list[str]:
        return [line for operation in every for line in ["", *self.operation(operation)]]

    @staticmethod
    def operation(operation: "Operation") -> list[str]:
        o = operation
        description = f"{o.value['summary']}.\n\n{o.value.get('description', '')}".strip()
        text = ["  /**", *[f"   * {line}".rstrip() for line in description.splitlines()], "   */"]
        arguments = [f"{snake_to_camel(p['name'])}: {TYPES[p['schema']['type']]}" for p in o.in_path]
        if o.body:
            is_required = o.value["requestBody"].get("required")
            arguments.append(f"body: {o.body}" + ("" if is_required else " = {}"))
        if o.query:
            is_required = any(parameter.get("required") for parameter in o.query)
            arguments.append(f"query: {query_name(o)}" + ("" if is_required else " = {}"))
        options = ["CreateOptions"] * o.is_idempotent + ["ChangeOptions"] * o.takes_match
        arguments.append(f"options: {' & '.join(options) or 'CallOptions'} = {{}}")
        path = re.sub(r"\{(\w+)\}", lambda match: f"${{segment({snake_to_camel(match[1])})}}", o.path)
        # A function, so that a segment that is refused rejects the promise.
        path = f"() => `{path}`" if o.in_path else f"'{path}'"
        if o.item:
            result = f"Pages<{o.item}>"
            query = f"{{ limit: {o.max_limit}, ...query }}" if o.query else "{}"
            call = f"this.core.list({path}, {query}, options)"
        else:
            result = f"Promise<{o.result or ('Running | undefined' if o.may_run else 'void')}>"
            request = ["query"] * bool(o.query) + ["body"] * bool(o.body)
            request += ["isIdempotent: true"] * o.is_idempotent
            request += ["isRepeatable: true"] * (o.method == "POST" and o.is_repeatable)
            missing = o.resolve(o.value["responses"].get("404", {})) if o.method == "DELETE" else {}
            request += [f"missing: '{next(iter(c['examples']))}'" for c in missing.get("content", {}).values()]
            given = f"{{ {', '.join(request)} }}" if request else "{}"
            call = f"this.core.call('{o.method}', {path}, {given}, options)"
        name = o.name.rpartition(".")[2]
        return [*text, f"  {name}({', '.join(arguments)}): {result} {{", f"    return {call};", "  }"]

    def write_codes(self, every: list[str], version: str) -> None:
        package = json.loads((self.directory.parent / "package.json").read_text(encoding="utf-8"))
        text = [
            "// Generated from the documents in openapi by scripts/clients --generate.",
            "",
            "/** The version of the package. */",
            f"export const packageVersion = '{package['version']}';",
            "",
            "/** The version of the documents from which the package was generated. */",
            f"export const documentVersion = '{version}';",
            "",
            "/** The codes of the problems that the documents name. Servers may add others. */",
            "export const problemCodes = [",
            *[f"  '{code}'," for code in every],
            "] as const;",
            "",
        ]
        (self.directory / "codes.ts").write_text("\n".join(text), encoding="utf-8")
        readme = self.directory.parent / "README.md"
        before, heading, after = readme.read_text(encoding="utf-8").partition("## Methods\n")
        rest = after[after.index("\n## ") :]
        table = ["", "Each also takes the options of a call, last.", "", "| client | method | |", "| --- | --- | --- |", *self.rows, ""]
        readme.write_text(before + heading + "\n".join(table) + rest, encoding="utf-8")
        table = self.directory.parent / "test/operations.json"
        table.write_text(json.dumps(self.operations, indent=2) + "\n", encoding="utf-8")


def class_of(resource: str) -> str:
    return f"{resource[0].upper()}{resource[1:]}Resource"


def query_name(operation: "Operation") -> str:
    return f"{operation.id[0].upper()}{operation.id[1:]}Query"


def snake_to_camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Returns a schema and those in it."""
    if isinstance(schema, dict):
        if not isinstance(schema.get("type"), dict):
            yield schema
        for name, value in schema.items():
            if name != "example":
                yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


def reachable(schemas: dict[str, Any], names: list[str]) -> set[str]:
    """Returns the schemas with these names and those to which they refer."""
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names += [reference(part) for part in parts(schemas[name]) if isinstance(part.get("$ref"), str)]
    return found


def batch_item(schema: dict[str, Any], failures: list[int]) -> dict[str, Any]:
    """Returns the schema as two, so that the status tells whether there is a link or a problem."""
    absent = {"enum": ["undefined"]}
    cases = [("link", "problem", [200, 201]), ("problem", "link", failures)]
    return {
        "description": schema["description"],
        "oneOf": [
            {
                "type": "object",
                "required": ["status", present],
                "properties": {**schema["properties"], "status": {**schema["properties"]["status"], "enum": of}, other: absent},
            }
            for present, other, of in cases
        ],
    }


def reference(schema: dict[str, Any]) -> str:
    return schema["$ref"].rpartition("/")[2]
