"""Sends requests and repeats them if that is safe."""

from __future__ import annotations

import asyncio
import random
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from ._problem import ProblemError

T = TypeVar("T")
Self = TypeVar("Self", bound="Client")
AsyncSelf = TypeVar("AsyncSelf", bound="AsyncClient")

#: A version of something: its `ETag`, or an object as a client returned it.
Tagged = str | Mapping[str, object]

_FIRST_WAIT = 0.25
_MAX_WAIT = 8.0


class _Body(dict[str, Any]):
    """The body of a response, with the response's headers."""

    headers: httpx.Headers


def response_headers_of(value: Mapping[str, object]) -> httpx.Headers | None:
    """Returns the headers of the response from which a client read this object."""
    return value.headers if isinstance(value, _Body) else None


def etag_of(value: Mapping[str, object]) -> str | None:
    """Returns the `ETag` of an object that a client returned, if its response had one."""
    headers = response_headers_of(value)
    return headers.get("ETag") if headers else None


def event_id_of(value: Mapping[str, object]) -> int | None:
    """Returns the event of a change from what a client returned for it, if the change recorded one."""
    headers = response_headers_of(value)
    event_id = (headers.get("Event-Id") if headers else None) or value.get("event_id")
    return int(event_id) if isinstance(event_id, (int, str)) else None


class Running(TypedDict):
    """A change that goes on after the response: `status` of the event says when it is done."""

    event_id: int


def segment(value: str | int) -> str:
    """Returns a value as one segment of a path."""
    return quote(str(value), safe="")


class Page(NamedTuple, Generic[T]):
    """A page of a list."""

    data: list[T]
    #: Where the list continues; `None` on the last page.
    next: str | None


@dataclass(frozen=True)
class Pages(Generic[T]):
    """A list. It is requested page by page, as it is read."""

    #: Returns the first page or, with `next` of another page, the page after it.
    page: Callable[[str | None], Page[T]]

    def pages(self) -> Iterator[Page[T]]:
        """Returns all pages. A page under filters may be empty although others follow."""
        page = self.page(None)
        yield page
        while page.next is not None:
            page = self.page(page.next)
            yield page

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data


