"""The scenario of docs/contributing/generated-clients.md.

usage: scenario.py, with the address of the server in TERSE_URL, an API key in TERSE_KEY, and in
TERSE_LIMITED_KEY one whose owner may send one request per minute.
"""

import asyncio
import os
import secrets
from collections.abc import Callable
from typing import TypeVar

import httpx

from terse_client import DOCUMENT_VERSION, AsyncTerse, Terse, TerseProblem, response_of
from terse_client.problems import CodeInUse, InvalidInput, LinkNotFound, RateLimited, Unauthorized

URL = os.environ["TERSE_URL"]
KEY = os.environ["TERSE_KEY"]
DESTINATION = "https://example.org/spring?utm_source=mail"
Expected = TypeVar("Expected", bound=TerseProblem)


def problem(kind: type[Expected], call: Callable[[], object]) -> Expected:
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"the call did not raise {kind.__name__}")


def use_links(terse: Terse) -> None:
    created = terse.shorten(url=DESTINATION, title="Spring catalogue", campaign="spring")
    assert created["destination_url"] == DESTINATION and len(created["short_code"]) == 7, created
    response = response_of(created)
    assert response and response.headers["Location"] == f"{URL}/api/v1/stats/{created['short_code']}", created

    code = f"py-{secrets.token_hex(8)}"
    custom = terse.shorten(url=DESTINATION, custom_code=code, idempotency_key=code)
    assert custom["short_url"] == f"{URL}/{code}", custom
    assert terse.shorten(url=DESTINATION, custom_code=code, idempotency_key=code) == custom

    first = terse.list_links(limit=2).page(None)
    found = [(link["short_code"], link["campaign"], link["clicks"]) for link in first.data]
    assert found == [(code, None, 0), (created["short_code"], "spring", 0)], first
    for _ in range(3):
        terse.shorten(url=DESTINATION, campaign=code)
    paged = [link["short_code"] for link in terse.list_links(campaign=code, limit=2)]
    assert len(set(paged)) == 3, paged
    assert [link["short_code"] for link in terse.list_links(campaign=code)] == paged

    redirect = httpx.get(created["short_url"])
    assert (redirect.status_code, redirect.headers["location"]) == (302, DESTINATION)
    stats = terse.get_stats(created["short_code"])["data"]
    assert (stats["clicks"], stats["is_active"]) == (1, 1), stats

    assert terse.enable_qr_code(short_code=code, error_correction="Q", margin=2)["has_qr"] == 1
    with_qr = terse.list_qr_codes().page(None).data[0]
    assert (with_qr["short_code"], with_qr["title"]) == (code, None), with_qr
    check_problems(terse, code)


def check_problems(terse: Terse, taken: str) -> None:
    problem(Unauthorized, lambda: list(Terse(URL, "terse_unknownunknownunknown1").list_links()))
    problem(LinkNotFound, lambda: terse.get_stats("unknown"))
    problem(LinkNotFound, lambda: terse.get_stats("a/../b?c#d%"))
    again = problem(CodeInUse, lambda: terse.shorten(url=DESTINATION, custom_code=taken))
    assert (again.status, again.code, len(again.request_id)) == (409, "code-in-use", 16), again
    invalid = problem(InvalidInput, lambda: terse.shorten(url="example.org"))
    assert [error.get("pointer") for error in invalid.errors] == ["/url"], invalid.errors

    limited = Terse(URL, os.environ["TERSE_LIMITED_KEY"], retry_for=0)
    list(limited.list_links())
    throttled = problem(RateLimited, lambda: list(limited.list_links()))
    assert throttled.retry_after and throttled.retry_after > 0, throttled


async def use_links_without_blocking() -> None:
    campaign = secrets.token_hex(8)
    async with AsyncTerse(URL, KEY) as terse:
        created = await asyncio.gather(*(terse.shorten(url=DESTINATION, campaign=campaign) for _ in range(5)))
        codes = {link["short_code"] for link in created}
        assert {link["short_code"] async for link in terse.list_links(campaign=campaign, limit=2)} == codes
        try:
            await terse.get_stats("unknown")
            raise AssertionError("the call did not raise")
        except LinkNotFound as error:
            assert error.status == 404, error


assert httpx.get(f"{URL}/openapi.json").json()["info"]["version"] == DOCUMENT_VERSION
use_links(Terse(URL, KEY))
asyncio.run(use_links_without_blocking())
