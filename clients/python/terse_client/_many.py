"""Creates any number of links."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._client import Base, Operation, Steps, _checked, _json, _wait
from ._errors import TerseError, not_terse, problem_of

if TYPE_CHECKING:
    import httpx

    from .types.manage import Link, LinkCreate

    Outcome = tuple[Link | None, TerseError | None]

#: What the server accepts at most in a request.
_MAX_LINKS = 1000
_MAX_BYTES = 4_000_000
#: The server takes 255 characters; the number of the batch follows.
_MAX_KEY = 250


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


class TerseBatchError(TerseError):
    """The program itself failed, such as the iterable of the links, after some of them were sent.

    `__cause__` is what failed. The same call with `idempotency_key` creates what is missing, and nothing twice.
    """

    def __init__(self, message: str, results: list[LinkResult] | None = None) -> None:
        super().__init__(message)
        #: The outcome of each link whose batch was sent, in their order.
        self.results: list[LinkResult] = results or []


def create_many(
    client: Base,
    operation: Operation,
    links: Iterable[LinkCreate] | AsyncIterable[LinkCreate],
    fields: Mapping[str, Any],
) -> Steps[CreatedLinks]:
    """Sends links in batches, and each batch again while some of it fails for the moment.

    A batch that fails as a whole, after others were created, ends the call: the rest has its error.
    """
    key = fields.get("idempotency_key")
    key = _checked("idempotency_key", str(uuid.uuid4()) if key is None else key)
    if len(key) > _MAX_KEY:
        raise ValueError(f"idempotency_key must have at most {_MAX_KEY} characters, as each batch adds its number")
    results: list[LinkResult] = []
    failure: TerseError | None = None
    number = 0
    reader = _Reader(links)
    try:
        while batch := (yield from reader.batch()):
            if not failure:
                given = {**fields, "links": batch, "idempotency_key": f"{key}-{number}"}
                try:
                    outcomes = yield from _send(client, operation, given)
                except TerseError as error:
                    error.idempotency_key = key
                    if not results:
                        raise
                    failure = error
            if failure:
                outcomes = [(None, failure)] * len(batch)
            number += 1
            for request, (link, reason) in zip(batch, outcomes):
                results.append(LinkResult(len(results), request, link, reason))
    except Exception as error:
        if not results:
            raise
        batch_error = TerseBatchError(f"create_many ended after {len(results)} links: {error!r}", results)
        batch_error.idempotency_key = key
        raise batch_error from error
    return CreatedLinks(results, key)


def _send(client: Base, operation: Operation, given: Mapping[str, Any]) -> Steps[list[Outcome]]:
    """Returns the outcome of each link of a batch.

    A repeat of a batch under its key returns what exists, and tries the others again.
    """
    _, retry_for = client._times(given)
    deadline = time.monotonic() + retry_for
    number = 0
    known: list[Outcome] = []
    while True:
        try:
            body = yield from client._steps(operation, (), given)
            items = body.get("data")
            if not isinstance(items, list) or len(items) != len(given["links"]) or not all(map(_is_outcome, items)):
                raise not_terse(body.response, "an object without the outcome of each link")
        except TerseError:
            # What an earlier attempt created exists.
            if known:
                return known
            raise
        known = [_outcome(item, body.response) for item in items]
        number += 1
        wait = _wait(number)
        is_temporary = any(item["status"] in (429, 503) for item in items)
        if not is_temporary or time.monotonic() + wait > deadline:
            return known
        yield wait
        given = {**given, "retry_for": max(0.0, deadline - time.monotonic())}


def _is_outcome(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("status"), int):
        return False
    return isinstance(item.get("problem" if item["status"] >= 400 else "link"), dict)


def _outcome(item: dict[str, Any], response: httpx.Response) -> Outcome:
    if item["status"] >= 400:
        return None, problem_of(item["problem"], response, item["status"])
    return item["link"], None


class _Reader:
    """Reads links, and cuts them into batches that the server accepts."""

    def __init__(self, links: Iterable[LinkCreate] | AsyncIterable[LinkCreate]) -> None:
        self._links = aiter(links) if isinstance(links, AsyncIterable) else iter(links)
        # The link that the last batch had no room for.
        self._left: list[LinkCreate] = []

    def batch(self) -> Steps[list[LinkCreate]]:
        """Returns the next batch; it is empty after the last one."""
        batch, self._left = self._left, []
        size = sum(map(_size, batch))
        while len(batch) < _MAX_LINKS:
            try:
                link = (yield anext(self._links)) if isinstance(self._links, AsyncIterator) else next(self._links)
            except (StopIteration, StopAsyncIteration):
                break
            size += _size(link)
            if batch and size > _MAX_BYTES:
                self._left = [link]
                break
            batch.append(link)
        return batch


def _size(link: LinkCreate) -> int:
    return len(_json(link)) + 2
