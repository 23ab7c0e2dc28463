"""Checks whether a document breaks clients of an earlier one.

usage: compatibility.py OLD NEW. Prints the breaking differences and exits with 1, or prints that there
are none.

A difference breaks unless its kind is known to be harmless, so that a developer decides on each new
kind. Limits may widen for requests and tighten for responses, but not the other way round. Names that
generated clients contain must stay.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# Documentation, on which no client depends. `deprecated` only announces.
FOR_PEOPLE = {"description", "summary", "example", "examples", "externalDocs", "deprecated", "title"}

REQUEST, RESPONSE = "request", "response"
UPPER = ("maximum", "maxLength", "maxItems", "maxProperties")
LOWER = ("minimum", "minLength", "minItems", "minProperties")
COMPOSED = ("allOf", "anyOf", "oneOf")


class Comparison:
    """Two documents; each method yields the breaking differences between their parts."""

    def __init__(self, old: Json, new: Json) -> None:
        self.old, self.new = old, new
        self.seen: set[tuple[str, str]] = set()

    def breaks(self) -> Iterator[str]:
        old, new = self.old, self.new
        # Generators name packages after the title, and read versions of OpenAPI differently.
        for place, one, other in (
            ("openapi", old["openapi"], new["openapi"]),
            ("info.title", old["info"]["title"], new["info"]["title"]),
        ):
            if one != other:
                yield f"{place}: was {one}, is {other}"
        yield from self.same_besides(
            "", old, new, {"openapi", "info", "servers", "tags", "paths", "components"}
        )
        for name, scheme in old["components"]["securitySchemes"].items():
            other = new["components"]["securitySchemes"].get(name)
            if other is None:
                yield f"security scheme {name}: is gone"
            else:
                yield from self.same_besides(f"security scheme {name}", scheme, other, set())
        for path, item in old["paths"].items():
            for method, operation in item.items():
                place = f"{method.upper()} {path}"
                other = new["paths"].get(path, {}).get(method)
                if other is None:
                    yield f"{place}: is gone"
                else:
                    yield from self.operation(place, operation, other)

    def same_besides(self, place: str, old: Json, new: Json, handled: set[str]) -> Iterator[str]:
        """Yields the differences of all members except those that are `handled` elsewhere."""
        for key in sorted((old.keys() | new.keys()) - handled - FOR_PEOPLE):
            # Generators ignore a new extension (OpenAPI 3.0, section 4.9).
            is_new_extension = key.startswith("x-") and key not in old
            if old.get(key) != new.get(key) and not is_new_extension:
                yield f"{place}: {key} was {old.get(key)!r}, is {new.get(key)!r}"

    def operation(self, place: str, old: Json, new: Json) -> Iterator[str]:
        handled = {"parameters", "requestBody", "responses", "security"}
        yield from self.same_besides(place, old, new, handled)
        for way in old.get("security", []):
            if way not in new.get("security", []):
                yield f"{place}: {' with '.join(way)} no longer suffices"
        yield from self.parameters(place, old, new)
        yield from self.request_body(place, old.get("requestBody"), new.get("requestBody"))
        for status, response in old["responses"].items():
            if status not in new["responses"]:
                yield f"{place}: no longer returns {status}"
            else:
                yield from self.response(f"{place} {status}", response, new["responses"][status])
        for status in new["responses"].keys() - old["responses"].keys():
            if not status.startswith(("4", "5")):
                yield f"{place}: may return {status}"

    def parameters(self, place: str, old: Json, new: Json) -> Iterator[str]:
        def named(document: Json, operation: Json) -> dict[tuple[str, str], Json]:
            parameters = [resolve(document, p) for p in operation.get("parameters", [])]
            return {(p["in"], p["name"]): p for p in parameters}

        before, after = named(self.old, old), named(self.new, new)
        for key, parameter in before.items():
            here = f"{place} {key[0]} parameter {key[1]}"
            other = after.get(key)
            if other is None:
                yield f"{here}: is gone"
                continue
            if other.get("required") and not parameter.get("required"):
                yield f"{here}: is required"
            yield from self.same_besides(here, parameter, other, {"required", "schema"})
            yield from self.schema(here, parameter["schema"], other["schema"], REQUEST)
        for key in after.keys() - before.keys():
            if after[key].get("required"):
                yield f"{place} {key[0]} parameter {key[1]}: is new and required"

    def request_body(self, place: str, old: Json | None, new: Json | None) -> Iterator[str]:
        if old is None and new is None:
            return
        if old is None or new is None:
            if old or (new and new.get("required")):
                yield f"{place}: the body was {'there' if old else 'not there'}"
            return
        if new.get("required") and not old.get("required"):
            yield f"{place}: the body is required"
        for media_type, media in old["content"].items():
            if media_type not in new["content"]:
                yield f"{place}: no longer accepts {media_type}"
            else:
                other = new["content"][media_type]
                yield from self.schema(place, media["schema"], other["schema"], REQUEST)

    def response(self, place: str, old: Json, new: Json) -> Iterator[str]:
        old, new = resolve(self.old, old), resolve(self.new, new)
        yield from self.same_besides(place, old, new, {"headers", "content", "links"})
        for name, link in old.get("links", {}).items():
            other = new.get("links", {}).get(name)
            if other is None:
                yield f"{place} link {name}: is gone"
            else:
                yield from self.same_besides(f"{place} link {name}", link, other, set())
        for name, header in old.get("headers", {}).items():
            here = f"{place} header {name}"
            other = new.get("headers", {}).get(name)
            if other is None:
                yield f"{here}: is gone"
                continue
            header, other = resolve(self.old, header), resolve(self.new, other)
            if header.get("required") and not other.get("required"):
                yield f"{here}: may be missing"
            yield from self.schema(here, header["schema"], other["schema"], RESPONSE)
        before, after = old.get("content", {}), new.get("content", {})
        if before.keys() != after.keys():
            yield f"{place}: was {', '.join(before)}, is {', '.join(after)}"
            return
        for media_type, media in before.items():
            yield from self.schema(place, media["schema"], after[media_type]["schema"], RESPONSE)
            # The names of the examples identify problems.
            for code in media.get("examples", {}).keys() - after[media_type].get("examples", {}).keys():
                yield f"{place}: the code {code} is gone"

    def schema(self, place: str, old: Json, new: Json, way: str) -> Iterator[str]:
        one, other = old.get("$ref"), new.get("$ref")
        if one != other:
            yield f"{place}: the type was {one or 'nameless'}, is {other or 'nameless'}"
        if one:
            if (one, way) in self.seen:
                return
            self.seen.add((one, way))
            place = f"{one.rsplit('/', 1)[-1]} in a {way}"
        old, new = resolve(self.old, old), resolve(self.new, new)

        yield from limits(place, old, new, way)
        yield from self.properties(place, old, new, way)
        if "items" in old and "items" in new:
            yield from self.schema(f"{place}, items", old["items"], new["items"], way)
        elif "items" in old or "items" in new:
            yield f"{place}: items are described in one of the two"
        for key in COMPOSED:
            parts = list(zip(old.get(key, []), new.get(key, [])))
            if len(old.get(key, [])) != len(new.get(key, [])):
                yield f"{place}: {key} has other parts"
            for index, (part, counterpart) in enumerate(parts):
                yield from self.schema(f"{place}, {key} {index}", part, counterpart, way)
        # Clients know that an extensible enum may grow, so only a missing value breaks them.
        for value in old.get("x-extensible-enum", []):
            if value not in new.get("x-extensible-enum", [value]):
                yield f"{place}: x-extensible-enum lacks {value}"
        handled = {"pattern", "enum", "x-extensible-enum", "nullable", "properties", "required", "items"}
        yield from self.same_besides(place, old, new, handled | {*UPPER, *LOWER, *COMPOSED})

    def properties(self, place: str, old: Json, new: Json, way: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, schema in before.items():
            if name not in after:
                yield f"{place}: {name} is gone"
            else:
                yield from self.schema(f"{place}: {name}", schema, after[name], way)
        was, now = set(old.get("required", [])), set(new.get("required", []))
        if way == REQUEST:
            yield from (f"{place}: {name} is required" for name in sorted(now - was))
        else:
            yield from (f"{place}: {name} may be missing" for name in sorted(was - now))


def limits(place: str, old: Json, new: Json, way: str) -> Iterator[str]:
    """Yields the limits that reject old requests or allow responses that were invalid before."""
    wide, narrow = (new, old) if way == REQUEST else (old, new)
    for key in UPPER:
        if key in wide and (key not in narrow or narrow[key] > wide[key]):
            yield f"{place}: {key} was {old.get(key)}, is {new.get(key)}"
    for key in LOWER:
        if key in wide and (key not in narrow or narrow[key] < wide[key]):
            yield f"{place}: {key} was {old.get(key)}, is {new.get(key)}"
    if "enum" in wide and not set(narrow.get("enum", [object()])) <= set(wide["enum"]):
        yield f"{place}: enum was {old.get('enum')}, is {new.get('enum')}"
    # A program cannot tell whether one pattern includes another.
    if "pattern" in wide and narrow.get("pattern") != wide["pattern"]:
        yield f"{place}: pattern was {old.get('pattern')}, is {new.get('pattern')}"
    if narrow.get("nullable") and not wide.get("nullable"):
        yield f"{place}: nullable was {old.get('nullable', False)}, is {new.get('nullable', False)}"


def resolve(document: Json, schema: Json) -> Json:
    if "$ref" not in schema:
        return schema
    value: Any = document
    for segment in schema["$ref"].removeprefix("#/").split("/"):
        value = value[segment]
    return value


def breaks(old: Json, new: Json) -> list[str]:
    """Returns the breaking differences in the order of the old document."""
    return list(Comparison(old, new).breaks())


if __name__ == "__main__":
    documents = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3]]
    found = breaks(*documents)
    if found:
        sys.exit(f"{sys.argv[2]} breaks clients of {sys.argv[1]}:\n  " + "\n  ".join(found))
    print(f"{sys.argv[2]} breaks no client of {sys.argv[1]}")