@dataclass(frozen=True)
class AsyncPages(Generic[T]):
    """A list. It is requested page by page, as it is read."""

    #: Returns the first page or, with `next` of another page, the page after it.
    page: Callable[[str | None], Awaitable[Page[T]]]

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Returns all pages. A page under filters may be empty although others follow."""
        page = await self.page(None)
        yield page
        while page.next is not None:
            page = await self.page(page.next)
            yield page

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item


class _Call:
    """A request with its attempts, apart from sending it and waiting."""

    def __init__(self, request: httpx.Request, retry_for: float, can_repeat: bool) -> None:
        self.request = request
        self._can_repeat = can_repeat
        self._deadline = time.monotonic() + retry_for
        self._attempts = 0
        # Whether an earlier attempt may have taken effect.
        self._is_unknown = False

    def has_succeeded(self, response: httpx.Response) -> bool:
        is_repeated_deletion = self._is_unknown and self.request.method == "DELETE"
        return response.is_success or (is_repeated_deletion and response.status_code == 404)

    def wait_after(self, failure: ProblemError | httpx.TransportError) -> float:
        """Returns the seconds until the request can be repeated, and raises the failure if it must not be.

        After 429 nothing was changed, so any request can be repeated. After 502, 503, 504 or a lost
        response the request may have taken effect, so only one can be repeated that has the same effect
        twice.
        """
        # Half of the wait is random, so that clients do not come back at the same moment.
        wait: float = min(_MAX_WAIT, _FIRST_WAIT * 2**self._attempts) * random.uniform(0.5, 1)
        self._attempts += 1
        if isinstance(failure, ProblemError):
            is_temporary = failure.status == 429 or (self._can_repeat and failure.status in (502, 503, 504))
            wait = max(wait, failure.retry_after or 0)
        else:
            is_temporary = self._can_repeat
        if not is_temporary or time.monotonic() + wait > self._deadline:
            raise failure
        self._is_unknown |= not (isinstance(failure, ProblemError) and failure.status == 429)
        return wait


class _Base:
    """What both clients share."""

    def __init__(self, base_url: str, key: str, retry_for: float) -> None:
        if not re.match(r"https?://[^/]", base_url):
            raise ValueError("base_url must begin with http:// or https:// and a host")
        self._base_url = base_url.rstrip("/")
        # A key that a program reads from a file may end with a line break.
        credentials = f"Bearer {_checked('key', key.strip())}"
        self._headers = {"Accept": "application/json", "Authorization": credentials}
        self._retry_for = retry_for

    def _prepare(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        is_idempotent: bool = False,
        if_match: Tagged | None = None,
    ) -> _Call:
        headers = dict(self._headers)
        if is_idempotent:
            headers["Idempotency-Key"] = _checked("idempotency_key", idempotency_key or str(uuid.uuid4()))
        if if_match is not None:
            headers["If-Match"] = _checked("if_match", _tag_of(if_match))
        params = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path
        request = httpx.Request(method, url, params=params or None, json=body, headers=headers)
        return _Call(request, self._retry_for, method != "POST" or is_idempotent)


def _checked(name: str, value: str) -> str:
    """Returns the value of a header.

    httpx reports an invalid one as a failure of the connection, which the client would repeat, and
    its message contains the key.
    """
    if not re.fullmatch(r"[!-~]+(?: +[!-~]+)*", value):
        raise ValueError(f"{name} must be visible ASCII characters")
    return value


def _tag_of(version: Tagged) -> str:
    tag = version if isinstance(version, str) else etag_of(version)
    if not tag:
        raise TypeError("if_match is neither an ETag nor an object from a response with one")
    return tag


def _body_of(response: httpx.Response) -> Any:
    body = _Body(response.json())
    body.headers = response.headers
    return body


def _running(response: httpx.Response) -> Running | None:
    return Running(event_id=int(response.headers["Event-Id"])) if response.status_code == 202 else None


def _page_of(response: httpx.Response) -> Page[Any]:
    body = response.json()
    if "next_cursor" in body:
        return Page(body["data"], body["next_cursor"])
    # The lists of `/api/v1` have only the header. Only the cursor of its URL is used, so that the key goes to
    # no other address.
    url = response.links.get("next", {}).get("url")
    cursor = httpx.QueryParams(urlsplit(url).query).get("cursor") if url else None
    return Page(body["data"], cursor)


class Client(_Base):
    """Sends requests and waits for their responses."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        retry_for: float = 60,
        timeout: float = 60,
        http: httpx.Client | None = None,
    ) -> None:
        """Creates a client for a server, with an API key.

        The client repeats a request that failed for the moment for `retry_for` seconds; 0 never repeats.
        `http` sends the requests, and has a `timeout` of its own.
        """
        super().__init__(base_url, key, retry_for)
        self._http = http or httpx.Client(timeout=timeout)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _send(self, call: _Call) -> httpx.Response:
        while True:
            try:
                response = self._http.send(call.request)
            except httpx.TransportError as error:
                time.sleep(call.wait_after(error))
                continue
            if call.has_succeeded(response):
                return response
            time.sleep(call.wait_after(ProblemError.of(response)))

    def _run(self, method: str, path: str, **options: Any) -> Running | None:
        return _running(self._send(self._prepare(method, path, **options)))

    def _call(self, kind: type[T], method: str, path: str, **options: Any) -> T:
        body: T = _body_of(self._send(self._prepare(method, path, **options)))
        return body

    def _list(self, kind: type[T], path: str, query: Mapping[str, Any]) -> Pages[T]:
        def page(cursor: str | None = None) -> Page[T]:
            return _page_of(self._send(self._prepare("GET", path, query={**query, "cursor": cursor})))

        return Pages(page)


class AsyncClient(_Base):
    """Sends requests without blocking."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        retry_for: float = 60,
        timeout: float = 60,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Creates a client for a server, with an API key.

        The client repeats a request that failed for the moment for `retry_for` seconds; 0 never repeats.
        `http` sends the requests, and has a `timeout` of its own.
        """
        super().__init__(base_url, key, retry_for)
        self._http = http or httpx.AsyncClient(timeout=timeout)

    async def __aenter__(self: AsyncSelf) -> AsyncSelf:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _send(self, call: _Call) -> httpx.Response:
        while True:
            try:
                response = await self._http.send(call.request)
            except httpx.TransportError as error:
                await asyncio.sleep(call.wait_after(error))
                continue
            if call.has_succeeded(response):
                return response
            await asyncio.sleep(call.wait_after(ProblemError.of(response)))

    async def _run(self, method: str, path: str, **options: Any) -> Running | None:
        return _running(await self._send(self._prepare(method, path, **options)))

    async def _call(self, kind: type[T], method: str, path: str, **options: Any) -> T:
        body: T = _body_of(await self._send(self._prepare(method, path, **options)))
        return body

    def _list(self, kind: type[T], path: str, query: Mapping[str, Any]) -> AsyncPages[T]:
        async def page(cursor: str | None = None) -> Page[T]:
            return _page_of(await self._send(self._prepare("GET", path, query={**query, "cursor": cursor})))

        return AsyncPages(page)
