"""Sends requests and repeats them if that is safe.

Generators decide what to send and how long to wait; the blocking and the asynchronous client differ in how they
do both.
"""

from __future__ import annotations

import asyncio
import datetime
import inspect
import ipaddress
import json
import logging
import math
import platform
import random
import re
import socket
import threading
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypedDict, TypeVar
from urllib.parse import quote

import httpx

from . import __version__
from ._errors import (
    TerseConnectionError,
    TerseError,
    TerseProblem,
    TerseTimeoutError,
    not_terse,
    problem_in,
    problem_of,
)

T = TypeVar("T")
Self = TypeVar("Self", bound="Client")
AsyncSelf = TypeVar("AsyncSelf", bound="AsyncClient")

_LOG = logging.getLogger("terse_client")
_SECRETS = ("authorization", "x-api-key", "cookie", "proxy-authorization")
#: The headers that have an argument of their own.
_ARGUMENTS = {
    "authorization": "key",
    "x-api-key": "key",
    "idempotency-key": "idempotency_key",
    "if-match": "if_match",
}
#: The headers of the connection. A request with other values of these does not arrive.
_OF_CONNECTION = ("connection", "content-length", "expect", "host", "keep-alive", "transfer-encoding", "upgrade")
_OPTIONS = ("timeout", "retry_for", "headers", "idempotency_key", "if_match")

#: A version of something: its `etag`, or an object as a client returned it.
Tagged = str | Mapping[str, object]
#: What generators yield: a request with its timeout, seconds to wait, or what a caller's asynchronous function
#: returned. The outcome is sent back to them.
Step = tuple[httpx.Request, float] | float | Awaitable[Any]
Outcome = tuple["httpx.Response | None", "httpx.RequestError | None"]
Steps = Generator[Step, Any, T]


class Options(TypedDict, total=False):
    """What every call takes."""

    timeout: float | None
    """How many seconds an attempt may take, instead of the client's `timeout`."""
    retry_for: float | None
    """For how many seconds the call is repeated, instead of the client's `retry_for`."""
    headers: Mapping[str, str] | None
    """More headers of the request. `User-Agent` and `Accept` replace those of the client."""


class Idempotent(Options, total=False):
    """What the creation of something takes besides its properties."""

    idempotency_key: str | None
    """The server carries out the request once for a key. Without one, the client makes one for the call."""


class Conditional(Options, total=False):
    """What the change of something takes besides its properties."""

    if_match: Tagged | None
    """The version that the change is for. If there is a newer one, the call raises `PreconditionFailed`."""


@dataclass(frozen=True)
class Attempt:
    """An attempt to send a request, as hooks see it: without the key, and without bodies."""

    method: str
    url: str
    #: The headers of the request.
    headers: httpx.Headers
    #: 1 for the first attempt of a call.
    number: int
    #: The status of the response; `None` if there was none.
    status: int | None = None
    response_headers: httpx.Headers | None = None
    #: How long the attempt took.
    seconds: float = 0
    #: Why the attempt failed.
    error: TerseError | None = None
    #: After how many seconds the request is repeated.
    wait: float | None = None


class Hooks(TypedDict, total=False):
    """Functions that see what a client does. The asynchronous client awaits what they return."""

    request: Callable[[Attempt], object]
    """Called before each attempt."""
    response: Callable[[Attempt], object]
    """Called after each attempt that ended with a response."""
    retry: Callable[[Attempt], object]
    """Called after each attempt that is going to be repeated."""


class Operation(NamedTuple):
    """An operation of a document."""

    method: str
    path: str
    #: Whether it has the same effect if it is sent twice.
    is_repeatable: bool
    takes_key: bool = False
    has_body: bool = False
    #: The greatest length of a page, for a list.
    max_limit: int | None = None
    #: The problem that reports that what a request deletes does not exist.
    missing: str | None = None


class _Body(dict[str, Any]):
    """The body of a response, with the response."""

    response: httpx.Response


def response_of(value: Mapping[str, object]) -> httpx.Response | None:
    """Returns the response from which a client read this object."""
    return value.response if isinstance(value, _Body) else None


def event_id_of(value: Mapping[str, object]) -> int | None:
    """Returns the event of a change from what a client returned for it, if the change recorded one."""
    response = response_of(value)
    event_id = (response.headers.get("Event-Id") if response else None) or value.get("event_id")
    return int(event_id) if isinstance(event_id, (int, str)) else None


class Running(TypedDict):
    """A change that goes on after the response: `status` of the event says when it is done."""

    event_id: int


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list."""

    data: list[T]
    #: Where the list continues; `None` on the last page.
    next: str | None


class Pages(Generic[T]):
    """A list. It is requested page by page, as it is read. Loops over it go on where the last one ended."""

    def __init__(self, read: Callable[[str | None, int | None], Page[T]]) -> None:
        self._read = read
        # The page that the loops are on, and what is left of it.
        self._page: Page[T] | None = None
        self._items: Iterator[T] = iter(())

    def page(self, cursor: str | None = None) -> Page[T]:
        """Returns the first page or, with `next` of another page, the page after it."""
        return self._read(cursor, None)

    def pages(self) -> Iterator[Page[T]]:
        """Returns all pages. A page under filters may be empty although others follow."""
        page = self.page()
        yield page
        while page.next is not None:
            page = self.page(page.next)
            yield page

    def all(self, *, limit: int | None = None) -> list[T]:
        """Returns all items, or the first ones, and requests no more than that takes."""
        if limit is not None and index(limit) < 0:
            raise ValueError("limit must not be negative")
        items: list[T] = []
        cursor: str | None = None
        while limit is None or len(items) < limit:
            page = self._read(cursor, None if limit is None else limit - len(items))
            items += page.data
            cursor = page.next
            if cursor is None:
                break
        return items[:limit]

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        while True:
            for item in self._items:
                return item
            if self._page and self._page.next is None:
                raise StopIteration
            self._page = self._read(self._page.next if self._page else None, None)
            self._items = iter(self._page.data)


class AsyncPages(Generic[T]):
    """A list. It is requested page by page, as it is read. Loops over it go on where the last one ended."""

    def __init__(self, read: Callable[[str | None, int | None], Awaitable[Page[T]]]) -> None:
        self._read = read
        # The page that the loops are on, and what is left of it.
        self._page: Page[T] | None = None
        self._items: Iterator[T] = iter(())

    async def page(self, cursor: str | None = None) -> Page[T]:
        """Returns the first page or, with `next` of another page, the page after it."""
        return await self._read(cursor, None)

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Returns all pages. A page under filters may be empty although others follow."""
        page = await self.page()
        yield page
        while page.next is not None:
            page = await self.page(page.next)
            yield page

    async def all(self, *, limit: int | None = None) -> list[T]:
        """Returns all items, or the first ones, and requests no more than that takes."""
        if limit is not None and index(limit) < 0:
            raise ValueError("limit must not be negative")
        items: list[T] = []
        cursor: str | None = None
        while limit is None or len(items) < limit:
            page = await self._read(cursor, None if limit is None else limit - len(items))
            items += page.data
            cursor = page.next
            if cursor is None:
                break
        return items[:limit]

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        while True:
            for item in self._items:
                return item
            if self._page and self._page.next is None:
                raise StopAsyncIteration
            self._page = await self._read(self._page.next if self._page else None, None)
            self._items = iter(self._page.data)


