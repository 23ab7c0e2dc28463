"""Prints what this package, Stripe's and Dub's do with servers that misbehave, without settings.

usage: PYTHONPATH=.. DOCUMENTS=../../../../openapi compare.py, where terse-client, stripe and dub are installed.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import dub
import faults
import stripe
from faults import KEY, Answer, Server, close, half, reply, slowly
from terse_client import Terse

#: Seconds after which a call counts as one that does not end.
PATIENCE = 20


def terse(url: str, code: str | None = None) -> Any:
    client = Terse(url, KEY)
    return client.links.get(code) if code else client.links.create(destination_url="https://example.org/")


def stripes(url: str, code: str | None = None) -> Any:
    client = stripe.StripeClient(KEY, base_addresses={"api": url})
    return client.v1.customers.retrieve(code) if code else client.v1.customers.create()


def dubs(url: str, code: str | None = None) -> Any:
    client = dub.Dub(token=KEY, server_url=url)
    return client.links.delete(link_id=code) if code else client.links.create(request={"url": "https://example.org/"})


def outcome(call: Callable[..., Any], *arguments: Any) -> str:
    """Returns how a call ends, and after how many seconds."""
    found = ["does not end"]

    def run() -> None:
        started = time.monotonic()
        try:
            call(*arguments)
            ended = "succeeds"
        except Exception as error:
            ended = type(error).__name__
        found[0] = f"{ended} after {time.monotonic() - started:.0f} s"

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found[0]


def again(answer: Answer) -> list[Answer]:
    return [answer, reply(200, {"id": "x", "object": "customer"})]


CASES: dict[str, list[Answer]] = {
    "503": again(faults.problem(503, "unavailable")),
    "429": again(faults.problem(429, "rate-limited")),
    "lost connection": again(close),
    "half a body": again(half),
    "no answer": [faults.never],
    "a byte per half second": [slowly(0.5)],
}

for name, answers in CASES.items():
    for call in (terse, stripes, dubs):
        with Server(*answers) as server:
            ended = outcome(call, server.url)
            keys = {*server.headers("idempotency-key")} - {""}
            print(f"{name} | {call.__name__} | {ended}, {len(server.requests)} requests, {len(keys)} keys")
for call in (terse, stripes, dubs):
    with Server(reply(200, {})) as other, Server(reply(307, Location=f"{other.url}/")) as server:
        ended = outcome(call, server.url)
        print(f"redirect | {call.__name__} | {ended}, key sent there: {KEY in str(other.requests)}")
    with Server(reply(200, {})) as server:
        ended = outcome(call, server.url, ".")
        print(f"code of . | {call.__name__} | {ended}, {[request.splitlines()[0] for request in server.requests]}")
    with Server(reply(200, {})) as proxy, Server(reply(200, {})) as server:
        with faults.environment(HTTP_PROXY=proxy.url, http_proxy=proxy.url, NO_PROXY=""):
            ended = outcome(call, server.url)
        print(f"proxy of the environment | {call.__name__} | {ended}, key sent there: {KEY in str(proxy.requests)}")
