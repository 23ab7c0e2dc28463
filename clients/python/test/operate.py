"""A story on the operator's interface: a customer from creation to deletion.

usage: operate.py, with the address of its listener in TERSE_OPERATOR_URL, an operator key of the role `admin` in
TERSE_OPERATOR_KEY, the address of the public server in TERSE_URL, and an API key of an owner in TERSE_KEY.
"""

import asyncio
import os
import secrets
import time
from collections.abc import Callable

from terse_client import Terse
from terse_client.operator import AsyncOperator, Operator
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


def operate(operator: Operator) -> None:
    name = f"py-{secrets.token_hex(8)}"
    host = f"{name}.example"
    assert operator.get_operator()["role"] == "admin"
    with Operator(URL, os.environ["TERSE_KEY"]) as stranger:
        assert refuses(Unauthorized, stranger.get_operator)

    # A customer with a plan and a first key. A repeat of the creation returns the same secret.
    plan = operator.create_plan(name=name, max_links=10, custom_codes=1, idempotency_key=f"{name}-plan")
    assert (plan["max_links"], plan["links_per_day"]) == (10, None), plan
    created = operator.create_owner(name=name, plan=name, api_key={"scope": "full"}, idempotency_key=name)
    again = operator.create_owner(name=name, plan=name, api_key={"scope": "full"}, idempotency_key=name)
    assert created == again, again
    owner, key = created["owner"], created["api_key"]
    assert key is not None
    assert operator.find_key(secret=key["secret"])["owner"] == name
    assert [one["id"] for one in operator.list_owners(name=name)] == [owner["id"]]
    assert refuses(OwnerExists, lambda: operator.create_owner(name=name))

    # A domain of the customer's own.
    domain = operator.create_domain(host=host.upper(), owner=name)
    assert (domain["host"], domain["owner_id"], domain["is_default"]) == (host, owner["id"], 1), domain
    home = operator.update_domain(host, home_url="https://example.org/")
    assert home["home_url"] == "https://example.org/", home
    assert list(operator.list_domains(owner=name)) == [home]
    assert refuses(DomainExists, lambda: operator.create_domain(host=host, owner="default"))

    # The customer works with the key.
    with Terse(os.environ["TERSE_URL"], key["secret"]) as terse:
        code = terse.shorten(url="https://example.org/sale", custom_code=name)["short_code"]
        wait_until(lambda: operator.get_link(code)["short_url"] == f"http://{host}/{code}")
        operator.change_links(action="pause", selectors={"owner": name}, audit={"case_id": name})
        paused = operator.list_links(owner=name, state="paused")
        assert [link["short_code"] for link in paused] == [code]

        # A bill, and what happens if it is not paid.
        (row,) = [row for row in operator.get_usage()["data"] if row["owner_id"] == owner["id"]]
        assert (row["links"], row["links_created"], row["clicks"]) == (1, 1, 0), row
        assert refuses(OwnerNotSuspended, lambda: operator.delete_owner(owner["id"]))
        suspended = operator.suspend_owner(owner["id"], audit={"note": "the bill is open", "case_id": name})
        assert suspended["changed"] == 1, suspended
        wait_until(lambda: refuses(OwnerSuspended, lambda: terse.get_stats(code)))
    events = [(event["action"], event["actor"]["type"]) for event in operator.list_events(case=name)]
    assert events == [("owner suspend", "operator_key"), ("link pause", "operator_key")], events

    # Oldest first, page by page.
    followed = list(operator.list_events(case=name, after=0, limit=1))
    assert [(event["action"], event["actor"]["type"]) for event in followed] == events[::-1], followed

    operator.delete_owner(owner["id"], case=name)
    assert refuses(OwnerNotFound, lambda: operator.get_owner(owner["id"]))
    assert refuses(DomainNotFound, lambda: operator.get_domain(host))
    assert refuses(LinkNotFound, lambda: operator.get_link(code))


async def operate_without_blocking() -> None:
    name = f"py-{secrets.token_hex(8)}"
    async with AsyncOperator(URL, KEY) as operator:
        owner = (await operator.create_owner(name=name))["owner"]["id"]
        for host in (f"{name}.example", f"{name}.test"):
            await operator.create_domain(host=host, owner_id=owner)
        domains = {domain["host"] async for domain in operator.list_domains(owner=name, limit=1)}
        assert domains == {f"{name}.example", f"{name}.test"}, domains
        await operator.delete_domain(f"{name}.test", reason="other")


with Operator(URL, KEY) as operator:
    operate(operator)
asyncio.run(operate_without_blocking())