class Base:
    """What both clients share."""

    _document: ClassVar[str]
    _http: httpx.Client | httpx.AsyncClient

    def __init__(self, base_url: str, key: str, timeout: float, retry_for: float, hooks: Hooks | None) -> None:
        for name, value in (("base_url", base_url), ("key", key)):
            if not isinstance(value, str):
                raise TypeError(f"{name} must be a str, not {type(value).__name__}")
        # What is in the address is in logs, too.
        if not re.fullmatch(r"https?://[^/?#\s@:][^/?#\s@]*(/[^?#\s]*)?", base_url):
            raise ValueError(
                "base_url must begin with http:// or https:// and a host, without a user, a password or a query"
            )
        try:
            self._host = httpx.URL(base_url).host
        except httpx.InvalidURL as error:
            raise ValueError(f"base_url is not valid: {error}") from None
        self._base_url = base_url.rstrip("/")
        # A key that a program reads from a file may end with a line break.
        self._key = _checked("key", key.strip())
        self._timeout = _time("timeout", timeout)
        self._retry_for = _time("retry_for", retry_for)
        self._hooks: Hooks = hooks or {}
        #: Whether a caller's client sends the requests, which the caller closes.
        self._is_given = True

    def _mounts(self) -> dict[str, None]:
        """Returns the schemes without a proxy: all for this machine, which its key does not leave."""
        host = self._host.rstrip(".")
        try:
            # The system takes `127.1` and `2130706433` for addresses, too.
            address = ipaddress.ip_address(host if ":" in host else socket.inet_aton(host))
        except (OSError, ValueError):
            is_loopback = re.search(r"(^|\.)localhost$", host) is not None
        else:
            address = getattr(address, "ipv4_mapped", None) or address
            is_loopback = address.is_loopback or address.is_unspecified
        return dict.fromkeys(("all://", "http://", "https://")) if is_loopback else {}

    def _headers(self, given: Mapping[str, str]) -> httpx.Headers:
        """Returns the headers of each request, and those of a call."""
        headers = httpx.Headers({"Accept": "application/json"})
        # The caller's client may authenticate itself to a proxy in front of Terse.
        if "Authorization" in self._http.headers or self._http.auth:
            headers["X-API-Key"] = self._key
        else:
            headers["Authorization"] = f"Bearer {self._key}"
        if self._http.headers.get("User-Agent", "").startswith("python-httpx/"):
            headers["User-Agent"] = (
                f"terse-client/{__version__} python/{platform.python_version()} httpx/{httpx.__version__}"
                f" document/{self._document}"
            )
        for name, value in given.items():
            if argument := _ARGUMENTS.get(name.lower()):
                raise ValueError(f"the header {name} is given as {argument}")
            if name.lower() in _OF_CONNECTION:
                raise ValueError(f"the client sets the header {name} itself")
            if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII):
                raise ValueError(f"{name!r} is not the name of a header")
            headers[name] = _checked(name, value)
        return headers

    def _times(self, options: Mapping[str, Any]) -> tuple[float, float]:
        """Returns the `timeout` and the `retry_for` of a call."""
        timeout, retry_for = options.get("timeout"), options.get("retry_for")
        return (
            _time("timeout", self._timeout if timeout is None else timeout),
            _time("retry_for", self._retry_for if retry_for is None else retry_for),
        )

    def _report(self, name: str, attempt: Attempt) -> Steps[None]:
        if hook := self._hooks.get(name):
            result = hook(attempt)  # type: ignore[operator]
            if inspect.isawaitable(result):
                yield result

    def _steps(self, operation: Operation, arguments: tuple[str | int, ...], fields: Mapping[str, Any]) -> Steps[Any]:
        """Calls an operation with the arguments of its path, and with its properties and options."""
        values = {name.rstrip("_"): value for name, value in fields.items()}
        options = {name: values.pop(name, None) for name in _OPTIONS}
        timeout, retry_for = self._times(options)
        headers = self._headers(options["headers"] or {})
        if operation.takes_key:
            key = options["idempotency_key"]
            headers["Idempotency-Key"] = _checked("idempotency_key", str(uuid.uuid4()) if key is None else key)
        if options["if_match"] is not None:
            headers["If-Match"] = _checked("if_match", _tag_of(options["if_match"]))
        path = operation.path.format(*map(_segment, arguments))
        content, params = None, None
        if operation.has_body:
            content = _json(values)
            headers["Content-Type"] = "application/json"
        else:
            params = {name: _query(name, value) for name, value in values.items() if value is not None} or None

        deadline = time.monotonic() + retry_for
        number = 0
        # Whether an earlier attempt may have taken effect.
        is_unknown = False
        while True:
            request = self._http.build_request(
                operation.method,
                self._base_url + path,
                params=params,
                content=content,
                headers=headers,
                timeout=timeout,
            )
            shown = httpx.Headers([(k, "[removed]" if k in _SECRETS else v) for k, v in request.headers.items()])
            number += 1
            attempt = Attempt(operation.method, str(request.url), shown, number)
            yield from self._report("request", attempt)
            started = time.monotonic()
            response, error = yield request, timeout
            # Errors carry the request.
            request.headers = shown
            attempt = replace(attempt, seconds=time.monotonic() - started)
            if response is not None:
                attempt = replace(attempt, status=response.status_code, response_headers=response.headers)
            _LOG.debug("%s %s: %s", operation.method, attempt.url, error or attempt.status)
            failure: TerseError
            if response is not None and error is None:
                yield from self._report("response", attempt)
                if response.is_success:
                    result = _result_of(operation, response)
                    if not isinstance(result, TerseError):
                        return result
                    failure = result
                else:
                    failure = problem_of(problem_in(response), response)
                    if is_unknown and operation.missing and failure.code == operation.missing:
                        return None
            else:
                kind = TerseTimeoutError if isinstance(error, httpx.TimeoutException) else TerseConnectionError
                repeated = f" (attempt {number})" if number > 1 else ""
                failure = kind(f"{str(error) or type(error).__name__}{repeated}", response)
            failure.idempotency_key = headers.get("Idempotency-Key")

            wait = _wait(number)
            if isinstance(failure, TerseProblem):
                # 429 has changed nothing; the others of these may stand for a request that took effect.
                may_have_run = failure.status in (502, 503, 504)
                is_temporary = failure.status == 429 or may_have_run
                wait = max(wait, failure.retry_after or 0)
            else:
                may_have_run = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
                is_temporary = isinstance(failure, TerseConnectionError)
                is_temporary &= not _is_permanent(error)
            can_repeat = operation.is_repeatable or operation.takes_key or not may_have_run
            if not (is_temporary and can_repeat) or time.monotonic() + wait > deadline:
                raise failure from error
            is_unknown |= may_have_run
            yield from self._report("retry", replace(attempt, error=failure, wait=wait))
            _LOG.info("%s %s is repeated in %.2f s: %s", operation.method, attempt.url, wait, failure)
            yield wait

    def _page_steps(
        self,
        operation: Operation,
        arguments: tuple[str | int, ...],
        fields: Mapping[str, Any],
        cursor: str | None,
        most: int | None,
    ) -> Steps[Page[Any]]:
        """Requests a page of a list, of which no more than `most` items are wanted."""
        if operation.max_limit is not None:
            limits = (fields.get("limit"), most, operation.max_limit)
            fields = {**fields, "limit": min(limit for limit in limits if limit is not None)}
        body = yield from self._steps(operation, arguments, {**fields, "cursor": cursor})
        if "next_cursor" in body:
            following = body["next_cursor"]
        else:
            # The lists of `/api/v1` have only the header. Only the cursor of its URL is used, so that the key goes
            # to no other address.
            link = body.response.links.get("next", {}).get("url")
            following = httpx.URL(link).params.get("cursor") if link else None
        if not isinstance(body.get("data"), list) or not isinstance(following, (str, type(None))):
            raise not_terse(body.response, "an object that is no page")
        return Page(body["data"], following)


