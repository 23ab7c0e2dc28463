"""The operations of Terse: the operator's programs. Generated from openapi/operator.json by scripts/clients --generate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._client import AsyncClient, Client, segment
from .models import OperatorAccount, OwnersReport, UsageOfMonth

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

    def get_usage(self, *, month: str | None = None) -> UsageOfMonth:
        """Read the usage of a month.

        Returns what each owner used in a month (UTC): requests, created links, links and clicks.
        Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage
        never changes.
        """
        return self._call(UsageOfMonth, "GET", "/api/operator/v1/usage", query={"month": month})

    def get_owners_report(
        self, *, month: str | None = None, by: str | None = None, owner: str | None = None
    ) -> OwnersReport:
        """Read the clicks of a month.

        Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up
        by owner, campaign, link or several of them. Groups without clicks are missing. Deleted
        links are one row per owner, without a code.
        """
        return self._call(
            OwnersReport,
            "GET",
            "/api/operator/v1/reports/clicks",
            query={"month": month, "by": by, "owner": owner},
        )


class AsyncOperator(AsyncClient):
    """The operations of Terse: the operator's programs."""

    async def get_operator(self) -> OperatorAccount:
        """Read the operator key.

        Returns the name and the role of the operator key that sends the request.
        """
        return await self._call(OperatorAccount, "GET", "/api/operator/v1/operator")

    async def get_usage(self, *, month: str | None = None) -> UsageOfMonth:
        """Read the usage of a month.

        Returns what each owner used in a month (UTC): requests, created links, links and clicks.
        Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage
        never changes.
        """
        return await self._call(
            UsageOfMonth, "GET", "/api/operator/v1/usage", query={"month": month}
        )

    async def get_owners_report(
        self, *, month: str | None = None, by: str | None = None, owner: str | None = None
    ) -> OwnersReport:
        """Read the clicks of a month.

        Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up
        by owner, campaign, link or several of them. Groups without clicks are missing. Deleted
        links are one row per owner, without a code.
        """
        return await self._call(
            OwnersReport,
            "GET",
            "/api/operator/v1/reports/clicks",
            query={"month": month, "by": by, "owner": owner},
        )
