"""Creates any number of links."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._client import _FIRST_WAIT, _MAX_WAIT, Base, Operation, Steps, _plain
from ._errors import TerseError, problem_of

if TYPE_CHECKING:
    from .types.manage import Link, LinkCreate

#: What the server accepts at most in a request.
_MAX_LINKS = 1000
_MAX_BYTES = 4_000_000


@dataclass(frozen=True)
class LinkResult:
    """The outcome of a link: it exists, or it has an error."""

    #: The position of the link among the given ones.
    index: int
    #: What was to be created.
    request: LinkCreate
    link: Link | None
    error: TerseError | None


@dataclass(frozen=True)
class CreatedLinks:
    """The outcome of each given link, in their order."""

    results: list[LinkResult]
    #: With this key, the same call creates what is missing, and nothing twice, within 24 hours.
    idempotency_key: str

    @property
    def links(self) -> list[Link]:
        """The links that exist now."""
        return [result.link for result in self.results if result.link]

    @property
    def failed(self) -> list[LinkResult]:
        """The results with an error."""
        return [result for result in self.results if result.error]


def create_many(
    client: Base, operation: Operation, links: Iterable[LinkCreate], fields: Mapping[str, Any]
) -> Steps[CreatedLinks]:
    """Sends links in batches, and each batch again while some of it fails for the moment.

    A batch that fails as a whole, after others were created, ends the call: the rest has its error.
    """
    key = fields.get("idempotency_key") or str(uuid.uuid4())
    _, retry_for = client._times(fields)
    results: list[LinkResult] = []
    failure: TerseError | None = None
    for number, batch in enumerate(_batches(links)):
        if not failure:
            # A repeat of a batch under its key returns what exists, and tries the others again.
            given = {**fields, "links": batch, "idempotency_key": f"{key}-{number}"}
            deadline = time.monotonic() + retry_for
            wait = _FIRST_WAIT
            try:
                while True:
                    items = (yield from client._steps(operation, (), given))["data"]
                    is_temporary = any(item["status"] in (429, 503) for item in items)
                    if not is_temporary or time.monotonic() + wait > deadline:
                        break
                    yield wait * random.uniform(0.5, 1)
                    wait = min(_MAX_WAIT, wait * 2)
            except TerseError as error:
                error.idempotency_key = key
                if not results:
                    raise
                failure = error
        for index, request in enumerate(batch):
            item = {} if failure else items[index]
            reason = problem_of(item["problem"]) if "problem" in item else failure
            results.append(LinkResult(len(results), request, item.get("link"), reason))
    return CreatedLinks(results, key)


def _batches(links: Iterable[LinkCreate]) -> Iterator[list[LinkCreate]]:
    """Cuts links into batches that the server accepts."""
    batch: list[LinkCreate] = []
    size = 0
    for link in links:
        length = len(json.dumps(link, default=_plain, ensure_ascii=False).encode()) + 2
        if batch and (len(batch) == _MAX_LINKS or size + length > _MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(link)
        size += length
    if batch:
        yield batch
