"""A story on the management interface.

usage: manage.py, with the address of the server in TERSE_URL and an API key with the scope `full` in
TERSE_KEY.
"""

import asyncio
import http.client
import os
import secrets
import time

from terse_client import Terse, etag_of
from terse_client.manage import AsyncManage, Manage
from terse_client.manage.models import LinkBatch, LinkCreate
from terse_client.problems import LinkNotFound, OwnKey, PreconditionFailed

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


def manage_links(terse: Terse, manage: Manage) -> None:
    campaign = f"py-{secrets.token_hex(8)}"
    for index in range(5):
        terse.shorten(url=f"https://example.org/{index}", campaign=campaign)
    found = list(manage.list_links(campaign=campaign, limit=2))
    assert [link["destination_url"][-1] for link in found] == ["4", "3", "2", "1", "0"], found
    code = found[0]["short_code"]

    # Two programs have read the same version; the second change is refused.
    mine, theirs = manage.get_link(code), manage.get_link(code)
    assert etag_of(mine), mine
    changed = manage.update_link(code, title="Spring", audit={"note": "a typing error"}, if_match=mine)
    assert (changed["title"], changed["campaign"]) == ("Spring", campaign), changed
    try:
        manage.update_link(code, title="Summer", if_match=theirs)
        raise AssertionError("the change was not refused")
    except PreconditionFailed:
        pass
    cleared = manage.update_link(code, title=None, if_match=changed)
    assert cleared["title"] is None, cleared
    try:
        manage.update_link(code, if_match={"title": "from elsewhere"})
        raise AssertionError("the object was taken for a version")
    except TypeError:
        pass

    # A paused link does not redirect, until its owner ends the pause.
    paused = manage.update_link(code, is_paused=1)
    assert (paused["state"], paused["is_active"]) == ("paused", 0), paused
    found = list(manage.list_links(campaign=campaign, state="paused"))
    assert [link["short_code"] for link in found] == [code], found
    wait_for_status(paused["short_url"], 410)
    unpaused = manage.update_link(code, is_paused=0)
    assert etag_of(unpaused) == etag_of(cleared), unpaused
    wait_for_status(paused["short_url"], 302)

    days = manage.get_link_clicks(code, from_="2026-01-01", to="2026-01-31")
    assert len(days["data"]) == 31, days
    assert isinstance(manage.get_click_report(by="link")["data"], list)
    events = [(event["action"], event["audit"]["note"]) for event in manage.list_link_events(code)]
    assert events == [*[("link edit", None)] * 3, ("link edit", "a typing error")], events

    manage.delete_link(code, reason="owner-request", if_match=cleared)
    for call in (manage.get_link, manage.delete_link):
        try:
            call(code)
            raise AssertionError("the link is still there")
        except LinkNotFound:
            pass


def create_many(manage: Manage) -> None:
    """Creates a thousand links with one request. Each has a result of its own."""
    campaign = f"py-{secrets.token_hex(8)}"
    links: list[LinkCreate] = [
        {"destination_url": f"https://example.org/{number}", "campaign": campaign} for number in range(1000)
    ]
    links[17]["destination_url"] = "nowhere"
    links[18]["custom_code"] = links[19]["custom_code"] = campaign

    def send() -> LinkBatch:
        batch = manage.create_links(links=links, idempotency_key=campaign)
        # The repetition replays what exists, and creates what failed for the moment.
        is_unfinished = any(item["status"] == 503 for item in batch["data"])
        return send() if is_unfinished else batch

    items = send()["data"]
    statuses = [item["status"] for item in items]
    assert statuses == [201] * 17 + [422, 201, 409] + [201] * 980, statuses
    problem = items[17].get("problem")
    assert problem, items[17]
    assert [error.get("pointer") for error in problem.get("errors", [])] == ["/links/17/destination_url"], problem
    created = [item.get("link") for item in items]
    for link, request in zip(created, links, strict=True):
        assert link is None or link["destination_url"] == request["destination_url"], link
    assert [item.get("link") for item in send()["data"]] == created
    found = {link["short_code"] for link in manage.list_links(campaign=campaign)}
    assert found == {link["short_code"] for link in created if link}, len(found)


def manage_keys(manage: Manage) -> None:
    owner = manage.get_owner()
    own = owner["key"]
    assert (owner["name"], own["scope"]) == ("default", "full"), owner
    assert own["id"] in [key["id"] for key in manage.list_keys(limit=1)]
    assert manage.update_key(own["id"], label="story")["label"] == "story"
    try:
        manage.revoke_key(own["id"])
        raise AssertionError("the key revoked itself")
    except OwnKey:
        pass

    # A new key replaces another one. A repeat of its creation returns the same secret.
    name = secrets.token_hex(8)
    rotated = manage.create_key(label=name, scope="full", idempotency_key=name)
    assert manage.create_key(label=name, scope="full", idempotency_key=name) == rotated
    with Manage(URL, rotated["secret"]) as replacement:
        assert replacement.get_owner()["key"]["label"] == name
    manage.revoke_key(rotated["id"], note="the story is over")
    assert manage.get_key(rotated["id"])["revoked_at"] is not None


async def manage_without_blocking() -> None:
    async with AsyncManage(URL, KEY) as manage:
        link = await manage.list_links(limit=1).page(None)
        code = link.data[0]["short_code"]
        changed = await manage.update_link(code, title="Autumn", if_match=await manage.get_link(code))
        assert changed["title"] == "Autumn", changed


with Terse(URL, KEY) as terse, Manage(URL, KEY) as manage:
    manage_links(terse, manage)
    create_many(manage)
    manage_keys(manage)
asyncio.run(manage_without_blocking())