def _checked(name: str, value: str) -> str:
    """Returns the value of a header.

    httpx reports an invalid one as a failure of the connection, and its message contains the key.
    """
    if not re.fullmatch(r"[!-~]+(?: +[!-~]+)*", value):
        raise ValueError(f"{name} must be visible ASCII characters")
    return value


def _time(name: str, seconds: float) -> float:
    if not 0 <= seconds <= threading.TIMEOUT_MAX or (name == "timeout" and seconds == 0):
        raise ValueError(f"{name} must be a number of seconds up to {threading.TIMEOUT_MAX:.0f}, and not negative")
    return seconds


def _wait(number: int) -> float:
    """Returns the seconds from an attempt to the next one: at most 8.

    Half of them is random, so that clients do not come back at the same moment.
    """
    return 0.25 * 2.0 ** min(number - 1, 5) * random.uniform(0.5, 1)


def _is_permanent(error: BaseException | None) -> bool:
    """Returns whether a repeat would fail in the same way."""
    if isinstance(error, (httpx.LocalProtocolError, httpx.UnsupportedProtocol)):
        return True
    # httpx removes the causes. A port without TLS has no version; other errors of TLS may be those of a restart.
    permanent = "CERTIFICATE_VERIFY_FAILED|WRONG_VERSION_NUMBER|^407 "
    return isinstance(error, (httpx.ConnectError, httpx.ProxyError)) and re.search(permanent, str(error)) is not None


def _segment(value: str | int) -> str:
    """Returns a value as one segment of a path."""
    if not isinstance(value, (str, int)):
        raise TypeError(f"{value!r} cannot be in a path")
    # Clients and proxies take these for another path.
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} cannot be in a path")
    return quote(str(value), safe="")


def _json(value: object) -> bytes:
    return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False).encode()


def _plain(value: object) -> str:
    """Returns a value that JSON lacks as Terse reads it."""
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        raise ValueError(f"{value} has no time zone")
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"JSON has no {type(value).__name__}: {value!r}")


def _query(name: str, value: object) -> Any:
    """Returns a value as queries have it."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        # Without the parameter, the list would be that of everything.
        if not (values := [_query(name, one) for one in value]):
            raise ValueError(f"{name} must not be empty")
        return values
    if isinstance(value, datetime.datetime) and name.endswith("_day"):
        raise ValueError(f"{name} must be a date, without a time")
    return _plain(value) if isinstance(value, datetime.date) else value


def _repeatable(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a list, of which each page takes all."""
    return {name: list(value) if isinstance(value, Iterator) else value for name, value in fields.items()}


def _tag_of(version: Tagged) -> str:
    response = None if isinstance(version, str) else response_of(version)
    tag = version if isinstance(version, str) else version.get("etag") or (response and response.headers.get("ETag"))
    if not isinstance(tag, str):
        raise TypeError("if_match is neither an etag nor an object with one")
    # A proxy that compresses weakens a tag or adds to it; the server knows the strong one only.
    return re.sub(r'(?:W/)?("[^"]*?)(?:-+(?:gzip|br|zstd|deflate))?"', r'\1"', tag)


def _result_of(operation: Operation, response: httpx.Response) -> Any:
    """Returns what a method returns, or the error if the response is not one of Terse."""
    is_empty = not response.content
    if is_empty and operation.method == "DELETE":
        event_id = response.headers.get("Event-Id", "")
        if response.status_code != 202:
            return None
        if event_id.isdecimal():
            return Running(event_id=int(event_id))
    if not re.search(r"[/+]json\b", response.headers.get("Content-Type", "")):
        return not_terse(response, f"{len(response.content)} bytes")
    try:
        value = response.json()
    except ValueError:
        if is_empty and (response.status_code in (202, 204) or response.headers.get("Content-Length") == "0"):
            return not_terse(response, "no body")
        # Without a length, an interrupted response looks complete.
        return TerseConnectionError("the response is damaged or incomplete", response)
    except RecursionError:
        return not_terse(response, "JSON of too many levels")
    if not isinstance(value, dict):
        return not_terse(response, f"a {type(value).__name__} instead of an object")
    body = _Body(value)
    body.response = response
    return body


#: When the attempt of this thread must have ended.
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)


