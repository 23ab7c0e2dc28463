"""The operations of Terse. Generated from openapi/openapi.json by scripts/clients --generate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._client import AsyncClient, AsyncPages, Client, Pages, segment
from .models import (
    Link,
    QrCodeLink,
    QrCodeRequest,
    QrCodeResponse,
    ShortenRequest,
    ShortenResponse,
    StatsResponse,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DOCUMENT_VERSION", "AsyncTerse", "Terse"]

#: The version of the document from which this module was generated.
DOCUMENT_VERSION = "0.1.0"


class Terse(Client):
    """The operations of Terse."""

    def shorten(
        self, *, idempotency_key: str | None = None, **body: Unpack[ShortenRequest]
    ) -> ShortenResponse:
        """Create a short link.

        Creates a link of the API key's owner, which redirects as soon as the response is sent. Its
        code is random, 7 characters that are hard to confuse, unless `custom_code` is given and the
        owner's plan allows custom codes. The same `url` twice creates two links, each with its own
        clicks.

        Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`,
        `daily-limit-reached`, `expiry-passed` or `idempotency-key-reused`. None of them creates
        anything.
        """
        return self._call(
            ShortenResponse,
            "POST",
            "/api/v1/shorten",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def list_links(
        self, *, limit: int = 1000, campaign: str | None = None, active: int | None = None
    ) -> Pages[Link]:
        """List all links.

        Returns all links of the API key's owner, newest first, with their current clicks.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
        absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(
            Link, "/api/v1/links", query={"limit": limit, "campaign": campaign, "active": active}
        )

    def get_stats(self, code: str, /) -> StatsResponse:
        """Read the statistics of a link.

        Returns a link and its clicks. Every click whose redirect was sent is counted, including the
        latest (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and
        robots are not clicks. Another owner's link returns the same 404 as one that does not exist.
        """
        return self._call(StatsResponse, "GET", f"/api/v1/stats/{segment(code)}")

    def list_qr_codes(
        self, *, limit: int = 1000, campaign: str | None = None, active: int | None = None
    ) -> Pages[QrCodeLink]:
        """List all links with a QR code.

        Returns all links of the API key's owner whose QR code is enabled, newest first.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
        absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(
            QrCodeLink,
            "/api/v1/qrcodes",
            query={"limit": limit, "campaign": campaign, "active": active},
        )

    def enable_qr_code(
        self, *, idempotency_key: str | None = None, **body: Unpack[QrCodeRequest]
    ) -> QrCodeResponse:
        """Enable the QR code of a link.

        Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451
        while the link does not redirect). `?size=` is their side length in pixels, up to 4096; a
        PNG needs at least one pixel per module. Calling the operation again changes the given
        settings and retains the others.

        Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored
        colour applies if one is omitted. An imported link whose short URL is too long returns 409
        `qr-code-too-long`.
        """
        return self._call(
            QrCodeResponse,
            "POST",
            "/api/v1/qrcodes",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )


class AsyncTerse(AsyncClient):
    """The operations of Terse."""

    async def shorten(
        self, *, idempotency_key: str | None = None, **body: Unpack[ShortenRequest]
    ) -> ShortenResponse:
        """Create a short link.

        Creates a link of the API key's owner, which redirects as soon as the response is sent. Its
        code is random, 7 characters that are hard to confuse, unless `custom_code` is given and the
        owner's plan allows custom codes. The same `url` twice creates two links, each with its own
        clicks.

        Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`,
        `daily-limit-reached`, `expiry-passed` or `idempotency-key-reused`. None of them creates
        anything.
        """
        return await self._call(
            ShortenResponse,
            "POST",
            "/api/v1/shorten",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def list_links(
        self, *, limit: int = 1000, campaign: str | None = None, active: int | None = None
    ) -> AsyncPages[Link]:
        """List all links.

        Returns all links of the API key's owner, newest first, with their current clicks.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
        absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(
            Link, "/api/v1/links", query={"limit": limit, "campaign": campaign, "active": active}
        )

    async def get_stats(self, code: str, /) -> StatsResponse:
        """Read the statistics of a link.

        Returns a link and its clicks. Every click whose redirect was sent is counted, including the
        latest (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and
        robots are not clicks. Another owner's link returns the same 404 as one that does not exist.
        """
        return await self._call(StatsResponse, "GET", f"/api/v1/stats/{segment(code)}")

    def list_qr_codes(
        self, *, limit: int = 1000, campaign: str | None = None, active: int | None = None
    ) -> AsyncPages[QrCodeLink]:
        """List all links with a QR code.

        Returns all links of the API key's owner whose QR code is enabled, newest first.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
        absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(
            QrCodeLink,
            "/api/v1/qrcodes",
            query={"limit": limit, "campaign": campaign, "active": active},
        )

    async def enable_qr_code(
        self, *, idempotency_key: str | None = None, **body: Unpack[QrCodeRequest]
    ) -> QrCodeResponse:
        """Enable the QR code of a link.

        Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451
        while the link does not redirect). `?size=` is their side length in pixels, up to 4096; a
        PNG needs at least one pixel per module. Calling the operation again changes the given
        settings and retains the others.

        Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored
        colour applies if one is omitted. An imported link whose short URL is too long returns 409
        `qr-code-too-long`.
        """
        return await self._call(
            QrCodeResponse,
            "POST",
            "/api/v1/qrcodes",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )
