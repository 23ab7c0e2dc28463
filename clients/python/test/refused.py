"""Calls that type checkers must refuse: `mypy --strict` reports an `ignore` that is not needed."""

import datetime

from terse_client import AsyncTerse, Terse, TerseOperator


def refused(terse: Terse, operator: TerseOperator, other: AsyncTerse) -> None:
    terse.links.update("spring", is_paused=7)  # type: ignore[arg-type]  # pyright: ignore
    terse.links.update("spring", colour="red")  # type: ignore[call-arg]  # pyright: ignore
    terse.links.list(state="pasued")  # type: ignore[arg-type]  # pyright: ignore
    terse.links.get("spring", if_match="*")  # type: ignore[call-arg]  # pyright: ignore
    terse.keys.create(label="shop")  # type: ignore[call-arg]  # pyright: ignore
    terse.keys.create(scope="everything")  # type: ignore[arg-type]  # pyright: ignore
    operator.domains.create(host="go.example.org")  # type: ignore[call-arg]  # pyright: ignore
    operator.blocks.delete()  # type: ignore[call-arg]  # pyright: ignore
    other.links.get("spring")["state"]  # type: ignore[index]  # pyright: ignore
    if terse.links.get("spring")["state"] == "pasued":  # type: ignore[comparison-overlap]  # pyright: ignore
        pass
    for item in terse.links.create_batch(links=[{"destination_url": "https://example.org/"}])["data"]:
        item["problem"]  # type: ignore[typeddict-item]  # pyright: ignore


def accepted(terse: Terse, operator: TerseOperator) -> list[str]:
    noon = datetime.datetime(2027, 1, 2, 12, tzinfo=datetime.timezone.utc)
    terse.links.update("spring", expires_at=noon, timeout=5, headers={"X-Request-Id": "1"})
    terse.links.clicks("spring", from_day=noon.date(), to_day="2027-01-31")
    operator.link_changes.create(action="pause", selectors={"campaign": "spring"})
    items = terse.links.create_batch(links=[{"destination_url": "https://example.org/"}])["data"]
    return [
        item["link"]["short_url"] if item["status"] == 201 or item["status"] == 200 else item["problem"]["code"]
        for item in items
    ]