class _Deadline:
    """Ends the reads of a connection of httpx at a deadline, as httpx limits each read only."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = max(0.001, _deadline.get() - time.monotonic())
        chunk: bytes = self._inner.read(max_bytes, min(left, timeout or math.inf))
        return chunk

    def connect_tcp(self, *arguments: Any, **options: Any) -> _Deadline:
        return _Deadline(self._inner.connect_tcp(*arguments, **options))

    def start_tls(self, *arguments: Any, **options: Any) -> _Deadline:
        return _Deadline(self._inner.start_tls(*arguments, **options))


class Client(Base):
    """Sends requests and waits for their responses."""

    _http: httpx.Client

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout: float = 30,
        retry_for: float = 120,
        http: httpx.Client | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        """Creates a client for a server, with its API key.

        An attempt may take `timeout` seconds. A call that fails for the moment is repeated for `retry_for`
        seconds; 0 never repeats. `http` sends the requests, with its own headers, cookies, proxies and
        authentication; the caller closes it.
        """
        super().__init__(base_url, key, timeout, retry_for, hooks)
        if any(map(inspect.iscoroutinefunction, self._hooks.values())):
            raise TypeError("only the asynchronous client awaits hooks")
        if http is None:
            http = httpx.Client(mounts=self._mounts())
            self._is_given = False
            for transport in (http._transport, *http._mounts.values()):
                if pool := getattr(transport, "_pool", None):
                    pool._network_backend = _Deadline(pool._network_backend)
        self._http = http

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, but not those of a given `http`."""
        if not self._is_given:
            self._http.close()

    def _send(self, request: httpx.Request, timeout: float) -> Outcome:
        response = None
        deadline = _deadline.set(time.monotonic() + timeout)
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            response.read()
        except httpx.RequestError as error:
            return response, error
        finally:
            _deadline.reset(deadline)
            if response is not None:
                response.close()
        return response, None

    def _run(self, steps: Steps[T]) -> T:
        outcome: Any = None
        failure: Exception | None = None
        while True:
            try:
                step = steps.throw(failure) if failure else steps.send(outcome)
            except StopIteration as stop:
                result: T = stop.value
                return result
            outcome, failure = None, None
            try:
                if isinstance(step, tuple):
                    outcome = self._send(*step)
                elif isinstance(step, float):
                    time.sleep(step)
                else:
                    raise TypeError("only the asynchronous client awaits what functions return")
            except Exception as error:
                failure = error

    def _call(self, operation: Operation, arguments: tuple[str | int, ...], fields: Mapping[str, Any]) -> Any:
        return self._run(self._steps(operation, arguments, fields))

    def _list(self, operation: Operation, arguments: tuple[str | int, ...], fields: Mapping[str, Any]) -> Pages[Any]:
        fields = _repeatable(fields)
        return Pages(lambda cursor, most: self._run(self._page_steps(operation, arguments, fields, cursor, most)))


class AsyncClient(Base):
    """Sends requests without blocking."""

    _http: httpx.AsyncClient

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout: float = 30,
        retry_for: float = 120,
        http: httpx.AsyncClient | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        """Creates a client for a server, with its API key.

        An attempt may take `timeout` seconds. A call that fails for the moment is repeated for `retry_for`
        seconds; 0 never repeats. `http` sends the requests, with its own headers, cookies, proxies and
        authentication; the caller closes it.
        """
        super().__init__(base_url, key, timeout, retry_for, hooks)
        if http is None:
            http = httpx.AsyncClient(mounts=self._mounts())
            self._is_given = False
        self._http = http

    async def __aenter__(self: AsyncSelf) -> AsyncSelf:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections, but not those of a given `http`."""
        if not self._is_given:
            await self._http.aclose()

    async def _send(self, request: httpx.Request, timeout: float) -> Outcome:
        response: httpx.Response | None = None

        async def exchange() -> None:
            nonlocal response
            response = await self._http.send(request, stream=True, follow_redirects=False)
            try:
                await response.aread()
            finally:
                await response.aclose()

        try:
            # httpx limits each read only. It is first to report a connection that does not open.
            await asyncio.wait_for(exchange(), timeout + 0.05)
        except httpx.RequestError as error:
            return response, error
        except asyncio.TimeoutError:
            return response, httpx.ReadTimeout("the response takes too long", request=request)
        return response, None

    async def _run(self, steps: Steps[T]) -> T:
        outcome: Any = None
        failure: Exception | None = None
        while True:
            try:
                step = steps.throw(failure) if failure else steps.send(outcome)
            except StopIteration as stop:
                result: T = stop.value
                return result
            outcome, failure = None, None
            try:
                if isinstance(step, tuple):
                    outcome = await self._send(*step)
                elif isinstance(step, float):
                    await asyncio.sleep(step)
                else:
                    outcome = await step
            except Exception as error:
                failure = error

    async def _call(self, operation: Operation, arguments: tuple[str | int, ...], fields: Mapping[str, Any]) -> Any:
        return await self._run(self._steps(operation, arguments, fields))

    def _list(
        self, operation: Operation, arguments: tuple[str | int, ...], fields: Mapping[str, Any]
    ) -> AsyncPages[Any]:
        fields = _repeatable(fields)
        return AsyncPages(lambda cursor, most: self._run(self._page_steps(operation, arguments, fields, cursor, most)))


class Resource:
    """The operations of a resource."""

    def __init__(self, client: Client) -> None:
        self._client = client


class AsyncResource:
    """The operations of a resource, without blocking."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
