"""A story on the operator's interface.

usage: operate.py, with the address of its listener in TERSE_OPERATOR_URL, an operator key of the role `admin` in
TERSE_OPERATOR_KEY, and an API key of an owner in TERSE_KEY.
"""

import asyncio
import os

from terse_client.operator import AsyncOperator, Operator
from terse_client.problems import Unauthorized

URL = os.environ["TERSE_OPERATOR_URL"]
KEY = os.environ["TERSE_OPERATOR_KEY"]


def operate(operator: Operator) -> None:
    assert operator.get_operator()["role"] == "admin"
    with Operator(URL, os.environ["TERSE_KEY"]) as stranger:
        try:
            stranger.get_operator()
            raise AssertionError("an owner's key is accepted")
        except Unauthorized:
            pass


async def operate_without_blocking() -> None:
    async with AsyncOperator(URL, KEY) as operator:
        assert (await operator.get_operator())["role"] == "admin"


with Operator(URL, KEY) as operator:
    operate(operator)
asyncio.run(operate_without_blocking())
