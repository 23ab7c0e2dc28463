"""The operations of Terse: manage your links, reports and keys. Generated from openapi/manage.json by scripts/clients --generate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .._client import AsyncClient, AsyncPages, Client, Pages, Tagged, segment
from .models import (
    ClickReport,
    CreatedKey,
    Event,
    Key,
    KeyCreate,
    KeyUpdate,
    Link,
    LinkBatch,
    LinkBatchCreate,
    LinkClicks,
    LinkCreate,
    LinkUpdate,
    Owner,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DOCUMENT_VERSION", "AsyncManage", "Manage"]

#: The version of the document from which this module was generated.
DOCUMENT_VERSION = "0.1.0"


class Manage(Client):
    """The operations of Terse: manage your links, reports and keys."""

    def list_links(
        self,
        *,
        limit: int = 1000,
        campaign: str | None = None,
        state: Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"]
        | None = None,
        host: str | None = None,
        destination_url: str | None = None,
        title: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
    ) -> Pages[Link]:
        """Find links by their properties.

        Returns links of the API key's owner, newest first, that meet all conditions.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none:
        only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither
        duplicates nor gaps.
        """
        return self._list(
            Link,
            "/api/manage/v1/links",
            query={
                "limit": limit,
                "campaign": campaign,
                "state": state,
                "host": host,
                "destination_url": destination_url,
                "title": title,
                "created_after": created_after,
                "created_before": created_before,
            },
        )

    def create_link(
        self, *, idempotency_key: str | None = None, **body: Unpack[LinkCreate]
    ) -> Link:
        """Create a link.

        Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change.
        Its code is random unless `custom_code` is given. If the owner's plan does not allow custom
        codes, 409 `custom-codes-not-allowed`. The state in the response is that of the moment of
        creation.

        Both operations share the values of `Idempotency-Key`: one that was used for the other
        returns 409 `idempotency-key-reused`.
        """
        return self._call(
            Link,
            "POST",
            "/api/manage/v1/links",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_link(self, code: str, /) -> Link:
        """Read a link.

        Returns a link with its clicks, every click included whose redirect was sent. The response
        for another owner's link is the same as for one that does not exist.
        """
        return self._call(Link, "GET", f"/api/manage/v1/links/{segment(code)}")

    def update_link(
        self, code: str, /, *, if_match: Tagged | None = None, **body: Unpack[LinkUpdate]
    ) -> Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An
        unchanged value is not checked again.

        With `If-Match`, the link is only changed if its `ETag` is still one of those; of several
        concurrent changes with the same `ETag`, exactly one succeeds. While the operator has
        disabled the link or blocked its destination, 409 `link-disabled`.
        """
        return self._call(
            Link,
            "PATCH",
            f"/api/manage/v1/links/{segment(code)}",
            body=dict(body),
            if_match=if_match,
        )

    def delete_link(
        self,
        code: str,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
        if_match: Tagged | None = None,
    ) -> None:
        """Delete a link.

        Deletes a link with its clicks, and retires its code, which returns 410 from then on and is
        never used again. Deleting it again returns 404.

        With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the
        operator has disabled the link or blocked its destination, 409 `link-disabled`.
        """
        self._run(
            "DELETE",
            f"/api/manage/v1/links/{segment(code)}",
            query={"reason": reason, "note": note, "case": case},
            if_match=if_match,
        )

    def create_links(
        self, *, idempotency_key: str | None = None, **body: Unpack[LinkBatchCreate]
    ) -> LinkBatch:
        """Create many links.

        Creates up to 1,000 links, each as `POST /links` does, and returns their results in order.
        Each link stands for itself: one that is malformed, or for which there is no room in the
        plan, fails alone. One link may have as many bytes as the body of `POST /links`. The batch
        counts as one request.

        With `Idempotency-Key`, a repetition returns the links that exist as the first time, and
        tries to create the others.
        """
        return self._call(
            LinkBatch,
            "POST",
            "/api/manage/v1/link-batches",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_link_clicks(
        self, code: str, /, *, from_: str | None = None, to: str | None = None
    ) -> LinkClicks:
        """Read the clicks of a link by day.

        Returns the clicks of a link on each day (UTC) of a range, today included: without
        parameters, the last 30 days. The days, `clicks_before` and `clicks_after` add up to the
        link's clicks.
        """
        return self._call(
            LinkClicks,
            "GET",
            f"/api/manage/v1/links/{segment(code)}/clicks",
            query={"from": from_, "to": to},
        )

    def list_link_events(self, code: str, /, *, limit: int = 1000) -> Pages[Event]:
        """List the events of a link.

        Returns the changes of a link, newest first. For a change by the operator, it returns the
        time, the action and the reason, but neither name, note nor case.
        """
        return self._list(
            Event, f"/api/manage/v1/links/{segment(code)}/events", query={"limit": limit}
        )

    def get_click_report(
        self, *, month: str | None = None, by: Literal["campaign", "link"] | None = None
    ) -> ClickReport:
        """Read the clicks of a month.

        Returns the clicks of the owner's links in a month (UTC), summed up by campaign or by link.
        Groups without clicks are missing. Deleted links are one row, without a code.
        """
        return self._call(
            ClickReport, "GET", "/api/manage/v1/reports/clicks", query={"month": month, "by": by}
        )

    def get_owner(self) -> Owner:
        """Read the owner of the key.

        Returns the owner of the API key, what the owner's plan allows and what the owner uses of
        it. Keys of every scope may call this operation; for those of the scope `create`, `usage`
        and `domains` are null.
        """
        return self._call(Owner, "GET", "/api/manage/v1/owner")

    def list_keys(self, *, limit: int = 1000) -> Pages[Key]:
        """List the keys of the owner.

        Returns the API keys of the owner, newest first, revoked and expired ones included. The
        server stores no secret, so it cannot show one.
        """
        return self._list(Key, "/api/manage/v1/keys", query={"limit": limit})

    def create_key(
        self, *, idempotency_key: str | None = None, **body: Unpack[KeyCreate]
    ) -> CreatedKey:
        """Create a key of the owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only
        a hash of it. An owner has at most 100 valid keys. A key with an expiry cannot create one
        with a later expiry.

        With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same
        secret again, as long as the created key is valid; with another API key, 409 `secret-
        unavailable`.
        """
        return self._call(
            CreatedKey,
            "POST",
            "/api/manage/v1/keys",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_key(self, id: int, /) -> Key:
        """Read a key of the owner.

        Returns an API key, without its secret. The response for another owner's key is the same as
        for one that does not exist.
        """
        return self._call(Key, "GET", f"/api/manage/v1/keys/{segment(id)}")

    def update_key(self, id: int, /, **body: Unpack[KeyUpdate]) -> Key:
        """Change a key of the owner.

        Changes the label or the expiry of an API key. A key with an expiry cannot give another key
        a later one, or none. Servers follow within a second.
        """
        return self._call(Key, "PATCH", f"/api/manage/v1/keys/{segment(id)}", body=dict(body))

    def revoke_key(
        self,
        id: int,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Revoke a key of the owner.

        Deletes the rights of an API key permanently; servers reject it within a second. A key
        cannot revoke itself. Revoking a key again returns 404.
        """
        self._run(
            "DELETE",
            f"/api/manage/v1/keys/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )


class AsyncManage(AsyncClient):
    """The operations of Terse: manage your links, reports and keys."""

    def list_links(
        self,
        *,
        limit: int = 1000,
        campaign: str | None = None,
        state: Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"]
        | None = None,
        host: str | None = None,
        destination_url: str | None = None,
        title: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
    ) -> AsyncPages[Link]:
        """Find links by their properties.

        Returns links of the API key's owner, newest first, that meet all conditions.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none:
        only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither
        duplicates nor gaps.
        """
        return self._list(
            Link,
            "/api/manage/v1/links",
            query={
                "limit": limit,
                "campaign": campaign,
                "state": state,
                "host": host,
                "destination_url": destination_url,
                "title": title,
                "created_after": created_after,
                "created_before": created_before,
            },
        )

    async def create_link(
        self, *, idempotency_key: str | None = None, **body: Unpack[LinkCreate]
    ) -> Link:
        """Create a link.

        Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change.
        Its code is random unless `custom_code` is given. If the owner's plan does not allow custom
        codes, 409 `custom-codes-not-allowed`. The state in the response is that of the moment of
        creation.

        Both operations share the values of `Idempotency-Key`: one that was used for the other
        returns 409 `idempotency-key-reused`.
        """
        return await self._call(
            Link,
            "POST",
            "/api/manage/v1/links",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_link(self, code: str, /) -> Link:
        """Read a link.

        Returns a link with its clicks, every click included whose redirect was sent. The response
        for another owner's link is the same as for one that does not exist.
        """
        return await self._call(Link, "GET", f"/api/manage/v1/links/{segment(code)}")

    async def update_link(
        self, code: str, /, *, if_match: Tagged | None = None, **body: Unpack[LinkUpdate]
    ) -> Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An
        unchanged value is not checked again.

        With `If-Match`, the link is only changed if its `ETag` is still one of those; of several
        concurrent changes with the same `ETag`, exactly one succeeds. While the operator has
        disabled the link or blocked its destination, 409 `link-disabled`.
        """
        return await self._call(
            Link,
            "PATCH",
            f"/api/manage/v1/links/{segment(code)}",
            body=dict(body),
            if_match=if_match,
        )

    async def delete_link(
        self,
        code: str,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
        if_match: Tagged | None = None,
    ) -> None:
        """Delete a link.

        Deletes a link with its clicks, and retires its code, which returns 410 from then on and is
        never used again. Deleting it again returns 404.

        With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the
        operator has disabled the link or blocked its destination, 409 `link-disabled`.
        """
        await self._run(
            "DELETE",
            f"/api/manage/v1/links/{segment(code)}",
            query={"reason": reason, "note": note, "case": case},
            if_match=if_match,
        )

    async def create_links(
        self, *, idempotency_key: str | None = None, **body: Unpack[LinkBatchCreate]
    ) -> LinkBatch:
        """Create many links.

        Creates up to 1,000 links, each as `POST /links` does, and returns their results in order.
        Each link stands for itself: one that is malformed, or for which there is no room in the
        plan, fails alone. One link may have as many bytes as the body of `POST /links`. The batch
        counts as one request.

        With `Idempotency-Key`, a repetition returns the links that exist as the first time, and
        tries to create the others.
        """
        return await self._call(
            LinkBatch,
            "POST",
            "/api/manage/v1/link-batches",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_link_clicks(
        self, code: str, /, *, from_: str | None = None, to: str | None = None
    ) -> LinkClicks:
        """Read the clicks of a link by day.

        Returns the clicks of a link on each day (UTC) of a range, today included: without
        parameters, the last 30 days. The days, `clicks_before` and `clicks_after` add up to the
        link's clicks.
        """
        return await self._call(
            LinkClicks,
            "GET",
            f"/api/manage/v1/links/{segment(code)}/clicks",
            query={"from": from_, "to": to},
        )

    def list_link_events(self, code: str, /, *, limit: int = 1000) -> AsyncPages[Event]:
        """List the events of a link.

        Returns the changes of a link, newest first. For a change by the operator, it returns the
        time, the action and the reason, but neither name, note nor case.
        """
        return self._list(
            Event, f"/api/manage/v1/links/{segment(code)}/events", query={"limit": limit}
        )

    async def get_click_report(
        self, *, month: str | None = None, by: Literal["campaign", "link"] | None = None
    ) -> ClickReport:
        """Read the clicks of a month.

        Returns the clicks of the owner's links in a month (UTC), summed up by campaign or by link.
        Groups without clicks are missing. Deleted links are one row, without a code.
        """
        return await self._call(
            ClickReport, "GET", "/api/manage/v1/reports/clicks", query={"month": month, "by": by}
        )

    async def get_owner(self) -> Owner:
        """Read the owner of the key.

        Returns the owner of the API key, what the owner's plan allows and what the owner uses of
        it. Keys of every scope may call this operation; for those of the scope `create`, `usage`
        and `domains` are null.
        """
        return await self._call(Owner, "GET", "/api/manage/v1/owner")

    def list_keys(self, *, limit: int = 1000) -> AsyncPages[Key]:
        """List the keys of the owner.

        Returns the API keys of the owner, newest first, revoked and expired ones included. The
        server stores no secret, so it cannot show one.
        """
        return self._list(Key, "/api/manage/v1/keys", query={"limit": limit})

    async def create_key(
        self, *, idempotency_key: str | None = None, **body: Unpack[KeyCreate]
    ) -> CreatedKey:
        """Create a key of the owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only
        a hash of it. An owner has at most 100 valid keys. A key with an expiry cannot create one
        with a later expiry.

        With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same
        secret again, as long as the created key is valid; with another API key, 409 `secret-
        unavailable`.
        """
        return await self._call(
            CreatedKey,
            "POST",
            "/api/manage/v1/keys",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_key(self, id: int, /) -> Key:
        """Read a key of the owner.

        Returns an API key, without its secret. The response for another owner's key is the same as
        for one that does not exist.
        """
        return await self._call(Key, "GET", f"/api/manage/v1/keys/{segment(id)}")

    async def update_key(self, id: int, /, **body: Unpack[KeyUpdate]) -> Key:
        """Change a key of the owner.

        Changes the label or the expiry of an API key. A key with an expiry cannot give another key
        a later one, or none. Servers follow within a second.
        """
        return await self._call(Key, "PATCH", f"/api/manage/v1/keys/{segment(id)}", body=dict(body))

    async def revoke_key(
        self,
        id: int,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Revoke a key of the owner.

        Deletes the rights of an API key permanently; servers reject it within a second. A key
        cannot revoke itself. Revoking a key again returns 404.
        """
        await self._run(
            "DELETE",
            f"/api/manage/v1/keys/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )
