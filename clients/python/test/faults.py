"""Tests of the package against servers that misbehave.

usage: faults.py, with the published documents in DOCUMENTS.
"""

import asyncio
import base64
import contextlib
import datetime
import functools
import gzip
import hashlib
import hmac
import inspect
import json
import os
import pathlib
import pickle
import re
import socket
import threading
import time
import unittest
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any, TypeVar
from unittest import mock

import httpx

import terse_client
from terse_client import (
    AsyncTerse,
    AsyncTerseOperator,
    Attempt,
    Hooks,
    Terse,
    TerseBatchError,
    TerseConnectionError,
    TerseError,
    TerseOperator,
    TerseProblem,
    TerseTimeoutError,
    verify_webhook,
)
from terse_client.problems import CodeInUse, LinkNotFound, NotFound, Unauthorized
from terse_client.types.manage import LinkCreate

T = TypeVar("T")
KEY = "terse_0123456789abcdefghijABCDEFGHIJ01"
LINK = {"short_code": "spring", "etag": '"5f2b"'}
DOCUMENTS = pathlib.Path(os.environ["DOCUMENTS"])
#: Sends an answer to a request, and returns whether the connection stays open.
Answer = Callable[[socket.socket], bool]


def reply(status: int, body: object = None, **headers: str) -> Answer:
    """Answers as Terse does."""
    content = b"" if body is None else json.dumps(body).encode()
    kind = "application/json" if status < 400 else "application/problem+json"
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}", f"Content-Type: {kind}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]

    def answer(connection: socket.socket) -> bool:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)
        return True

    return answer


def problem(status: int, code: str, **headers: str) -> Answer:
    return reply(status, {"status": status, "code": code, "detail": "…", "request_id": "4711"}, **headers)


def close(connection: socket.socket) -> bool:
    return False


def never(connection: socket.socket) -> bool:
    """Does not answer until the client gives up."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    return False


def half(connection: socket.socket) -> bool:
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"short_code": ')
    return False


def raw(content: bytes, *lines: str) -> Answer:
    """Answers 200 with these bytes and headers, and closes the connection."""

    def answer(connection: socket.socket) -> bool:
        connection.sendall("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode() + content)
        return False

    return answer


def slowly(pause: float) -> Answer:
    """Sends an answer byte by byte."""

    def answer(connection: socket.socket) -> bool:
        content = json.dumps(LINK).encode()
        with contextlib.suppress(OSError):
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content)
            for byte in head + content:
                connection.sendall(bytes([byte]))
                time.sleep(pause)
        return True

    return answer


class Server:
    """Gives one answer after the other, and the last one for ever. It can begin to listen later."""

    def __init__(self, *answers: Answer, delay: float = 0) -> None:
        self.answers = list(answers)
        self.requests: list[str] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = self.socket.getsockname()
        self.url = "http://%s:%d" % self.address
        if delay:
            self.socket.close()
        threading.Thread(target=self.listen, args=(delay,), daemon=True).start()

    def listen(self, delay: float) -> None:
        time.sleep(delay)
        if delay:
            self.socket = socket.create_server(self.address)
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.socket.accept()[0],), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as file:
            # The first bytes of TLS.
            if file.peek(1)[:1] == b"\x16":
                self.requests.append("")
                self.answers[0](connection)
                return
            while line := file.readline():
                head = line.decode()
                while (line := file.readline()) not in (b"", b"\r\n"):
                    head += line.decode()
                length = re.search(r"(?im)^content-length: (\d+)", head)
                self.requests.append(f"{head}\r\n{file.read(int(length[1])).decode() if length else ''}")
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if not answer(connection):
                    return

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def headers(self, name: str) -> list[str]:
        """Returns a header of all requests, with an empty text for those without."""
        found = [re.search(rf"(?im)^{name}: (.*?)\r?$", request) for request in self.requests]
        return [match[1] if match else "" for match in found]


Client = Terse | AsyncTerse


def run(kind: type[Client], url: str, call: Callable[[Any], Any], **options: Any) -> Any:
    """Calls a client of the kind, and returns what it returns."""
    options.setdefault("retry_for", 20)
    if kind is Terse:
        with Terse(url, KEY, **options) as terse:
            return call(terse)

    async def main() -> Any:
        async with AsyncTerse(url, KEY, **options) as terse:
            result = call(terse)
            return await result if inspect.isawaitable(result) else result

    return asyncio.run(main())


def get(terse: Any) -> Any:
    return terse.links.get("spring")


def delete(terse: Any) -> Any:
    return terse.links.delete("typo")


def shorten(terse: Any) -> Any:
    return terse.shorten(url="https://example.org/")


@contextlib.contextmanager
def environment(**values: str) -> Generator[None, None, None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Case(unittest.TestCase):
    def each(self, *answers: Answer, delay: float = 0) -> Iterator[tuple[type[Client], Server]]:
        """Returns both clients, each with a server of its own."""
        for kind in (Terse, AsyncTerse):
            with self.subTest(kind.__name__), Server(*answers, delay=delay) as server:
                yield kind, server

    def raises(self, error: type[T], call: Callable[[], object]) -> T:
        try:
            call()
        except Exception as raised:
            assert isinstance(raised, error), repr(raised)
            return raised
        raise AssertionError(f"the call did not raise {error.__name__}")


class Time(Case):
    def test_server_that_never_answers(self) -> None:
        for kind, server in self.each(never):
            started = time.monotonic()
            self.raises(TerseTimeoutError, lambda: run(kind, server.url, get, timeout=0.3, retry_for=0))
            self.assertLess(time.monotonic() - started, 3)

    def test_timeout_is_repeated_by_default(self) -> None:
        timeout, retry_for = (inspect.signature(Terse).parameters[name].default for name in ("timeout", "retry_for"))
        self.assertLess(2 * timeout, retry_for)
        for kind, server in self.each(never, reply(201, LINK)):
            self.assertEqual(run(kind, server.url, shorten, timeout=2), LINK)
            first, second = server.headers("idempotency-key")
            self.assertTrue(first and first == second)
        for kind, server in self.each(never):
            error = self.raises(TerseTimeoutError, lambda: run(kind, server.url, shorten, timeout=0.3, retry_for=0))
            self.assertEqual(server.headers("idempotency-key"), [error.idempotency_key])

    def test_byte_at_a_time(self) -> None:
        for kind, server in self.each(slowly(0.2)):
            started = time.monotonic()
            self.raises(TerseTimeoutError, lambda: run(kind, server.url, get, timeout=0.5, retry_for=0))
            self.assertLess(time.monotonic() - started, 3)
        for kind, server in self.each(slowly(0.001)):
            self.assertEqual(run(kind, server.url, get, timeout=20, retry_for=0), LINK)

    def test_times_of_a_call(self) -> None:
        for kind, server in self.each(never):

            def call(terse: Any) -> Any:
                return terse.links.get("spring", timeout=0.2, retry_for=0)

            started = time.monotonic()
            self.raises(TerseTimeoutError, lambda: run(kind, server.url, call))
            self.assertLess(time.monotonic() - started, 3)

    def test_times_that_are_none(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"timeout": 0},
            {"timeout": float("inf")},
            {"retry_for": -1},
            {"retry_for": float("nan")},
            {"timeout": 1e15},
            {"retry_for": 1e15},
        ]
        for options in wrong:
            for kind in (Terse, AsyncTerse):
                self.raises(ValueError, lambda: kind("http://127.0.0.1:1", KEY, **options))

    def test_longest_times(self) -> None:
        for kind, server in self.each(reply(200, LINK)):
            longest = threading.TIMEOUT_MAX
            self.assertEqual(run(kind, server.url, get, timeout=longest, retry_for=longest), LINK)

    def test_many_attempts(self) -> None:
        async def no_time(seconds: float) -> None:
            self.assertLessEqual(seconds, 8)

        for kind, server in self.each(*[problem(503, "unavailable")] * 1100, reply(200, LINK)):
            with mock.patch("time.sleep"), mock.patch("asyncio.sleep", no_time):
                self.assertEqual(run(kind, server.url, get, retry_for=600), LINK)
            self.assertEqual(len(server.requests), 1101)

    def test_given_client_has_a_timeout(self) -> None:
        with Server(never) as server, httpx.Client() as http:
            started = time.monotonic()
            self.raises(TerseTimeoutError, lambda: run(Terse, server.url, get, timeout=0.3, retry_for=0, http=http))
            self.assertLess(time.monotonic() - started, 3)


class Connections(Case):
    def test_lost_response(self) -> None:
        for kind, server in self.each(close, half, reply(201, LINK)):
            self.assertEqual(run(kind, server.url, shorten), LINK)
            self.assertEqual(len(set(server.headers("idempotency-key"))), 1)
        for kind, server in self.each(close):
            self.raises(TerseConnectionError, lambda: run(kind, server.url, get, retry_for=0))

    def test_half_a_body(self) -> None:
        for kind, server in self.each(half):
            error = self.raises(TerseConnectionError, lambda: run(kind, server.url, get, retry_for=0))
            assert error.response
            self.assertEqual(error.response.status_code, 200)

    def test_damaged_body(self) -> None:
        json_type = "Content-Type: application/json"
        damaged = [
            raw(b'{"a":', json_type),
            raw(b"", json_type),
            raw(b'{"a": "\xff"}', json_type, "Content-Length: 10"),
            raw(b"no gzip", json_type, "Content-Encoding: gzip"),
            raw(gzip.compress(json.dumps(list(range(9999))).encode())[:999], json_type, "Content-Encoding: gzip"),
        ]
        for answer in damaged:
            for kind, server in self.each(answer, reply(201, LINK)):
                self.assertEqual(run(kind, server.url, shorten), LINK)
                self.assertEqual(len(set(server.headers("idempotency-key"))), 1)
            for kind, server in self.each(answer):
                error = self.raises(TerseConnectionError, lambda: run(kind, server.url, shorten, retry_for=0))
                self.assertEqual(server.headers("idempotency-key"), [error.idempotency_key])
                self.assertIsNotNone(error.response)

    def test_what_no_repeat_changes(self) -> None:
        def plain(connection: socket.socket) -> bool:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return False

        for kind, server in self.each(plain):
            url = server.url.replace("http", "https")
            error = self.raises(TerseConnectionError, lambda: run(kind, url, get))
            self.assertEqual((len(server.requests), "attempt" in str(error)), (1, False))
        for kind, proxy in self.each(reply(407)):
            with environment(HTTPS_PROXY=proxy.url, https_proxy=proxy.url, NO_PROXY=""):
                error = self.raises(TerseConnectionError, lambda: run(kind, "https://terse.invalid", get))
                self.assertEqual((len(proxy.requests), str(error)), (1, "407 X"))

        calls: list[httpx.Request] = []

        def distrust(request: httpx.Request) -> httpx.Response:
            calls.append(request)
            raise httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")

        with httpx.Client(transport=httpx.MockTransport(distrust)) as http:
            self.raises(TerseConnectionError, lambda: run(Terse, "https://terse.invalid", get, http=http))
            self.assertEqual(len(calls), 1)

    def test_number_of_the_last_attempt(self) -> None:
        for kind, server in self.each(close):
            error = self.raises(TerseConnectionError, lambda: run(kind, server.url, get, retry_for=1))
            self.assertTrue(str(error).endswith(f" (attempt {len(server.requests)})"), str(error))

    def test_deletion_while_the_server_restarts(self) -> None:
        for kind, server in self.each(problem(404, "link-not-found"), delay=0.4):
            self.raises(LinkNotFound, lambda: run(kind, server.url, delete))

    def test_deletion_whose_response_is_lost(self) -> None:
        for kind, server in self.each(close, problem(404, "link-not-found")):
            self.assertIsNone(run(kind, server.url, delete))
        for kind, server in self.each(problem(429, "rate-limited"), problem(404, "link-not-found")):
            self.raises(LinkNotFound, lambda: run(kind, server.url, delete))
        # The path is unknown, or a proxy knows no such server.
        for kind, server in self.each(close, problem(404, "not-found")):
            self.raises(NotFound, lambda: run(kind, server.url, delete))
        for kind, server in self.each(close, reply(404)):
            self.raises(TerseProblem, lambda: run(kind, server.url, delete))

    def test_redirect_to_another_host(self) -> None:
        with Server(reply(200, LINK)) as other:
            for kind, server in self.each(reply(307, Location=f"{other.url}/")):
                error = self.raises(TerseProblem, lambda: run(kind, server.url, get))
                self.assertEqual((error.status, error.code), (307, ""))
                self.assertIn(other.url, str(error))
                with httpx.Client(follow_redirects=True) as http:
                    self.raises(TerseProblem, lambda: run(Terse, server.url, get, http=http))
            self.assertEqual(other.requests, [])

    def test_proxy_does_not_see_a_loopback_address(self) -> None:
        with Server(reply(200, LINK)) as proxy, environment(HTTP_PROXY=proxy.url, http_proxy=proxy.url, NO_PROXY=""):
            for kind, server in self.each(reply(200, LINK)):
                self.assertEqual(run(kind, server.url, get), LINK)
                spellings = ["localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0"]
                for host in spellings:
                    self.assertEqual(run(kind, server.url.replace("127.0.0.1", host), get), LINK, host)
                for host in ("LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]", "[::]"):
                    call = functools.partial(run, kind, server.url.replace("127.0.0.1", host), get, retry_for=0)
                    # Whether these lead anywhere depends on the machine.
                    with contextlib.suppress(TerseConnectionError):
                        call()
            self.assertEqual(proxy.requests, [])
            self.assertEqual(run(Terse, "http://terse.invalid", get), LINK)
            self.assertEqual(len(proxy.requests), 1)

    def test_page_of_another_server(self) -> None:
        def page(terse: Any) -> Any:
            return terse.links.list().page()

        wrong: list[tuple[Callable[[Any], Any], Answer, str]] = [
            (get, reply(200, ["a login"]), "200 (application/json) with a list"),
            (get, reply(200, []), "with a list"),
            (get, reply(200, "text"), "with a str"),
            (get, reply(200), "200 (application/json) with no body"),
            (get, raw(b"", "Content-Length: 0"), "200 (no type) with 0 bytes"),
            (get, raw(b"{}", "Content-Type: text/html"), "200 (text/html) with 2 bytes"),
            (get, reply(204), "204 (application/json) with no body"),
            (get, reply(202, Event_Id="7"), "202 (application/json) with no body"),
            (delete, reply(202), "202 (application/json) with no body"),
            (delete, reply(202, Event_Id="x"), "202 (application/json) with no body"),
            (delete, raw(b"<p>", "Content-Type: text/html"), "200 (text/html) with 3 bytes"),
            (get, raw(b"[" * 99999 + b"]" * 99999, "Content-Type: application/json"), "too many levels"),
            (page, reply(200, {}), "no page"),
            (page, reply(200, {"data": {}, "next_cursor": None}), "no page"),
            (page, reply(200, {"data": [], "next_cursor": 7}), "no page"),
        ]
        for call, answer, what in wrong:
            for kind, server in self.each(answer):
                error = self.raises(TerseError, lambda: run(kind, server.url, call))
                self.assertNotIsInstance(error, TerseConnectionError)
                self.assertIn(what, str(error))
                self.assertEqual(len(server.requests), 1)
                self.assertIsNotNone(error.response)
        for kind, server in self.each(reply(202, Event_Id="7"), reply(204)):
            self.assertEqual(run(kind, server.url, delete), {"event_id": 7})
            self.assertIsNone(run(kind, server.url, delete))


class Problems(Case):
    def test_unavailable(self) -> None:
        for kind, server in self.each(problem(503, "unavailable"), reply(200, LINK)):
            self.assertEqual(run(kind, server.url, get), LINK)
        for kind, server in self.each(problem(503, "unavailable", Retry_After="1"), reply(200, LINK)):
            started = time.monotonic()
            self.assertEqual(run(kind, server.url, get), LINK)
            self.assertGreaterEqual(time.monotonic() - started, 1)
        for kind, server in self.each(problem(503, "unavailable")):
            error = self.raises(TerseProblem, lambda: run(kind, server.url, get, retry_for=0))
            self.assertEqual((error.status, error.code, error.request_id), (503, "unavailable", "4711"))

    def test_odd_retry_after(self) -> None:
        past = "Wed, 21 Oct 2015 07:28:00 GMT"
        for value in (past, "-5", "soon", "Wed, 21 Oct 99999 07:28:00 GMT", "1e3", "²"):
            for kind, server in self.each(
                problem(429, "rate-limited", Retry_After=value.encode().decode("latin-1")), reply(200, LINK)
            ):
                waits: list[float | None] = []
                hooks: Hooks = {"retry": lambda attempt: waits.append(attempt.wait)}
                self.assertEqual(run(kind, server.url, get, hooks=hooks), LINK, value)
                self.assertEqual([wait is not None and 0 < wait < 1 for wait in waits], [True])
        with Server(problem(503, "unavailable", Retry_After=past)) as server:
            error = self.raises(TerseProblem, lambda: run(Terse, server.url, get, retry_for=0))
            self.assertEqual(error.retry_after, 0)
        # No program waits that long.
        for kind, server in self.each(problem(429, "rate-limited", Retry_After="9" * 20)):
            error = self.raises(TerseProblem, lambda: run(kind, server.url, get))
            self.assertEqual((len(server.requests), error.retry_after), (1, 1e20))

    def test_class_per_code(self) -> None:
        for kind, server in self.each(problem(409, "code-in-use")):
            error = self.raises(CodeInUse, lambda: run(kind, server.url, shorten))
            assert isinstance(error, TerseProblem) and error.response
            self.assertEqual((len(server.requests), error.response.status_code), (1, 409))
            # A pool of processes sends errors from one to the other.
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), str(copy), copy.request_id), (CodeInUse, str(error), "4711"))
            self.assertEqual([copy.idempotency_key], server.headers("idempotency-key"))
        for kind, server in self.each(problem(418, "of-a-newer-server")):
            self.assertEqual(self.raises(TerseProblem, lambda: run(kind, server.url, get)).code, "of-a-newer-server")

    def test_problem_of_another_shape(self) -> None:
        codes: list[object] = [[], {}, None, 7]
        for code in codes:
            body: object = {"code": code, "status": "x", "detail": 1, "request_id": [], "errors": "none"}
            for kind, server in self.each(reply(503, body), reply(200, LINK)):
                self.assertEqual(run(kind, server.url, get), LINK)
            for kind, server in self.each(reply(409, body, X_Request_Id="8")):
                error = self.raises(TerseProblem, lambda: run(kind, server.url, get))
                self.assertEqual((type(error), error.status, error.code), (TerseProblem, 409, ""))
                self.assertEqual((error.request_id, error.errors), ("8", []))

        def deep(connection: socket.socket) -> bool:
            head = "HTTP/1.1 409 X\r\nContent-Type: application/problem+json\r\n\r\n"
            connection.sendall(head.encode() + b"[" * 99999 + b"]" * 99999)
            return False

        for kind, server in self.each(deep):
            error = self.raises(TerseProblem, lambda: run(kind, server.url, get))
            self.assertEqual((error.status, error.code), (409, ""))


class Arguments(Case):
    def test_what_is_no_name(self) -> None:
        values: list[Any] = [None, {}, [], b"spring", 1.5]
        for kind, server in self.each(reply(200, {"data": [], "next_cursor": None})):
            for value in values:
                self.raises(TypeError, lambda: run(kind, server.url, lambda terse: terse.links.get(value)))
                self.raises(TypeError, lambda: run(kind, server.url, lambda terse: terse.links.delete(value)))
                self.raises(TypeError, lambda: run(kind, server.url, lambda terse: terse.links.events(value).page()))
            self.assertEqual(server.requests, [])

    def test_path_that_is_another_one(self) -> None:
        for code in (".", "..", ""):
            for kind, server in self.each(reply(200, {"data": [], "next_cursor": None})):
                self.raises(ValueError, lambda: run(kind, server.url, lambda terse: terse.links.get(code)))
                self.assertEqual(server.requests, [])
        for kind, server in self.each(reply(200, LINK)):
            run(kind, server.url, lambda terse: terse.links.get("a/../b?c#d%é"))
            self.assertIn("/links/a%2F..%2Fb%3Fc%23d%25%C3%A9 ", server.requests[0])

    def test_versions(self) -> None:
        page = {"data": [LINK], "next_cursor": None}
        for kind, server in self.each(reply(200, page), reply(200, LINK, ETag='W/"5f2b-gzip"')):

            async def main() -> None:
                async with AsyncTerse(server.url, KEY) as terse:
                    (link,) = await terse.links.list().all()
                    changed = await terse.links.update("spring", title="x", if_match=link)
                    await terse.links.delete("spring", if_match=changed)

            if kind is Terse:
                with Terse(server.url, KEY) as terse:
                    changed = terse.links.update("spring", title="x", if_match=next(terse.links.list()))
                    terse.links.delete("spring", if_match=changed)
                    for tag in ('W/"5f2b"', '"5f2b-gzip"', 'W/"5f2b--br"'):
                        terse.links.delete("spring", if_match=tag)
                    self.raises(TypeError, lambda: terse.links.delete("spring", if_match={"title": "x"}))
            else:
                asyncio.run(main())
            self.assertEqual(set(server.headers("if-match")[1:]), {'"5f2b"'})

    def test_tag_only_in_the_header(self) -> None:
        with (
            Server(reply(200, {"short_code": "spring"}, ETag='W/"5f2b-gzip"')) as server,
            Terse(server.url, KEY) as terse,
        ):
            terse.links.delete("spring", if_match=terse.links.get("spring"))
            self.assertEqual(server.headers("if-match"), ["", '"5f2b"'])

    def test_values_of_datetime(self) -> None:
        noon = datetime.datetime(2027, 1, 2, 12, tzinfo=datetime.timezone.utc)
        for kind, server in self.each(reply(200, {"data": [], "next_cursor": None})):
            run(
                kind,
                server.url,
                lambda terse: terse.links.create(destination_url="https://example.org/", expires_at=noon),
            )
            run(kind, server.url, lambda terse: terse.links.list(created_after=noon).page(None))
            self.assertIn('"expires_at": "2027-01-02T12:00:00+00:00"', server.requests[0])
            self.assertIn("created_after=2027-01-02T12%3A00%3A00%2B00%3A00", server.requests[1])
            naive = noon.replace(tzinfo=None)
            self.raises(
                ValueError,
                lambda: run(kind, server.url, lambda terse: terse.links.create(destination_url="", expires_at=naive)),
            )

    def test_lists_in_queries(self) -> None:
        page: dict[str, object] = {"data": [], "next_cursor": "2"}
        for kind, server in self.each(reply(200, page), reply(200, {**page, "next_cursor": None})):
            empties: list[Any] = [[], iter([])]
            for empty in empties:
                error = self.raises(ValueError, lambda: run(kind, server.url, lambda t: t.links.list(code=empty).all()))
                self.assertIn("code", str(error))
            self.assertEqual(server.requests, [])
            run(kind, server.url, lambda terse: terse.links.list(code=(code for code in ("a", "b"))).all())
            self.assertEqual(len(server.requests), 2)
            for request in server.requests:
                self.assertIn("code=a&code=b", request)

    def test_limits(self) -> None:
        page = {"data": [LINK] * 2, "next_cursor": "2"}
        for kind, server in self.each(reply(200, page)):
            wrong: list[Any] = [-1, 1.5, "2"]
            for limit in wrong:
                call = functools.partial(run, kind, server.url, lambda terse: terse.links.list().all(limit=limit))
                self.raises(ValueError if limit == -1 else TypeError, call)
            self.assertEqual(server.requests, [])
            for limit, requested in ((1, 1), (2, 2), (3, 1)):
                found = run(kind, server.url, lambda terse: terse.links.list().all(limit=limit))
                self.assertEqual(len(found), limit)
                self.assertIn(f"limit={requested}", server.requests[-1])
            run(kind, server.url, lambda terse: terse.links.list(limit=2).all(limit=4))
            self.assertIn("limit=2", server.requests[-1])
            run(kind, server.url, lambda terse: terse.links.list(limit=None).page())
            self.assertIn("limit=1000", server.requests[-1])

    def test_iteration_goes_on_after_an_error(self) -> None:
        first = {"data": [LINK], "next_cursor": "2"}
        last = {"data": [LINK, LINK], "next_cursor": None}

        async def without_blocking(url: str) -> None:
            async with AsyncTerse(url, KEY, retry_for=0) as terse:
                links = terse.links.list()
                await anext(links)
                try:
                    await anext(links)
                    raise AssertionError
                except TerseProblem:
                    self.assertEqual(len([link async for link in links]), 2)

        for kind, server in self.each(reply(200, first), problem(503, "unavailable"), reply(200, last)):
            if kind is AsyncTerse:
                asyncio.run(without_blocking(server.url))
                continue
            with Terse(server.url, KEY, retry_for=0) as terse:
                links = terse.links.list()
                next(links)
                self.raises(TerseProblem, lambda: next(links))
                self.assertEqual(len(list(links)), 2)

    def test_values_that_json_lacks(self) -> None:
        circle: list[Any] = []
        circle.append(circle)
        for kind, server in self.each(reply(201, LINK)):
            for value, name in (({1}, "set"), (object(), "object"), (b"x", "bytes")):
                error = self.raises(TypeError, lambda: run(kind, server.url, lambda terse: terse.shorten(url=value)))
                self.assertIn(name, str(error))
            for value in (float("nan"), float("inf"), circle):
                self.raises(ValueError, lambda: run(kind, server.url, lambda terse: terse.shorten(url=value)))
            self.assertEqual(server.requests, [])

    def test_time_instead_of_a_day(self) -> None:
        noon = datetime.datetime(2027, 1, 2, 12, tzinfo=datetime.timezone.utc)
        for kind, server in self.each(reply(200, {"data": []})):
            error = self.raises(
                ValueError, lambda: run(kind, server.url, lambda terse: terse.links.clicks("a", from_day=noon))
            )
            self.assertIn("from_day", str(error))
            self.assertEqual(server.requests, [])
            run(kind, server.url, lambda terse: terse.links.clicks("a", from_day=noon.date()))
            self.assertIn("from_day=2027-01-02 ", server.requests[0])

    def test_addresses(self) -> None:
        nothing: Any = None
        for kind in (Terse, AsyncTerse):
            self.assertIn("base_url", str(self.raises(TypeError, lambda: kind(nothing, KEY))))
            self.assertIn("key", str(self.raises(TypeError, lambda: kind("http://127.0.0.1:1", nothing))))
            for address in ("user:secret@127.0.0.1", "user@127.0.0.1:1/x", "[::1", "127.0.0.1:x", ":80"):
                error = self.raises(ValueError, lambda: kind(f"http://{address}", KEY))
                self.assertNotIn("secret", str(error))
            kind("http://127.0.0.1:1/x@y", KEY)

    def test_names_of_headers(self) -> None:
        for kind, server in self.each(reply(201, LINK)):

            def send(**headers: str) -> Any:
                given = {name.replace("_", "-"): value for name, value in headers.items()}
                return run(kind, server.url, lambda terse: terse.shorten(url="x", headers=given))

            for name, argument in (
                ("authorization", "key"),
                ("X_API_KEY", "key"),
                ("idempotency_key", "idempotency_key"),
                ("if_match", "if_match"),
            ):
                self.assertIn(argument, str(self.raises(ValueError, lambda: send(**{name: "x"}))))
            for name in (
                "Content_Length",
                "transfer_encoding",
                "HOST",
                "Connection",
                "keep-alive",
                "Upgrade",
                "Expect",
            ):
                self.assertIn("itself", str(self.raises(ValueError, lambda: send(**{name: "1"}))))
            for name in ("", "a b", "a:b", "é", "a\n"):
                self.raises(ValueError, lambda: send(**{name: "x"}))
            self.assertEqual(server.requests, [])
            send(user_agent="shop/1", ACCEPT="text/plain", content_type="text/plain")
            for name, value in (
                ("user-agent", "shop/1"),
                ("accept", "text/plain"),
                ("content-type", "application/json"),
            ):
                self.assertEqual(re.findall(rf"(?im)^{name}: (.*?)\r?$", server.requests[0]), [value])

    def test_key_and_headers(self) -> None:
        for key in ("", "terse_…", f"{KEY}\nX-Other: 1"):
            self.assertNotIn(KEY, str(self.raises(ValueError, lambda: Terse("http://127.0.0.1:1", key))))
        for url in ("localhost:8080", "https://", "http:///x", "http://127.0.0.1?x"):
            self.raises(ValueError, lambda: AsyncTerse(url, KEY))
        for kind, server in self.each(reply(201, LINK)):

            def call(terse: Any) -> Any:
                return terse.shorten(url="x", headers={"X-Request-Id": "1"}, idempotency_key="order-1")

            run(kind, f"{server.url}/", call)
            self.assertTrue(server.requests[0].startswith("POST /api/v1/shorten "))
            self.assertEqual((server.headers("x-request-id"), server.headers("idempotency-key")), (["1"], ["order-1"]))
            self.assertEqual(server.headers("authorization"), [f"Bearer {KEY}"])
            agent = rf"terse-client/{re.escape(terse_client.__version__)} python/3\S+ httpx/\S+ document/\S+"
            self.assertRegex(server.headers("user-agent")[0], agent)
            self.raises(
                ValueError, lambda: run(kind, server.url, lambda terse: terse.links.get("a", headers={"X": "a\nb"}))
            )
            self.raises(
                ValueError, lambda: run(kind, server.url, lambda terse: terse.shorten(url="x", idempotency_key="a\n"))
            )
            for empty in ("", " "):
                self.raises(
                    ValueError,
                    lambda: run(kind, server.url, lambda terse: terse.shorten(url="x", idempotency_key=empty)),
                )
                self.raises(
                    ValueError,
                    lambda: run(
                        kind,
                        server.url,
                        lambda terse: terse.links.create_many([{"destination_url": "x"}], idempotency_key=empty),
                    ),
                )
            self.assertEqual(len(server.requests), 1)
        # The line break of a file.
        Terse("http://127.0.0.1:1", f"{KEY}\n")


class GivenClient(Case):
    def test_what_the_caller_has_set_is_used_and_left_open(self) -> None:
        options: dict[str, Any] = {
            "headers": {"X-Tenant": "acme", "User-Agent": "shop/1"},
            "cookies": {"gate": "open"},
            "params": {"via": "shop"},
            "auth": ("user", "password"),
        }
        for kind, server in self.each(reply(200, LINK)):

            async def main() -> None:
                async with httpx.AsyncClient(**options) as http:
                    async with AsyncTerse(server.url, KEY, http=http) as terse:
                        await terse.links.get("spring")
                    self.assertFalse(http.is_closed)

            if kind is Terse:
                with httpx.Client(**options) as http:
                    with Terse(server.url, KEY, http=http) as terse:
                        terse.links.get("spring")
                    self.assertFalse(http.is_closed)
            else:
                asyncio.run(main())
            (request,) = server.requests
            self.assertIn("?via=shop ", request)
            self.assertEqual(server.headers("x-tenant"), ["acme"])
            self.assertEqual(server.headers("user-agent"), ["shop/1"])
            self.assertEqual(server.headers("cookie"), ["gate=open"])
            self.assertTrue(server.headers("authorization")[0].startswith("Basic "))
            self.assertEqual(server.headers("x-api-key"), [KEY])


class Hooked(Case):
    def test_hooks_and_log_do_not_see_the_key(self) -> None:
        for kind, server in self.each(problem(503, "unavailable"), problem(401, "unauthorized")):
            seen: list[tuple[str, Attempt]] = []
            hooks: Hooks = {
                "request": lambda attempt: seen.append(("request", attempt)),
                "response": lambda attempt: seen.append(("response", attempt)),
                "retry": lambda attempt: seen.append(("retry", attempt)),
            }
            with self.assertLogs("terse_client", "DEBUG") as log:
                error = self.raises(Unauthorized, lambda: run(kind, server.url, get, hooks=hooks))
            names = ["request", "response", "retry", "request", "response"]
            self.assertEqual([name for name, _ in seen], names)
            self.assertEqual([attempt.number for _, attempt in seen], [1, 1, 1, 2, 2])
            self.assertEqual([attempt.status for _, attempt in seen], [None, 503, 503, None, 401])
            self.assertTrue(seen[2][1].wait and isinstance(seen[2][1].error, TerseProblem))
            assert error.response
            shown = [attempt.headers.raw for _, attempt in seen] + [error.response.request.headers.raw]
            self.assertNotIn(KEY, f"{shown} {seen} {log.output} {error!r}")
            self.assertEqual(server.headers("authorization"), [f"Bearer {KEY}"] * 2)

    def test_hooks_that_are_awaited(self) -> None:
        seen: list[str] = []

        async def hook(attempt: Attempt) -> None:
            await asyncio.sleep(0)
            seen.append(attempt.method)

        async def wrong(attempt: Attempt) -> None:
            raise KeyError(attempt.method)

        with Server(problem(503, "unavailable"), reply(200, LINK)) as server:
            hooks: Hooks = {"request": hook, "response": hook, "retry": hook}
            self.assertEqual(run(AsyncTerse, server.url, get, hooks=hooks), LINK)
            self.assertEqual(seen, ["GET"] * 5)
            self.raises(KeyError, lambda: run(AsyncTerse, server.url, get, hooks={"request": wrong}))
            self.raises(TypeError, lambda: Terse(server.url, KEY, hooks=hooks))


class ManyLinks(Case):
    def create(self, kind: type[Client], server: Server, links: Any, **options: Any) -> terse_client.CreatedLinks:

        def call(terse: Any) -> Any:
            return terse.links.create_many(links, **options)

        result = run(kind, server.url, call)
        assert isinstance(result, terse_client.CreatedLinks)
        return result

    def batch(self, *statuses: int) -> Answer:
        items = [
            {"status": 201, "link": {"short_code": str(index)}}
            if status == 201
            else {"status": status, "problem": {"status": status, "code": {409: "code-in-use"}.get(status, "x")}}
            for index, status in enumerate(statuses)
        ]
        return reply(200, {"data": items})

    def test_batches(self) -> None:
        ok = [201] * 1000
        for kind, server in self.each(
            self.batch(*ok),
            self.batch(201, 503, 429, 409, *ok[4:]),
            self.batch(201, 201, 429, 409, *ok[4:]),
            self.batch(201, 201, 201, 409, *ok[4:]),
            self.batch(201),
        ):
            links = ({"destination_url": f"https://example.org/{number}"} for number in range(2001))
            result = self.create(kind, server, links, idempotency_key="file")
            self.assertEqual(server.headers("idempotency-key"), ["file-0", *["file-1"] * 3, "file-2"])
            self.assertEqual(server.requests[1], server.requests[3])
            (failed,) = result.failed
            self.assertEqual((failed.index, failed.request["destination_url"][-4:]), (1003, "1003"))
            self.assertIsInstance(failed.error, CodeInUse)
            self.assertEqual((len(result.links), len(result.results), result.idempotency_key), (2000, 2001, "file"))

    def test_links_that_arrive_one_by_one(self) -> None:
        async def links() -> AsyncIterator[LinkCreate]:
            for number in range(1001):
                yield {"destination_url": f"https://example.org/{number}"}

        with Server(self.batch(*[201] * 1000), self.batch(201)) as server:
            self.assertEqual(len(self.create(AsyncTerse, server, links()).links), 1001)

    def test_what_stays_unavailable_is_reported(self) -> None:
        for kind, server in self.each(self.batch(201, 503)):
            result = self.create(kind, server, [{"destination_url": "x"}] * 2, retry_for=2)
            self.assertGreater(len(server.requests), 1)
            self.assertEqual([result.index for result in result.failed], [1])

    def test_what_an_earlier_attempt_created_stays_known(self) -> None:
        for last in (problem(500, "internal-error"), close):
            for kind, server in self.each(self.batch(201, 201, 503, 503), last):
                result = self.create(kind, server, [{"destination_url": "x"}] * 4, retry_for=2)
                self.assertGreater(len(server.requests), 1)
                self.assertEqual((len(result.links), [one.index for one in result.failed]), (2, [2, 3]))

    def test_batch_takes_no_more_time_than_retry_for(self) -> None:
        def late(connection: socket.socket) -> bool:
            time.sleep(0.8)
            return self.batch(503)(connection)

        for kind, server in self.each(late, problem(503, "unavailable", Retry_After="1")):
            result = self.create(kind, server, [{"destination_url": "x"}], retry_for=1.5)
            self.assertEqual(len(result.failed), 1)
            self.assertLessEqual(len(server.requests), 2)

    def test_batch_that_fails_ends_the_call(self) -> None:
        for kind, server in self.each(self.batch(*[201] * 1000), problem(401, "unauthorized")):
            result = self.create(kind, server, [{"destination_url": "x"}] * 2500)
            self.assertEqual((len(server.requests), len(result.links), len(result.failed)), (2, 1000, 1500))
            self.assertIsInstance(result.failed[-1].error, Unauthorized)
        for kind, server in self.each(problem(401, "unauthorized")):
            links = [{"destination_url": "x"}]
            error = self.raises(Unauthorized, lambda: self.create(kind, server, links, idempotency_key="file"))
            self.assertEqual(error.idempotency_key, "file")

    def test_failure_of_the_program_keeps_what_is_known(self) -> None:
        good: dict[str, Any] = {"destination_url": "x"}

        def broken() -> Iterator[Any]:
            yield from [good] * 1500
            raise OSError("the disk")

        async def broken_later() -> AsyncIterator[Any]:
            for link in broken():
                yield link

        naive = {**good, "expires_at": datetime.datetime(2027, 1, 2)}
        cases: list[tuple[Callable[[], Any], type[Exception]]] = [
            (broken, OSError),
            (lambda: [good] * 1500 + [naive], ValueError),
            (lambda: [good] * 1500 + [{"destination_url": {1}}], TypeError),
            (broken_later, OSError),
        ]
        for links, cause in cases:
            for kind, server in self.each(self.batch(*[201] * 999, 409)):
                if kind is Terse and links is broken_later:
                    continue
                error = self.raises(TerseBatchError, lambda: self.create(kind, server, links()))
                self.assertIsInstance(error.__cause__, cause)
                self.assertEqual([result.index for result in error.results], list(range(1000)))
                self.assertIsInstance(error.results[-1].error, CodeInUse)
                self.assertEqual(server.headers("idempotency-key"), [f"{error.idempotency_key}-0"])
                copy = pickle.loads(pickle.dumps(error))
                self.assertEqual((copy.idempotency_key, len(copy.results)), (error.idempotency_key, 1000))
        # Nothing was sent, or the client itself fails.
        for kind, server in self.each(self.batch(*[201] * 1000)):
            self.raises(ValueError, lambda: self.create(kind, server, [naive]))
            self.assertEqual(server.requests, [])

        def close_after(terse: Any) -> Iterator[Any]:
            yield from [good] * 1000
            terse.close()
            yield good

        with Server(self.batch(*[201] * 1000)) as server, Terse(server.url, KEY) as terse:
            closed = self.raises(TerseBatchError, lambda: terse.links.create_many(close_after(terse)))
            self.assertEqual((len(closed.results), type(closed.__cause__)), (1000, RuntimeError))

    def test_links_are_sent_as_they_arrive(self) -> None:
        with Server(self.batch(*[201] * 1000), self.batch(201)) as server:
            sent: list[int] = []

            async def links() -> AsyncIterator[LinkCreate]:
                for number in range(1001):
                    sent.append(len(server.requests))
                    yield {"destination_url": f"https://example.org/{number}"}

            self.assertEqual(len(self.create(AsyncTerse, server, links()).links), 1001)
            self.assertEqual((sent[999], sent[1000]), (0, 1))

    def test_answer_without_every_outcome(self) -> None:
        link = {"status": 201, "link": LINK}
        wrong: list[object] = [None, {}, [link], [link, {}], [link, {"status": 409}], [link, {**link, "status": "x"}]]
        for data in wrong:
            for kind, server in self.each(reply(200, {"data": data})):
                error = self.raises(TerseError, lambda: self.create(kind, server, [{"destination_url": "x"}] * 2))
                self.assertIsNotNone(error.response)
                self.assertEqual(server.headers("idempotency-key"), [f"{error.idempotency_key}-0"])

    def test_error_of_a_link_has_the_response(self) -> None:
        for kind, server in self.each(self.batch(409)):
            (failed,) = self.create(kind, server, [{"destination_url": "x"}]).failed
            assert isinstance(failed.error, CodeInUse) and failed.error.response
            self.assertEqual((failed.error.status, failed.error.response.status_code), (409, 200))
            copy = pickle.loads(pickle.dumps(failed.error))
            self.assertEqual((type(copy), copy.status, str(copy)), (CodeInUse, 409, str(failed.error)))

    def test_key_leaves_room_for_the_number(self) -> None:
        for kind, server in self.each(self.batch(201)):
            links = [{"destination_url": "x"}]
            self.create(kind, server, links, idempotency_key="k" * 250)
            self.raises(ValueError, lambda: self.create(kind, server, links, idempotency_key="k" * 251))
            self.assertEqual(len(server.requests), 1)

    def test_batch_is_no_larger_than_the_server_accepts(self) -> None:
        long = {"destination_url": f"https://example.org/{'x' * 8000}"}
        most = 4_000_000 // (len(json.dumps(long)) + 2)
        for kind, server in self.each(*(self.batch(*[201] * count) for count in (most, most, 1000 - 2 * most))):
            self.create(kind, server, [long] * 1000)
            self.assertEqual(len(server.requests), 3)
            self.assertLess(max(map(len, server.requests)), 4 << 20)


def documents() -> Iterator[tuple[type, type, dict[str, Any]]]:
    """Returns the clients of each document."""
    for name in ("openapi", "manage", "operator"):
        document = json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))
        blocking, other = (TerseOperator, AsyncTerseOperator) if name == "operator" else (Terse, AsyncTerse)
        yield blocking, other, document


def methods(client: Any) -> dict[str, Callable[..., Any]]:
    """Returns the public methods of a client and of its resources."""
    found: dict[str, Callable[..., Any]] = {}
    for name in dir(client.__class__):
        if name.startswith("_") or name == "close":
            continue
        value = getattr(client, name)
        for method in dir(value) if not callable(value) else ():
            if not method.startswith("_"):
                found[f"{name}.{method}"] = getattr(value, method)
        if callable(value):
            found[name] = value
    return found


class Documents(Case):
    def exchange(self, kind: type, answer: Callable[[httpx.Request], httpx.Response]) -> dict[str, Callable[..., Any]]:
        transport = httpx.MockTransport(answer)
        is_async = kind in (AsyncTerse, AsyncTerseOperator)
        http: Any = httpx.AsyncClient(transport=transport) if is_async else httpx.Client(transport=transport)
        return methods(kind("http://terse.invalid", KEY, http=http))

    def call(self, method: Callable[..., Any]) -> Any:
        positional = [p for p in inspect.signature(method).parameters.values() if p.kind is p.POSITIONAL_ONLY]
        result = method(*["x"] * len(positional))
        return asyncio.run(result) if inspect.iscoroutine(result) else result

    def test_both_clients_have_every_operation_and_the_same_names(self) -> None:
        every: dict[type, set[str]] = {kind: set() for kind in (Terse, AsyncTerse, TerseOperator, AsyncTerseOperator)}
        for kind, found in every.items():

            def answer(request: httpx.Request) -> httpx.Response:
                found.add(f"{request.method} {request.url.path}")
                return httpx.Response(204)

            for name, method in self.exchange(kind, answer).items():
                with contextlib.suppress(TerseError, TypeError):
                    if name != "links.create_many":
                        result = self.call(method)
                        page = result.page() if hasattr(result, "page") else None
                        _ = asyncio.run(page) if inspect.iscoroutine(page) else None
        for blocking, other, document in documents():
            self.assertEqual(*(set(self.exchange(kind, lambda _: httpx.Response(204))) for kind in (blocking, other)))
            for path, operations in document["paths"].items():
                for verb in ("get", "post", "put", "patch", "delete"):
                    if verb in operations:
                        request = f"{verb.upper()} {re.sub(r'{.*?}', 'x', path)}"
                        self.assertIn(request, every[blocking])
                        self.assertIn(request, every[other])

    def test_every_operation_is_repeated_as_its_document_allows(self) -> None:
        paths = {
            re.sub(r"{.*?}", "x", path): operations
            for _, _, document in documents()
            for path, operations in document["paths"].items()
        }
        for kind in (Terse, TerseOperator):
            requests: list[httpx.Request] = []

            def answer(request: httpx.Request) -> httpx.Response:
                requests.append(request)
                return httpx.Response(200 if len(requests) > 1 else 502, json={"data": []})

            for name, method in self.exchange(kind, answer).items():
                requests.clear()
                with contextlib.suppress(TerseProblem, TypeError):
                    result = self.call(method)
                    result.page() if isinstance(result, terse_client.Pages) else None
                if name == "links.create_many":
                    continue
                first = requests[0]
                operation = paths[first.url.path][first.method.lower()]
                takes_key = "Idempotency-Key" in str(operation.get("parameters"))
                is_repeated = first.method != "POST" or takes_key or first.url.path.endswith("-search")
                keys = {request.headers.get("Idempotency-Key") for request in requests}
                self.assertEqual((name, len(requests), len(keys)), (name, 1 + is_repeated, 1))
                self.assertEqual((name, None not in keys), (name, takes_key))

    def test_every_list_has_pages(self) -> None:
        found = set[str]()

        def answer(request: httpx.Request) -> httpx.Response:
            found.add(request.url.path)
            number = int(request.url.params.get("cursor", "0"))
            cursor = str(number + 1) if number < 2 else None
            if "/api/v1/" not in request.url.path:
                return httpx.Response(200, json={"data": [number], "next_cursor": cursor})
            link = f'<http://elsewhere.invalid{request.url.path}?cursor={cursor}>; rel="next"'
            return httpx.Response(200, json={"data": [number]}, headers={"Link": link} if cursor else {})

        def read(pages: Any) -> None:
            self.assertIs(iter(pages), pages)
            self.assertEqual((next(pages), list(pages), list(pages)), (0, [1, 2], []))
            self.assertEqual([page.data for page in pages.pages()], [[0], [1], [2]])
            self.assertEqual((pages.all(), pages.all(limit=2), pages.all(limit=0)), ([0, 1, 2], [0, 1], []))

        async def read_without_blocking(pages: Any) -> None:
            self.assertIs(aiter(pages), pages)
            self.assertEqual(await anext(pages), 0)
            self.assertEqual([item async for item in pages], [1, 2])
            self.assertEqual([item async for item in pages], [])
            self.assertEqual([page.data async for page in pages.pages()], [[0], [1], [2]])
            self.assertEqual(
                (await pages.all(), await pages.all(limit=2), await pages.all(limit=0)), ([0, 1, 2], [0, 1], [])
            )

        for kind in (Terse, AsyncTerse, TerseOperator, AsyncTerseOperator):
            found.clear()
            for method in self.exchange(kind, answer).values():
                if "Pages" not in str(inspect.signature(method).return_annotation):
                    continue
                pages: Any = self.call(method)
                if hasattr(pages, "__aiter__"):
                    asyncio.run(read_without_blocking(pages))
                else:
                    read(pages)
            for blocking, other, document in documents():
                for path, operations in document["paths"].items() if kind in (blocking, other) else ():
                    if "/cursor" in str(operations.get("get", {}).get("parameters")):
                        self.assertIn(re.sub(r"{.*?}", "x", path), found)


class Webhooks(Case):
    SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    BODY = json.dumps({"type": "link.created", "timestamp": "2027-01-02T12:00:00Z", "data": {"link": LINK}}).encode()

    def signature(self, moment: int, secret: str, body: bytes) -> str:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        return "v1," + base64.b64encode(hmac.digest(key, b"msg_1.%d." % moment + body, hashlib.sha256)).decode()

    def headers(self, moment: float, secret: str = SECRET, body: bytes = BODY, before: str = "") -> dict[str, str]:
        signature = before + self.signature(int(moment), secret, body)
        return {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(int(moment)), "Webhook-Signature": signature}

    def test_deliveries(self) -> None:
        now = time.time()
        other = "whsec_" + base64.b64encode(bytes(32)).decode()
        for headers in (self.headers(now), self.headers(now, before="v1,AAAA v2,x ")):
            event = verify_webhook(self.SECRET, headers, self.BODY)
            self.assertEqual((event["type"], event["data"]), ("link.created", {"link": LINK}))
        self.assertEqual(verify_webhook(self.SECRET, self.headers(now), self.BODY.decode())["type"], "link.created")
        # The line break of a file.
        self.assertEqual(verify_webhook(f"{self.SECRET}\n", self.headers(now), self.BODY)["type"], "link.created")
        wrong: list[dict[str, Any]] = [
            self.headers(now, other),
            self.headers(now - 301),
            self.headers(now + 302),
            self.headers(now, body=b"{}"),
            {},
        ]
        wrong += [{**self.headers(now), "Webhook-Timestamp": "now"}, {**self.headers(now), "Webhook-Signature": "v1,é"}]
        wrong += [{**self.headers(now), "Webhook-Timestamp": value} for value in ("9" * 400, "-1", "²", "", None, 7)]
        for name in self.headers(now):
            wrong += [{**self.headers(now), name: value} for value in ("\udcff", "\ud800", "é", ["msg_1"], None, b"1")]
        for headers in wrong:
            self.raises(terse_client.WebhookVerificationError, lambda: verify_webhook(self.SECRET, headers, self.BODY))
        forged = (
            "v1," + base64.b64encode(hmac.digest(b"", b"msg_1.%d." % int(now) + self.BODY, hashlib.sha256)).decode()
        )
        for secret in ("whsec_…", "whsec_AAA", "whsec_", ""):
            headers = {**self.headers(now), "Webhook-Signature": forged}
            self.raises(ValueError, lambda: verify_webhook(secret, headers, self.BODY))

    def test_official_library_agrees(self) -> None:
        try:
            import standardwebhooks
        except ImportError:
            self.skipTest("standardwebhooks is not installed")
        official = standardwebhooks.Webhook(self.SECRET)
        now = datetime.datetime.now(datetime.timezone.utc)
        signature = official.sign("msg_1", now, self.BODY.decode())
        headers = {**self.headers(now.timestamp()), "Webhook-Signature": signature}
        self.assertEqual(verify_webhook(self.SECRET, headers, self.BODY), json.loads(self.BODY))
        lower = {name.lower(): value for name, value in self.headers(now.timestamp()).items()}
        self.assertEqual(official.verify(self.BODY, lower), json.loads(self.BODY))


if __name__ == "__main__":
    unittest.main()
