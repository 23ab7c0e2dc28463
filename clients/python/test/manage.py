"""A story on the management interface.

usage: manage.py, with the address of the server in TERSE_URL and an API key with the scope `full` in
TERSE_KEY.
"""

import asyncio
import datetime
import http.client
import os
import secrets
import time

from terse_client import AsyncTerse, CreatedLinks, Terse, TerseProblem
from terse_client.problems import CodeInUse, LinkNotFound, OwnKey, PreconditionFailed
from terse_client.types.manage import LinkCreate

URL = os.environ["TERSE_URL"]
KEY = os.environ["TERSE_KEY"]


def wait_for_status(short_url: str, expected: int) -> None:
    """Waits until a short URL returns this status."""
    for _ in range(50):
        connection = http.client.HTTPConnection(URL.removeprefix("http://"))
        connection.request("GET", short_url.removeprefix(URL))
        if connection.getresponse().status == expected:
            return
        time.sleep(0.1)
    raise AssertionError(f"{short_url} does not return {expected}")


def manage_links(terse: Terse) -> None:
    campaign = f"py-{secrets.token_hex(8)}"
    for index in range(5):
        terse.shorten(url=f"https://example.org/{index}", campaign=campaign)
    found = list(terse.links.list(campaign=campaign, limit=2))
    assert [link["destination_url"][-1] for link in found] == ["4", "3", "2", "1", "0"], found
    code = found[0]["short_code"]

    # Two programs have read the same version; the second change is refused.
    mine, theirs = found[0], terse.links.get(code)
    assert mine["etag"] == theirs["etag"], mine
    changed = terse.links.update(code, title="Spring", audit={"note": "a typing error"}, if_match=mine)
    assert (changed["title"], changed["campaign"]) == ("Spring", campaign), changed
    try:
        terse.links.update(code, title="Summer", if_match=theirs)
        raise AssertionError("the change was not refused")
    except PreconditionFailed:
        pass
    cleared = terse.links.update(code, title=None, if_match=changed)
    assert cleared["title"] is None, cleared
    try:
        terse.links.update(code, if_match={"title": "from elsewhere"})
        raise AssertionError("the object was taken for a version")
    except TypeError:
        pass

    # A paused link does not redirect, until its owner ends the pause.
    paused = terse.links.update(code, is_paused=True)
    assert (paused["state"], paused["is_active"]) == ("paused", False), paused
    found = list(terse.links.list(campaign=campaign, state="paused"))
    assert [link["short_code"] for link in found] == [code], found
    wait_for_status(paused["short_url"], 410)
    unpaused = terse.links.update(code, is_paused=False)
    assert unpaused["etag"] == cleared["etag"], unpaused
    wait_for_status(paused["short_url"], 302)

    days = terse.links.clicks(code, from_day=datetime.date(2026, 1, 1), to_day="2026-01-31")
    assert len(days["data"]) == 31, days
    assert isinstance(terse.reports.clicks(by="link")["data"], list)
    events = [(event["action"], event["audit"]["note"]) for event in terse.links.events(code)]
    assert events == [*[("link edit", None)] * 3, ("link edit", "a typing error")], events

    terse.links.delete(code, reason="owner-request", if_match=cleared)
    for call in (terse.links.get, terse.links.delete):
        try:
            call(code)
            raise AssertionError("the link is still there")
        except LinkNotFound:
            pass


def create_many(terse: Terse) -> None:
    """Creates more links than one request can. Each has a result of its own."""
    campaign = f"py-{secrets.token_hex(8)}"
    links: list[LinkCreate] = [
        {"destination_url": f"https://example.org/{number}", "campaign": campaign} for number in range(1200)
    ]
    links[17]["destination_url"] = "nowhere"
    links[18]["custom_code"] = links[19]["custom_code"] = campaign

    def send() -> CreatedLinks:
        return terse.links.create_many(links, idempotency_key=campaign)

    result = send()
    assert [failed.index for failed in result.failed] == [17, 19], result.failed
    invalid, taken = (failed.error for failed in result.failed)
    assert isinstance(taken, CodeInUse), taken
    assert isinstance(invalid, TerseProblem), invalid
    assert [error.get("pointer") for error in invalid.errors] == ["/links/17/destination_url"], invalid.problem
    for one in result.results:
        assert one.link is None or one.link["destination_url"] == one.request["destination_url"], one
    assert [one.link for one in send().results] == [one.link for one in result.results]
    found = {link["short_code"] for link in terse.links.list(campaign=campaign)}
    assert found == {link["short_code"] for link in result.links} and len(found) == 1198, len(found)


def manage_keys(terse: Terse) -> None:
    owner = terse.owner.get()
    own = owner["key"]
    assert (owner["name"], own["scope"]) == ("default", "full"), owner
    assert own["id"] in [key["id"] for key in terse.keys.list(limit=1)]
    assert terse.keys.update(own["id"], label="story")["label"] == "story"
    try:
        terse.keys.revoke(own["id"])
        raise AssertionError("the key revoked itself")
    except OwnKey:
        pass

    # A new key replaces another one. A repeat of its creation returns the same secret.
    name = secrets.token_hex(8)
    rotated = terse.keys.create(label=name, scope="full", idempotency_key=name)
    assert terse.keys.create(label=name, scope="full", idempotency_key=name) == rotated
    with Terse(URL, rotated["secret"]) as replacement:
        assert replacement.owner.get()["key"]["label"] == name
    terse.keys.revoke(rotated["id"], note="the story is over")
    assert terse.keys.get(rotated["id"])["revoked_at"] is not None


async def manage_without_blocking() -> None:
    async with AsyncTerse(URL, KEY) as terse:
        (link,) = await terse.links.list().all(limit=1)
        code = link["short_code"]
        changed = await terse.links.update(code, title="Autumn", if_match=await terse.links.get(code))
        assert changed["title"] == "Autumn", changed


with Terse(URL, KEY) as terse:
    manage_links(terse)
    create_many(terse)
    manage_keys(terse)
asyncio.run(manage_without_blocking())
