"""A story on the operator's interface: a customer from creation to deletion.

usage: operate.py, with the address of its listener in TERSE_OPERATOR_URL, an operator key of the role `admin` in
TERSE_OPERATOR_KEY, the address of the public server in TERSE_URL, and an API key of an owner in TERSE_KEY.
"""

import asyncio
import os
import secrets
import time
from collections.abc import Callable

from terse_client import AsyncTerseOperator, Terse, TerseOperator
from terse_client.problems import (
    DomainExists,
    DomainNotFound,
    LinkNotFound,
    OwnerExists,
    OwnerNotFound,
    OwnerNotSuspended,
    OwnerSuspended,
    Unauthorized,
)

URL = os.environ["TERSE_OPERATOR_URL"]
KEY = os.environ["TERSE_OPERATOR_KEY"]


def refuses(problem: type[Exception], call: Callable[[], object]) -> bool:
    """Returns whether a call raises this problem."""
    try:
        call()
    except problem:
        return True
    return False


def wait_until(check: Callable[[], bool]) -> None:
    """Waits for what servers follow within a second."""
    for _ in range(50):
        if check():
            return
        time.sleep(0.1)
    raise AssertionError("the change has not arrived")


def operate(operator: TerseOperator) -> None:
    name = f"py-{secrets.token_hex(8)}"
    host = f"{name}.example"
    assert operator.operator.get()["role"] == "admin"
    with TerseOperator(URL, os.environ["TERSE_KEY"]) as stranger:
        assert refuses(Unauthorized, stranger.operator.get)

    # A customer with a plan and a first key. A repeat of the creation returns the same secret.
    plan = operator.plans.create(name=name, max_links=10, custom_codes=True, idempotency_key=f"{name}-plan")
    assert (plan["max_links"], plan["links_per_day"]) == (10, None), plan
    created = operator.owners.create(name=name, plan_name=name, key={"scope": "full"}, idempotency_key=name)
    again = operator.owners.create(name=name, plan_name=name, key={"scope": "full"}, idempotency_key=name)
    assert created == again, again
    owner, key = created, created["key"]
    assert key is not None
    assert operator.keys.find(secret=key["secret"])["owner_name"] == name
    assert [one["id"] for one in operator.owners.list(name=name)] == [owner["id"]]
    assert refuses(OwnerExists, lambda: operator.owners.create(name=name))

    # A domain of the customer's own.
    domain = operator.domains.create(host=host.upper(), owner_id=owner["id"])
    assert (domain["host"], domain["owner_id"], domain["is_default"]) == (host, owner["id"], True), domain
    home = operator.domains.update(host, home_url="https://example.org/")
    assert home["home_url"] == "https://example.org/", home
    assert list(operator.domains.list(owner_id=owner["id"])) == [home]
    assert refuses(DomainExists, lambda: operator.domains.create(host=host, owner_id=owner["id"]))

    # The customer works with the key.
    with Terse(os.environ["TERSE_URL"], key["secret"]) as terse:
        code = terse.shorten(url="https://example.org/sale", custom_code=name)["short_code"]
        wait_until(lambda: operator.links.get(code)["short_url"] == f"http://{host}/{code}")
        operator.link_changes.create(action="pause", selectors={"owner_id": owner["id"]}, audit={"case_id": name})
        paused = operator.links.list(owner_id=owner["id"], state="paused")
        assert [link["short_code"] for link in paused] == [code]

        # A bill, and what happens if it is not paid.
        (row,) = [row for row in operator.usage.get()["data"] if row["owner_id"] == owner["id"]]
        assert (row["links"], row["links_created"], row["clicks"]) == (1, 1, 0), row
        assert refuses(OwnerNotSuspended, lambda: operator.owners.delete(owner["id"]))
        suspended = operator.owners.suspend(owner["id"], audit={"note": "the bill is open", "case_id": name})
        assert suspended["changed"] == 1, suspended
        wait_until(lambda: refuses(OwnerSuspended, lambda: terse.get_stats(code)))
    events = [(event["action"], event["actor"]["type"]) for event in operator.events.list(case_id=name)]
    assert events == [("owner suspend", "operator_key"), ("link pause", "operator_key")], events

    # Oldest first, page by page.
    followed = list(operator.events.list(case_id=name, after_id=0, limit=1))
    assert [(event["action"], event["actor"]["type"]) for event in followed] == events[::-1], followed

    operator.owners.delete(owner["id"], case_id=name)
    assert refuses(OwnerNotFound, lambda: operator.owners.get(owner["id"]))
    assert refuses(DomainNotFound, lambda: operator.domains.get(host))
    assert refuses(LinkNotFound, lambda: operator.links.get(code))


async def operate_without_blocking() -> None:
    name = f"py-{secrets.token_hex(8)}"
    async with AsyncTerseOperator(URL, KEY) as operator:
        owner = (await operator.owners.create(name=name))["id"]
        for host in (f"{name}.example", f"{name}.test"):
            await operator.domains.create(host=host, owner_id=owner)
        domains = {domain["host"] async for domain in operator.domains.list(owner_id=owner, limit=1)}
        assert domains == {f"{name}.example", f"{name}.test"}, domains
        await operator.domains.delete(f"{name}.test", reason="other")


with TerseOperator(URL, KEY) as operator:
    operate(operator)
asyncio.run(operate_without_blocking())
