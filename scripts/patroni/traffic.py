"""Clients that create and follow links through both addresses, and record every response."""

import http.client
import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cluster import Cluster
from processes import wait_for

CREATIONS = "creations"
CACHED = "cached redirects"
OTHERS = "other redirects"
KINDS = (CREATIONS, CACHED, OTHERS)
# Seconds between the requests of one client, and clients of each kind at each address. More links are created than
# followed, so that there are links to follow while none can be created.
PACE = {CREATIONS: 0.05, CACHED: 0.02, OTHERS: 0.1}
CLIENTS = 2
CACHED_LINKS = 20
TIMEOUT = 15
REPEAT_AFTER = 0.1


@dataclass
class Record:
    """What clients were told."""

    destinations: dict[str, str] = field(default_factory=dict)
    followed: Counter[str] = field(default_factory=Counter)
    # Requests for links without a response 302: the click may have been counted.
    unknown: Counter[str] = field(default_factory=Counter)
    # For each success, the seconds since the first attempt.
    waits: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    failures: Counter[str] = field(default_factory=Counter)


class Client:
    """One connection to one of the two addresses."""

    def __init__(self, address: str, key: str) -> None:
        self.address = address
        self.key = key
        self.connection = http.client.HTTPConnection(address, 8080, timeout=TIMEOUT)

    def request(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[int, bytes, str]:
        """Returns status, body and Location; the status 0 if there was no response."""
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return 0, b"", ""
        return response.status, content, response.headers.get("Location", "")

    def create(self, destination: str, idempotency_key: str) -> tuple[int, str]:
        """Creates a link, and returns the status and its code."""
        headers = {"X-API-Key": self.key, "Content-Type": "application/json", "Idempotency-Key": idempotency_key}
        status, content, _ = self.request("POST", "/api/v1/shorten", json.dumps({"url": destination}), headers)
        return status, json.loads(content)["short_code"] if status == 201 else ""

    def follow(self, code: str) -> tuple[int, str]:
        """Follows a link, and returns the status and the destination."""
        status, _, location = self.request("GET", f"/{code}", None, {})
        return status, location


class Traffic:
    """A few hundred requests per second until `pause`."""

    def __init__(self, cluster: Cluster, key: str) -> None:
        self.cluster = cluster
        self.key = key
        self.record = Record()
        self.lock = threading.Lock()
        self.fresh: list[str] = []
        self.cached: list[str] = []
        self.threads: list[threading.Thread] = []
        self.ended = threading.Event()
        self.errors: list[BaseException] = []
        client = self.client(0)
        for _ in range(CACHED_LINKS):
            self.create(client)
        self.cached = list(self.record.destinations)

    def client(self, number: int) -> Client:
        instances = self.cluster.instances
        return Client(instances[number % len(instances)].address, self.key)

    def resume(self) -> None:
        self.ended = threading.Event()
        self.record.waits = {kind: [] for kind in KINDS}
        self.record.failures = Counter()
        work = {CREATIONS: self.create, CACHED: self.follow_cached, OTHERS: self.follow_other}
        self.threads = [
            threading.Thread(target=self.repeat, args=(kind, work[kind], number), daemon=True)
            for kind in KINDS
            for number in range(CLIENTS * len(self.cluster.instances))
        ]
        for thread in self.threads:
            thread.start()

    def wait_for_creations(self) -> None:
        """Waits until clients have created ten more links."""
        waits = self.record.waits[CREATIONS]
        enough = len(waits) + 10
        wait_for("creations succeed", lambda: len(waits) >= enough)

    def pause(self) -> None:
        """Ends all clients. Each first repeats its request until it succeeds."""
        self.ended.set()
        for thread in self.threads:
            thread.join(120)
            if thread.is_alive():
                raise TimeoutError("a request never succeeds")
        if self.errors:
            raise self.errors[0]

    def repeat(self, kind: str, work: Callable[[Client], None], number: int) -> None:
        client = self.client(number)
        while not self.ended.is_set():
            started = time.monotonic()
            try:
                work(client)
            except Exception as error:
                self.errors.append(error)
                raise
            time.sleep(max(0.0, started + PACE[kind] - time.monotonic()))

    def note(self, kind: str, started: float, is_success: bool) -> None:
        if is_success:
            self.record.waits[kind].append(time.monotonic() - started)
        else:
            self.record.failures[kind] += 1

    def create(self, client: Client) -> None:
        """Creates a link, and repeats the request with its key until the response is 201."""
        key = str(uuid.uuid4())
        destination = f"https://example.org/{key}"
        started = time.monotonic()
        while True:
            status, code = client.create(destination, key)
            with self.lock:
                self.note(CREATIONS, started, status == 201)
                if status == 201:
                    assert code not in self.record.destinations, f"{code} was issued twice"
                    self.record.destinations[code] = destination
                    self.fresh.append(code)
                    return
            time.sleep(REPEAT_AFTER)

    def follow_cached(self, client: Client) -> None:
        self.follow(client, CACHED, random.choice(self.cached))

    def follow_other(self, client: Client) -> None:
        """Follows a link that no instance has looked up yet, if there is one."""
        with self.lock:
            code = self.fresh.pop() if self.fresh else None
        if code is not None:
            self.follow(client, OTHERS, code)

    def follow(self, client: Client, kind: str, code: str) -> None:
        """Follows a link, and repeats the request until the response is 302."""
        started = time.monotonic()
        while True:
            status, location = client.follow(code)
            with self.lock:
                self.note(kind, started, status == 302)
                if status == 302:
                    assert location == self.record.destinations[code], f"{code} leads to {location}"
                    self.record.followed[code] += 1
                    return
                if status == 404:
                    # The database has lost the link.
                    return
                self.record.unknown[code] += 1
            time.sleep(REPEAT_AFTER)
