"""The operations of Terse: run the service. Generated from openapi/operator.json by scripts/clients --generate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .._client import AsyncClient, AsyncPages, Client, Pages, Tagged, segment
from .models import (
    AuditRequest,
    Block,
    BlockCheck,
    BlockCreate,
    ChangeResult,
    ClickReport,
    CreatedKey,
    CreatedOperatorKey,
    CreatedOwner,
    Domain,
    DomainCreate,
    DomainUpdate,
    Event,
    Key,
    KeyCreate,
    KeySearch,
    KeyUpdate,
    Link,
    LinkChange,
    LinkChangeResult,
    LinkClicks,
    LinkUpdate,
    OperatorKey,
    OperatorKeyCreate,
    Owner,
    OwnerCreate,
    OwnerUpdate,
    Plan,
    PlanCreate,
    PlanUpdate,
    UndoResult,
    UsageReport,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DOCUMENT_VERSION", "AsyncOperator", "Operator"]

#: The version of the document from which this module was generated.
DOCUMENT_VERSION = "0.1.0"


class Operator(Client):
    """The operations of Terse: run the service."""

    def list_owners(
        self,
        *,
        limit: int = 1000,
        name: str | None = None,
        plan: str | None = None,
        suspended: int | None = None,
    ) -> Pages[Owner]:
        """Find owners.

        Returns the owners that meet all conditions, newest first.
        """
        return self._list(
            Owner,
            "/api/operator/v1/owners",
            query={"limit": limit, "name": name, "plan": plan, "suspended": suspended},
        )

    def create_owner(
        self, *, idempotency_key: str | None = None, **body: Unpack[OwnerCreate]
    ) -> CreatedOwner:
        """Create an owner.

        Creates an owner, with a first API key if `api_key` is given. Its secret is in this response
        and nowhere else: the server stores only a hash of it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the
        same secret again, as long as the created key is valid; with another operator key, 409
        `secret-unavailable`.
        """
        return self._call(
            CreatedOwner,
            "POST",
            "/api/operator/v1/owners",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_owner(self, id: int, /) -> Owner:
        """Read an owner.

        Returns an owner, with the number of links.
        """
        return self._call(Owner, "GET", f"/api/operator/v1/owners/{segment(id)}")

    def update_owner(self, id: int, /, **body: Unpack[OwnerUpdate]) -> Owner:
        """Change an owner.

        Changes the name, the plan or the fallback of an owner. Servers follow within a second.
        """
        return self._call(Owner, "PATCH", f"/api/operator/v1/owners/{segment(id)}", body=dict(body))

    def delete_owner(
        self,
        id: int,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Delete an owner.

        Deletes a suspended owner with all links and keys, and retires the codes of the links, which
        are never used again. Returns when it is done. If the client disconnects, the deletion
        continues. The history keeps the name of the owner.
        """
        self._run(
            "DELETE",
            f"/api/operator/v1/owners/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )

    def suspend_owner(self, id: int, /, **body: Unpack[AuditRequest]) -> ChangeResult:
        """Suspend an owner.

        Changes an owner so that the API rejects the owner's keys and the owner's links return 410,
        or 451 if the reason is `legal`, within a second. A new reason replaces the earlier one.
        """
        return self._call(
            ChangeResult, "POST", f"/api/operator/v1/owners/{segment(id)}/suspend", body=dict(body)
        )

    def resume_owner(self, id: int, /, **body: Unpack[AuditRequest]) -> ChangeResult:
        """Resume an owner.

        Changes a suspended owner back: keys and links work as before, within a second.
        """
        return self._call(
            ChangeResult, "POST", f"/api/operator/v1/owners/{segment(id)}/resume", body=dict(body)
        )

    def list_keys(self, id: int, /, *, limit: int = 1000) -> Pages[Key]:
        """List the keys of an owner.

        Returns the API keys of an owner, newest first, revoked and expired ones included. The
        server stores no secret, so it cannot show one.
        """
        return self._list(
            Key, f"/api/operator/v1/owners/{segment(id)}/keys", query={"limit": limit}
        )

    def create_key(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[KeyCreate]
    ) -> CreatedKey:
        """Create a key of an owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only
        a hash of it. An owner has at most 100 valid keys.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the
        same secret again, as long as the created key is valid; with another operator key, 409
        `secret-unavailable`.
        """
        return self._call(
            CreatedKey,
            "POST",
            f"/api/operator/v1/owners/{segment(id)}/keys",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_key(self, id: int, /) -> Key:
        """Read a key of any owner.

        Returns an API key with its owner, without its secret.
        """
        return self._call(Key, "GET", f"/api/operator/v1/keys/{segment(id)}")

    def update_key(self, id: int, /, **body: Unpack[KeyUpdate]) -> Key:
        """Change a key.

        Changes the label or the expiry of an API key. Servers follow within a second: if the new
        expiry has passed, the key is invalid at once.
        """
        return self._call(Key, "PATCH", f"/api/operator/v1/keys/{segment(id)}", body=dict(body))

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
        """Revoke a key.

        Deletes the rights of an API key permanently; servers reject it within a second. Revoking a
        key again returns 404.
        """
        self._run(
            "DELETE",
            f"/api/operator/v1/keys/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )

    def find_key(self, **body: Unpack[KeySearch]) -> Key:
        """Find a key by its secret.

        Returns the API key with this secret and its owner, even if the key is no longer valid. The
        secret stands in the body, so that no log has it.
        """
        return self._call(Key, "POST", "/api/operator/v1/key-search", body=dict(body))

    def list_plans(self, *, limit: int = 1000) -> Pages[Plan]:
        """List the plans.

        Returns all plans, in the order of their names.
        """
        return self._list(Plan, "/api/operator/v1/plans", query={"limit": limit})

    def create_plan(
        self, *, idempotency_key: str | None = None, **body: Unpack[PlanCreate]
    ) -> Plan:
        """Create a plan.

        Creates a plan. A limit that is absent is unlimited.
        """
        return self._call(
            Plan,
            "POST",
            "/api/operator/v1/plans",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_plan(self, name: str, /) -> Plan:
        """Read a plan.

        Returns a plan.
        """
        return self._call(Plan, "GET", f"/api/operator/v1/plans/{segment(name)}")

    def update_plan(self, name: str, /, **body: Unpack[PlanUpdate]) -> Plan:
        """Change a plan.

        Changes the given limits of a plan, and no others. Servers apply another rate within a
        second.
        """
        return self._call(Plan, "PATCH", f"/api/operator/v1/plans/{segment(name)}", body=dict(body))

    def delete_plan(
        self,
        name: str,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Delete a plan.

        Deletes a plan that no owner has.
        """
        self._run(
            "DELETE",
            f"/api/operator/v1/plans/{segment(name)}",
            query={"reason": reason, "note": note, "case": case},
        )

    def list_links(
        self,
        *,
        limit: int = 1000,
        codes: str | None = None,
        owner: str | None = None,
        campaign: str | None = None,
        host: str | None = None,
        destination_url: str | None = None,
        state: Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"]
        | None = None,
        title: str | None = None,
    ) -> Pages[Link]:
        """Find links of all owners.

        Returns the links that meet all conditions, newest first.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none:
        only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither
        duplicates nor gaps.
        """
        return self._list(
            Link,
            "/api/operator/v1/links",
            query={
                "limit": limit,
                "codes": codes,
                "owner": owner,
                "campaign": campaign,
                "host": host,
                "destination_url": destination_url,
                "state": state,
                "title": title,
            },
        )

    def get_link(self, code: str, /) -> Link:
        """Read a link.

        Returns a link with its clicks, its state and its owner. Deleted links are missing.
        """
        return self._call(Link, "GET", f"/api/operator/v1/links/{segment(code)}")

    def update_link(
        self, code: str, /, *, if_match: Tagged | None = None, **body: Unpack[LinkUpdate]
    ) -> Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An
        unchanged value is not checked again. `POST /link-changes` disables and deletes links.

        With `If-Match`, the link is only changed if its `ETag` is still one of those.
        """
        return self._call(
            Link,
            "PATCH",
            f"/api/operator/v1/links/{segment(code)}",
            body=dict(body),
            if_match=if_match,
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
            f"/api/operator/v1/links/{segment(code)}/clicks",
            query={"from": from_, "to": to},
        )

    def list_link_events(self, code: str, /, *, limit: int = 1000) -> Pages[Event]:
        """List the events of a link.

        Returns the changes of a link, newest first, even if the link is deleted.
        """
        return self._list(
            Event, f"/api/operator/v1/links/{segment(code)}/events", query={"limit": limit}
        )

    def change_links(self, **body: Unpack[LinkChange]) -> LinkChangeResult:
        """Change any number of links.

        Changes the links that all selectors choose: disables, enables, pauses, unpauses or deletes
        them. Redirects follow within a second. Codes that no link has are named, and the other
        links change.

        The change is one event, made in slices, and the response follows when all are done. If the
        client disconnects, the change continues. If the operator key is revoked or the server shuts
        down, the change stops after the slice in progress; the event counts what was done, and the
        same request does the rest.
        """
        return self._call(
            LinkChangeResult, "POST", "/api/operator/v1/link-changes", body=dict(body)
        )

    def list_blocks(self, *, limit: int = 1000) -> Pages[Block]:
        """List the patterns in force.

        Returns the operator's own patterns, newest first, and then those of imported lists and of
        the block file. Expired ones are missing.
        """
        return self._list(Block, "/api/operator/v1/blocks", query={"limit": limit})

    def create_blocks(self, **body: Unpack[BlockCreate]) -> ChangeResult:
        """Block destinations, or make an exception.

        Changes the rule of a pattern: `block` blocks the destinations that it matches, and `allow`
        makes them exceptions. Servers follow within a second. The most specific pattern decides.
        Repeating the request changes nothing.
        """
        return self._call(ChangeResult, "POST", "/api/operator/v1/blocks", body=dict(body))

    def delete_block(
        self,
        *,
        pattern: str,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Remove a pattern.

        Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within
        a second. Removing it again returns 404.
        """
        self._run(
            "DELETE",
            "/api/operator/v1/blocks",
            query={"pattern": pattern, "reason": reason, "note": note, "case": case},
        )

    def check_block(self, *, url: str) -> BlockCheck:
        """Check whether a destination is blocked.

        Returns whether a URL or a host is blocked, and the pattern that decides it.
        """
        return self._call(BlockCheck, "GET", "/api/operator/v1/block-check", query={"url": url})

    def list_domains(self, *, limit: int = 1000, owner: str | None = None) -> Pages[Domain]:
        """List the domains.

        Returns the domains of all owners or of one, newest first.
        """
        return self._list(
            Domain, "/api/operator/v1/domains", query={"limit": limit, "owner": owner}
        )

    def create_domain(
        self, *, idempotency_key: str | None = None, **body: Unpack[DomainCreate]
    ) -> Domain:
        """Add a domain to an owner.

        Creates a domain: a host of the owner's own, which serves the owner's links and nothing
        else. Servers follow within a second. The first domain of an owner is the default one, which
        `short_url` and QR codes have.

        If destinations or fallbacks lead to the host already, the response is 409 `domain-has-
        destinations`, unless `accept_destinations` is 1.
        """
        return self._call(
            Domain,
            "POST",
            "/api/operator/v1/domains",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def get_domain(self, host: str, /) -> Domain:
        """Read a domain.

        Returns a domain, with its owner.
        """
        return self._call(Domain, "GET", f"/api/operator/v1/domains/{segment(host)}")

    def update_domain(self, host: str, /, **body: Unpack[DomainUpdate]) -> Domain:
        """Change a domain.

        Changes where visitors of the start page go, or makes the domain the default one of its
        owner. Servers follow within a second. Links still answer at all domains of the owner.
        """
        return self._call(
            Domain, "PATCH", f"/api/operator/v1/domains/{segment(host)}", body=dict(body)
        )

    def delete_domain(
        self,
        host: str,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Remove a domain.

        Deletes a domain. Servers follow within a second: the host is then unknown, and free for any
        owner. Links stay, and answer at the base URL and the owner's other domains. Removing it
        again returns 404.
        """
        self._run(
            "DELETE",
            f"/api/operator/v1/domains/{segment(host)}",
            query={"reason": reason, "note": note, "case": case},
        )

    def list_events(
        self,
        *,
        limit: int = 1000,
        case: str | None = None,
        owner: str | None = None,
        short_code: str | None = None,
        after: int | None = None,
    ) -> Pages[Event]:
        """List events.

        Returns what was changed, by whom, when and why, newest first. With `after`, it returns
        later events, oldest first: events become visible in the order of their identifiers, so a
        program that follows the pages to the end, and later continues after the last one it has
        seen, misses none.
        """
        return self._list(
            Event,
            "/api/operator/v1/events",
            query={
                "limit": limit,
                "case": case,
                "owner": owner,
                "short_code": short_code,
                "after": after,
            },
        )

    def get_event(self, id: int, /) -> Event:
        """Read an event.

        Returns an event.
        """
        return self._call(Event, "GET", f"/api/operator/v1/events/{segment(id)}")

    def undo_event(self, id: int, /, **body: Unpack[AuditRequest]) -> UndoResult:
        """Undo an event.

        Changes everything back that an event changed and nothing has changed since. Only events
        that disable, enable, pause, unpause or edit links, suspend or resume owners, change
        patterns, or change domains can be undone; the last only with the role `admin`. The undo is
        itself an event. If the client disconnects, it continues.
        """
        return self._call(
            UndoResult, "POST", f"/api/operator/v1/events/{segment(id)}/undo", body=dict(body)
        )

    def get_usage(self, *, month: str | None = None) -> UsageReport:
        """Read the usage of a month.

        Returns what each owner used in a month (UTC): requests, created links, links and clicks.
        Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage
        never changes.
        """
        return self._call(UsageReport, "GET", "/api/operator/v1/usage", query={"month": month})

    def get_click_report(
        self, *, month: str | None = None, by: str | None = None, owner: str | None = None
    ) -> ClickReport:
        """Read the clicks of a month.

        Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up
        by owner, campaign, link or several of them. Groups without clicks are missing. Deleted
        links are one row per owner, without a code.
        """
        return self._call(
            ClickReport,
            "GET",
            "/api/operator/v1/reports/clicks",
            query={"month": month, "by": by, "owner": owner},
        )

    def get_operator(self) -> OperatorKey:
        """Read the operator key.

        Returns the operator key that sends the request.
        """
        return self._call(OperatorKey, "GET", "/api/operator/v1/operator")

    def list_operator_keys(self, *, limit: int = 1000) -> Pages[OperatorKey]:
        """List the operator keys.

        Returns the operator keys, newest first, revoked and expired ones included. The server
        stores no secret, so it cannot show one.
        """
        return self._list(OperatorKey, "/api/operator/v1/operator-keys", query={"limit": limit})

    def create_operator_key(
        self, *, idempotency_key: str | None = None, **body: Unpack[OperatorKeyCreate]
    ) -> CreatedOperatorKey:
        """Create an operator key.

        Creates an operator key. Its secret is in this response and nowhere else: the server stores
        only a hash of it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the
        same secret again, as long as the created key is valid; with another operator key, 409
        `secret-unavailable`.
        """
        return self._call(
            CreatedOperatorKey,
            "POST",
            "/api/operator/v1/operator-keys",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    def revoke_operator_key(
        self,
        id: int,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Revoke an operator key.

        Deletes the rights of an operator key permanently; servers reject it at once. A key cannot
        revoke itself. Revoking a key again returns 404.
        """
        self._run(
            "DELETE",
            f"/api/operator/v1/operator-keys/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )


class AsyncOperator(AsyncClient):
    """The operations of Terse: run the service."""

    def list_owners(
        self,
        *,
        limit: int = 1000,
        name: str | None = None,
        plan: str | None = None,
        suspended: int | None = None,
    ) -> AsyncPages[Owner]:
        """Find owners.

        Returns the owners that meet all conditions, newest first.
        """
        return self._list(
            Owner,
            "/api/operator/v1/owners",
            query={"limit": limit, "name": name, "plan": plan, "suspended": suspended},
        )

    async def create_owner(
        self, *, idempotency_key: str | None = None, **body: Unpack[OwnerCreate]
    ) -> CreatedOwner:
        """Create an owner.

        Creates an owner, with a first API key if `api_key` is given. Its secret is in this response
        and nowhere else: the server stores only a hash of it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the
        same secret again, as long as the created key is valid; with another operator key, 409
        `secret-unavailable`.
        """
        return await self._call(
            CreatedOwner,
            "POST",
            "/api/operator/v1/owners",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_owner(self, id: int, /) -> Owner:
        """Read an owner.

        Returns an owner, with the number of links.
        """
        return await self._call(Owner, "GET", f"/api/operator/v1/owners/{segment(id)}")

    async def update_owner(self, id: int, /, **body: Unpack[OwnerUpdate]) -> Owner:
        """Change an owner.

        Changes the name, the plan or the fallback of an owner. Servers follow within a second.
        """
        return await self._call(
            Owner, "PATCH", f"/api/operator/v1/owners/{segment(id)}", body=dict(body)
        )

    async def delete_owner(
        self,
        id: int,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Delete an owner.

        Deletes a suspended owner with all links and keys, and retires the codes of the links, which
        are never used again. Returns when it is done. If the client disconnects, the deletion
        continues. The history keeps the name of the owner.
        """
        await self._run(
            "DELETE",
            f"/api/operator/v1/owners/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )

    async def suspend_owner(self, id: int, /, **body: Unpack[AuditRequest]) -> ChangeResult:
        """Suspend an owner.

        Changes an owner so that the API rejects the owner's keys and the owner's links return 410,
        or 451 if the reason is `legal`, within a second. A new reason replaces the earlier one.
        """
        return await self._call(
            ChangeResult, "POST", f"/api/operator/v1/owners/{segment(id)}/suspend", body=dict(body)
        )

    async def resume_owner(self, id: int, /, **body: Unpack[AuditRequest]) -> ChangeResult:
        """Resume an owner.

        Changes a suspended owner back: keys and links work as before, within a second.
        """
        return await self._call(
            ChangeResult, "POST", f"/api/operator/v1/owners/{segment(id)}/resume", body=dict(body)
        )

    def list_keys(self, id: int, /, *, limit: int = 1000) -> AsyncPages[Key]:
        """List the keys of an owner.

        Returns the API keys of an owner, newest first, revoked and expired ones included. The
        server stores no secret, so it cannot show one.
        """
        return self._list(
            Key, f"/api/operator/v1/owners/{segment(id)}/keys", query={"limit": limit}
        )

    async def create_key(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[KeyCreate]
    ) -> CreatedKey:
        """Create a key of an owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only
        a hash of it. An owner has at most 100 valid keys.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the
        same secret again, as long as the created key is valid; with another operator key, 409
        `secret-unavailable`.
        """
        return await self._call(
            CreatedKey,
            "POST",
            f"/api/operator/v1/owners/{segment(id)}/keys",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_key(self, id: int, /) -> Key:
        """Read a key of any owner.

        Returns an API key with its owner, without its secret.
        """
        return await self._call(Key, "GET", f"/api/operator/v1/keys/{segment(id)}")

    async def update_key(self, id: int, /, **body: Unpack[KeyUpdate]) -> Key:
        """Change a key.

        Changes the label or the expiry of an API key. Servers follow within a second: if the new
        expiry has passed, the key is invalid at once.
        """
        return await self._call(
            Key, "PATCH", f"/api/operator/v1/keys/{segment(id)}", body=dict(body)
        )

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
        """Revoke a key.

        Deletes the rights of an API key permanently; servers reject it within a second. Revoking a
        key again returns 404.
        """
        await self._run(
            "DELETE",
            f"/api/operator/v1/keys/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )

    async def find_key(self, **body: Unpack[KeySearch]) -> Key:
        """Find a key by its secret.

        Returns the API key with this secret and its owner, even if the key is no longer valid. The
        secret stands in the body, so that no log has it.
        """
        return await self._call(Key, "POST", "/api/operator/v1/key-search", body=dict(body))

    def list_plans(self, *, limit: int = 1000) -> AsyncPages[Plan]:
        """List the plans.

        Returns all plans, in the order of their names.
        """
        return self._list(Plan, "/api/operator/v1/plans", query={"limit": limit})

    async def create_plan(
        self, *, idempotency_key: str | None = None, **body: Unpack[PlanCreate]
    ) -> Plan:
        """Create a plan.

        Creates a plan. A limit that is absent is unlimited.
        """
        return await self._call(
            Plan,
            "POST",
            "/api/operator/v1/plans",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_plan(self, name: str, /) -> Plan:
        """Read a plan.

        Returns a plan.
        """
        return await self._call(Plan, "GET", f"/api/operator/v1/plans/{segment(name)}")

    async def update_plan(self, name: str, /, **body: Unpack[PlanUpdate]) -> Plan:
        """Change a plan.

        Changes the given limits of a plan, and no others. Servers apply another rate within a
        second.
        """
        return await self._call(
            Plan, "PATCH", f"/api/operator/v1/plans/{segment(name)}", body=dict(body)
        )

    async def delete_plan(
        self,
        name: str,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Delete a plan.

        Deletes a plan that no owner has.
        """
        await self._run(
            "DELETE",
            f"/api/operator/v1/plans/{segment(name)}",
            query={"reason": reason, "note": note, "case": case},
        )

    def list_links(
        self,
        *,
        limit: int = 1000,
        codes: str | None = None,
        owner: str | None = None,
        campaign: str | None = None,
        host: str | None = None,
        destination_url: str | None = None,
        state: Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"]
        | None = None,
        title: str | None = None,
    ) -> AsyncPages[Link]:
        """Find links of all owners.

        Returns the links that meet all conditions, newest first.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none:
        only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither
        duplicates nor gaps.
        """
        return self._list(
            Link,
            "/api/operator/v1/links",
            query={
                "limit": limit,
                "codes": codes,
                "owner": owner,
                "campaign": campaign,
                "host": host,
                "destination_url": destination_url,
                "state": state,
                "title": title,
            },
        )

    async def get_link(self, code: str, /) -> Link:
        """Read a link.

        Returns a link with its clicks, its state and its owner. Deleted links are missing.
        """
        return await self._call(Link, "GET", f"/api/operator/v1/links/{segment(code)}")

    async def update_link(
        self, code: str, /, *, if_match: Tagged | None = None, **body: Unpack[LinkUpdate]
    ) -> Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An
        unchanged value is not checked again. `POST /link-changes` disables and deletes links.

        With `If-Match`, the link is only changed if its `ETag` is still one of those.
        """
        return await self._call(
            Link,
            "PATCH",
            f"/api/operator/v1/links/{segment(code)}",
            body=dict(body),
            if_match=if_match,
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
            f"/api/operator/v1/links/{segment(code)}/clicks",
            query={"from": from_, "to": to},
        )

    def list_link_events(self, code: str, /, *, limit: int = 1000) -> AsyncPages[Event]:
        """List the events of a link.

        Returns the changes of a link, newest first, even if the link is deleted.
        """
        return self._list(
            Event, f"/api/operator/v1/links/{segment(code)}/events", query={"limit": limit}
        )

    async def change_links(self, **body: Unpack[LinkChange]) -> LinkChangeResult:
        """Change any number of links.

        Changes the links that all selectors choose: disables, enables, pauses, unpauses or deletes
        them. Redirects follow within a second. Codes that no link has are named, and the other
        links change.

        The change is one event, made in slices, and the response follows when all are done. If the
        client disconnects, the change continues. If the operator key is revoked or the server shuts
        down, the change stops after the slice in progress; the event counts what was done, and the
        same request does the rest.
        """
        return await self._call(
            LinkChangeResult, "POST", "/api/operator/v1/link-changes", body=dict(body)
        )

    def list_blocks(self, *, limit: int = 1000) -> AsyncPages[Block]:
        """List the patterns in force.

        Returns the operator's own patterns, newest first, and then those of imported lists and of
        the block file. Expired ones are missing.
        """
        return self._list(Block, "/api/operator/v1/blocks", query={"limit": limit})

    async def create_blocks(self, **body: Unpack[BlockCreate]) -> ChangeResult:
        """Block destinations, or make an exception.

        Changes the rule of a pattern: `block` blocks the destinations that it matches, and `allow`
        makes them exceptions. Servers follow within a second. The most specific pattern decides.
        Repeating the request changes nothing.
        """
        return await self._call(ChangeResult, "POST", "/api/operator/v1/blocks", body=dict(body))

    async def delete_block(
        self,
        *,
        pattern: str,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Remove a pattern.

        Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within
        a second. Removing it again returns 404.
        """
        await self._run(
            "DELETE",
            "/api/operator/v1/blocks",
            query={"pattern": pattern, "reason": reason, "note": note, "case": case},
        )

    async def check_block(self, *, url: str) -> BlockCheck:
        """Check whether a destination is blocked.

        Returns whether a URL or a host is blocked, and the pattern that decides it.
        """
        return await self._call(
            BlockCheck, "GET", "/api/operator/v1/block-check", query={"url": url}
        )

    def list_domains(self, *, limit: int = 1000, owner: str | None = None) -> AsyncPages[Domain]:
        """List the domains.

        Returns the domains of all owners or of one, newest first.
        """
        return self._list(
            Domain, "/api/operator/v1/domains", query={"limit": limit, "owner": owner}
        )

    async def create_domain(
        self, *, idempotency_key: str | None = None, **body: Unpack[DomainCreate]
    ) -> Domain:
        """Add a domain to an owner.

        Creates a domain: a host of the owner's own, which serves the owner's links and nothing
        else. Servers follow within a second. The first domain of an owner is the default one, which
        `short_url` and QR codes have.

        If destinations or fallbacks lead to the host already, the response is 409 `domain-has-
        destinations`, unless `accept_destinations` is 1.
        """
        return await self._call(
            Domain,
            "POST",
            "/api/operator/v1/domains",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def get_domain(self, host: str, /) -> Domain:
        """Read a domain.

        Returns a domain, with its owner.
        """
        return await self._call(Domain, "GET", f"/api/operator/v1/domains/{segment(host)}")

    async def update_domain(self, host: str, /, **body: Unpack[DomainUpdate]) -> Domain:
        """Change a domain.

        Changes where visitors of the start page go, or makes the domain the default one of its
        owner. Servers follow within a second. Links still answer at all domains of the owner.
        """
        return await self._call(
            Domain, "PATCH", f"/api/operator/v1/domains/{segment(host)}", body=dict(body)
        )

    async def delete_domain(
        self,
        host: str,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Remove a domain.

        Deletes a domain. Servers follow within a second: the host is then unknown, and free for any
        owner. Links stay, and answer at the base URL and the owner's other domains. Removing it
        again returns 404.
        """
        await self._run(
            "DELETE",
            f"/api/operator/v1/domains/{segment(host)}",
            query={"reason": reason, "note": note, "case": case},
        )

    def list_events(
        self,
        *,
        limit: int = 1000,
        case: str | None = None,
        owner: str | None = None,
        short_code: str | None = None,
        after: int | None = None,
    ) -> AsyncPages[Event]:
        """List events.

        Returns what was changed, by whom, when and why, newest first. With `after`, it returns
        later events, oldest first: events become visible in the order of their identifiers, so a
        program that follows the pages to the end, and later continues after the last one it has
        seen, misses none.
        """
        return self._list(
            Event,
            "/api/operator/v1/events",
            query={
                "limit": limit,
                "case": case,
                "owner": owner,
                "short_code": short_code,
                "after": after,
            },
        )

    async def get_event(self, id: int, /) -> Event:
        """Read an event.

        Returns an event.
        """
        return await self._call(Event, "GET", f"/api/operator/v1/events/{segment(id)}")

    async def undo_event(self, id: int, /, **body: Unpack[AuditRequest]) -> UndoResult:
        """Undo an event.

        Changes everything back that an event changed and nothing has changed since. Only events
        that disable, enable, pause, unpause or edit links, suspend or resume owners, change
        patterns, or change domains can be undone; the last only with the role `admin`. The undo is
        itself an event. If the client disconnects, it continues.
        """
        return await self._call(
            UndoResult, "POST", f"/api/operator/v1/events/{segment(id)}/undo", body=dict(body)
        )

    async def get_usage(self, *, month: str | None = None) -> UsageReport:
        """Read the usage of a month.

        Returns what each owner used in a month (UTC): requests, created links, links and clicks.
        Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage
        never changes.
        """
        return await self._call(
            UsageReport, "GET", "/api/operator/v1/usage", query={"month": month}
        )

    async def get_click_report(
        self, *, month: str | None = None, by: str | None = None, owner: str | None = None
    ) -> ClickReport:
        """Read the clicks of a month.

        Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up
        by owner, campaign, link or several of them. Groups without clicks are missing. Deleted
        links are one row per owner, without a code.
        """
        return await self._call(
            ClickReport,
            "GET",
            "/api/operator/v1/reports/clicks",
            query={"month": month, "by": by, "owner": owner},
        )

    async def get_operator(self) -> OperatorKey:
        """Read the operator key.

        Returns the operator key that sends the request.
        """
        return await self._call(OperatorKey, "GET", "/api/operator/v1/operator")

    def list_operator_keys(self, *, limit: int = 1000) -> AsyncPages[OperatorKey]:
        """List the operator keys.

        Returns the operator keys, newest first, revoked and expired ones included. The server
        stores no secret, so it cannot show one.
        """
        return self._list(OperatorKey, "/api/operator/v1/operator-keys", query={"limit": limit})

    async def create_operator_key(
        self, *, idempotency_key: str | None = None, **body: Unpack[OperatorKeyCreate]
    ) -> CreatedOperatorKey:
        """Create an operator key.

        Creates an operator key. Its secret is in this response and nowhere else: the server stores
        only a hash of it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the
        same secret again, as long as the created key is valid; with another operator key, 409
        `secret-unavailable`.
        """
        return await self._call(
            CreatedOperatorKey,
            "POST",
            "/api/operator/v1/operator-keys",
            body=dict(body),
            idempotency_key=idempotency_key,
            is_idempotent=True,
        )

    async def revoke_operator_key(
        self,
        id: int,
        /,
        *,
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"]
        | None = None,
        note: str | None = None,
        case: str | None = None,
    ) -> None:
        """Revoke an operator key.

        Deletes the rights of an operator key permanently; servers reject it at once. A key cannot
        revoke itself. Revoking a key again returns 404.
        """
        await self._run(
            "DELETE",
            f"/api/operator/v1/operator-keys/{segment(id)}",
            query={"reason": reason, "note": note, "case": case},
        )
