"""The operations of Terse: the operator's programs. Generated from openapi/operator.json by scripts/clients --generate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._client import AsyncClient, Client, segment
from .models import OperatorAccount

__all__ = ["DOCUMENT_VERSION", "AsyncOperator", "Operator"]

#: The version of the document from which this module was generated.
DOCUMENT_VERSION = "0.1.0"


class Operator(Client):
    """The operations of Terse: the operator's programs."""

    def get_operator(self) -> OperatorAccount:
        """Read the operator key.

        Returns the name and the role of the operator key that sends the request.
        """
        return self._call(OperatorAccount, "GET", "/api/operator/v1/operator")


class AsyncOperator(AsyncClient):
    """The operations of Terse: the operator's programs."""

    async def get_operator(self) -> OperatorAccount:
        """Read the operator key.

        Returns the name and the role of the operator key that sends the request.
        """
        return await self._call(OperatorAccount, "GET", "/api/operator/v1/operator")
