"""The operations of Terse: run the service. Generated from openapi/*.json by scripts/clients --generate."""

# mypy: disable-error-code=no-any-return
from __future__ import annotations
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal
from . import _client as _c

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime
    from typing_extensions import Required, Unpack
    from .types import operator

    class _OwnersList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        name: str | None
        """Only the owner with this name."""
        external_id: str | None
        """Only the owner with this external identifier."""
        q: str | None
        """Only owners whose name or external identifier contains this text; ASCII letters match in any case."""
        plan_name: str | None
        """Only owners on this plan."""
        is_suspended: bool | None
        """Only suspended owners (`true`), or only those that are not (`false`)."""

    class _OwnersCreate(operator.OwnerCreate, _c.Idempotent, total=False):
        pass

    class _OwnersGet(_c.Options, total=False):
        pass

    class _OwnersUpdate(operator.OwnerUpdate, _c.Conditional, total=False):
        pass

    class _OwnersDelete(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _OwnersSuspend(operator.AuditRequest, _c.Idempotent, total=False):
        pass

    class _OwnersResume(operator.AuditRequest, _c.Idempotent, total=False):
        pass

    class _KeysList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _KeysCreate(operator.KeyCreate, _c.Idempotent, total=False):
        pass

    class _KeysGet(_c.Options, total=False):
        pass

    class _KeysUpdate(operator.KeyUpdate, _c.Conditional, total=False):
        pass

    class _KeysRevoke(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _KeysFind(operator.KeySearch, _c.Options, total=False):
        pass

    class _PlansList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _PlansCreate(operator.PlanCreate, _c.Idempotent, total=False):
        pass

    class _PlansGet(_c.Options, total=False):
        pass

    class _PlansUpdate(operator.PlanUpdate, _c.Conditional, total=False):
        pass

    class _PlansDelete(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _LinksList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        code: Sequence[str] | None
        """Only links with one of these short codes, at most 100. Unknown ones are ignored."""
        owner_id: int | None
        """Only links of this owner."""
        external_id: str | None
        """Only links with this external identifier."""
        campaign: str | None
        """Only links of this campaign, such as `spring`. The comparison is exact."""
        state: Literal["owner-suspended", "blocked", "disabled", "paused", "expired", "active"] | None
        """Only links in this state."""
        host: str | None
        """Only links that lead to this host, such as `example.org`, or a subdomain of it."""
        destination_url: str | None
        """Only links with exactly this destination."""
        q: str | None
        """Only links whose code, external identifier, title or destination contains this text; ASCII letters match
        in any case.
        """
        created_after: str | datetime | None
        """Only links created at this time or later (RFC 3339)."""
        created_before: str | datetime | None
        """Only links created before this time (RFC 3339)."""
        updated_after: str | datetime | None
        """Only links created or changed at this time or later (RFC 3339)."""
        created_by_key_id: int | None
        """Only links that this API key created."""

    class _LinksGet(_c.Options, total=False):
        pass

    class _LinksUpdate(operator.LinkUpdate, _c.Conditional, total=False):
        pass

    class _LinksClicks(_c.Options, total=False):
        from_day: str | date | None
        """The first day, such as `2026-01-31`. Without it, the 30th up to `to_day`."""
        to_day: str | date | None
        """The last day, such as `2026-01-31`, at most 400 days from `from_day`. Without it, today."""

    class _LinksEvents(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _LinkChangesCreate(operator.LinkChange, _c.Idempotent, total=False):
        pass

    class _BlocksList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        q: str | None
        """Only patterns that contain this text; ASCII letters match in any case."""
        source: str | None
        """Only patterns of this source: the name of an imported list, or `block-file` for the block file."""

    class _BlocksCreate(operator.BlockCreate, _c.Idempotent, total=False):
        pass

    class _BlocksDelete(_c.Options, total=False):
        pattern: Required[str]
        """The pattern."""
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _BlocksCheck(_c.Options, total=False):
        url: Required[str]
        """The URL or the host."""

    class _DomainsList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        owner_id: int | None
        """Only domains of this owner."""

    class _DomainsCreate(operator.DomainCreate, _c.Idempotent, total=False):
        pass

    class _DomainsGet(_c.Options, total=False):
        pass

    class _DomainsUpdate(operator.DomainUpdate, _c.Conditional, total=False):
        pass

    class _DomainsDelete(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _EventsList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        case_id: str | None
        """Only events of this case."""
        owner_id: int | None
        """Only events about this owner, who may be deleted, or the owner's links."""
        short_code: str | None
        """Only events that changed the link with this short code, even if it is deleted."""
        action: (
            Literal[
                "link disable",
                "link enable",
                "link pause",
                "link unpause",
                "link edit",
                "link delete",
                "owner add",
                "owner plan",
                "owner edit",
                "owner suspend",
                "owner resume",
                "owner rename",
                "owner delete",
                "key add",
                "key expire",
                "key edit",
                "key revoke",
                "operator add",
                "operator revoke",
                "plan add",
                "plan set",
                "plan remove",
                "block add",
                "block allow",
                "block remove",
                "block import",
                "block remove --source",
                "domain add",
                "domain remove",
                "domain default",
                "domain edit",
                "webhook add",
                "webhook edit",
                "webhook rotate",
                "webhook disable",
                "webhook enable",
                "webhook remove",
                "usage reopen",
                "undo",
                "stop",
            ]
            | None
        )
        """Only events of this action, such as `link disable`."""
        actor_type: Literal["command", "owner_key", "operator_key", "import"] | None
        """Only events of actors of this type."""
        actor_id: int | None
        """Only events of the API key or operator key with this identifier."""
        created_after: str | datetime | None
        """Only events at this time or later (RFC 3339)."""
        after_id: int | None
        """Only events after the one with this identifier, oldest first; `0` begins with the first."""

    class _EventsGet(_c.Options, total=False):
        pass

    class _EventsChanges(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _EventsUndo(operator.AuditRequest, _c.Idempotent, total=False):
        pass

    class _EventsStop(operator.AuditRequest, _c.Idempotent, total=False):
        pass

    class _UsageGet(_c.Options, total=False):
        month: str | None
        """The month, such as `2026-01`. Without it, the current month."""
        owner_id: int | None
        """Only this owner, who may be deleted."""

    class _ReportsClicks(_c.Options, total=False):
        month: str | None
        """The month, such as `2026-01`. Without it and without days, the current month."""
        from_day: str | date | None
        """The first day, such as `2026-01-31`, instead of a month. Without it, the 30th up to `to_day`."""
        to_day: str | date | None
        """The last day, at most 400 days from `from_day`. Without it, today."""
        by: Literal["day", "campaign", "link", "owner"] | None
        """`day`, `campaign`, `link` or `owner`: by what the clicks are summed up. Without it, by day."""
        campaign: str | None
        """Only links of this campaign, such as `spring`. The comparison is exact."""
        owner_id: int | None
        """Only the links of this owner, who may be deleted."""

    class _OperatorGet(_c.Options, total=False):
        pass

    class _OperatorKeysList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _OperatorKeysCreate(operator.OperatorKeyCreate, _c.Idempotent, total=False):
        pass

    class _OperatorKeysRevoke(_c.Options, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _WebhooksList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _WebhooksDisable(operator.AuditRequest, _c.Idempotent, total=False):
        pass

    class _WebhooksEnable(operator.AuditRequest, _c.Idempotent, total=False):
        pass

    class _StatusGet(_c.Options, total=False):
        pass


_OWNERS_LIST = _c.Operation("GET", "/api/operator/v1/owners", True, max_limit=1000)
_OWNERS_CREATE = _c.Operation("POST", "/api/operator/v1/owners", False, takes_key=True, has_body=True)
_OWNERS_GET = _c.Operation("GET", "/api/operator/v1/owners/{}", True)
_OWNERS_UPDATE = _c.Operation("PATCH", "/api/operator/v1/owners/{}", True, has_body=True)
_OWNERS_DELETE = _c.Operation("DELETE", "/api/operator/v1/owners/{}", True, missing="owner-not-found")
_OWNERS_SUSPEND = _c.Operation("POST", "/api/operator/v1/owners/{}/suspend", False, takes_key=True, has_body=True)
_OWNERS_RESUME = _c.Operation("POST", "/api/operator/v1/owners/{}/resume", False, takes_key=True, has_body=True)
_KEYS_LIST = _c.Operation("GET", "/api/operator/v1/owners/{}/keys", True, max_limit=1000)
_KEYS_CREATE = _c.Operation("POST", "/api/operator/v1/owners/{}/keys", False, takes_key=True, has_body=True)
_KEYS_GET = _c.Operation("GET", "/api/operator/v1/keys/{}", True)
_KEYS_UPDATE = _c.Operation("PATCH", "/api/operator/v1/keys/{}", True, has_body=True)
_KEYS_REVOKE = _c.Operation("DELETE", "/api/operator/v1/keys/{}", True, missing="key-not-found")
_KEYS_FIND = _c.Operation("POST", "/api/operator/v1/key-search", True, has_body=True)
_PLANS_LIST = _c.Operation("GET", "/api/operator/v1/plans", True, max_limit=1000)
_PLANS_CREATE = _c.Operation("POST", "/api/operator/v1/plans", False, takes_key=True, has_body=True)
_PLANS_GET = _c.Operation("GET", "/api/operator/v1/plans/{}", True)
_PLANS_UPDATE = _c.Operation("PATCH", "/api/operator/v1/plans/{}", True, has_body=True)
_PLANS_DELETE = _c.Operation("DELETE", "/api/operator/v1/plans/{}", True, missing="plan-not-found")
_LINKS_LIST = _c.Operation("GET", "/api/operator/v1/links", True, max_limit=1000)
_LINKS_GET = _c.Operation("GET", "/api/operator/v1/links/{}", True)
_LINKS_UPDATE = _c.Operation("PATCH", "/api/operator/v1/links/{}", True, has_body=True)
_LINKS_CLICKS = _c.Operation("GET", "/api/operator/v1/links/{}/clicks", True)
_LINKS_EVENTS = _c.Operation("GET", "/api/operator/v1/links/{}/events", True, max_limit=1000)
_LINK_CHANGES_CREATE = _c.Operation("POST", "/api/operator/v1/link-changes", False, takes_key=True, has_body=True)
_BLOCKS_LIST = _c.Operation("GET", "/api/operator/v1/blocks", True, max_limit=1000)
_BLOCKS_CREATE = _c.Operation("POST", "/api/operator/v1/blocks", False, takes_key=True, has_body=True)
_BLOCKS_DELETE = _c.Operation("DELETE", "/api/operator/v1/blocks", True, missing="block-not-found")
_BLOCKS_CHECK = _c.Operation("GET", "/api/operator/v1/block-check", True)
_DOMAINS_LIST = _c.Operation("GET", "/api/operator/v1/domains", True, max_limit=1000)
_DOMAINS_CREATE = _c.Operation("POST", "/api/operator/v1/domains", False, takes_key=True, has_body=True)
_DOMAINS_GET = _c.Operation("GET", "/api/operator/v1/domains/{}", True)
_DOMAINS_UPDATE = _c.Operation("PATCH", "/api/operator/v1/domains/{}", True, has_body=True)
_DOMAINS_DELETE = _c.Operation("DELETE", "/api/operator/v1/domains/{}", True, missing="domain-not-found")
_EVENTS_LIST = _c.Operation("GET", "/api/operator/v1/events", True, max_limit=1000)
_EVENTS_GET = _c.Operation("GET", "/api/operator/v1/events/{}", True)
_EVENTS_CHANGES = _c.Operation("GET", "/api/operator/v1/events/{}/changes", True, max_limit=1000)
_EVENTS_UNDO = _c.Operation("POST", "/api/operator/v1/events/{}/undo", False, takes_key=True, has_body=True)
_EVENTS_STOP = _c.Operation("POST", "/api/operator/v1/events/{}/stop", False, takes_key=True, has_body=True)
_USAGE_GET = _c.Operation("GET", "/api/operator/v1/usage", True)
_REPORTS_CLICKS = _c.Operation("GET", "/api/operator/v1/reports/clicks", True)
_OPERATOR_GET = _c.Operation("GET", "/api/operator/v1/operator", True)
_OPERATOR_KEYS_LIST = _c.Operation("GET", "/api/operator/v1/operator-keys", True, max_limit=1000)
_OPERATOR_KEYS_CREATE = _c.Operation("POST", "/api/operator/v1/operator-keys", False, takes_key=True, has_body=True)
_OPERATOR_KEYS_REVOKE = _c.Operation(
    "DELETE", "/api/operator/v1/operator-keys/{}", True, missing="operator-key-not-found"
)
_WEBHOOKS_LIST = _c.Operation("GET", "/api/operator/v1/owners/{}/webhooks", True, max_limit=1000)
_WEBHOOKS_DISABLE = _c.Operation("POST", "/api/operator/v1/webhooks/{}/disable", False, takes_key=True, has_body=True)
_WEBHOOKS_ENABLE = _c.Operation("POST", "/api/operator/v1/webhooks/{}/enable", False, takes_key=True, has_body=True)
_STATUS_GET = _c.Operation("GET", "/api/operator/v1/status", True)


class Owners(_c.Resource):
    """The operations of owners."""

    def list(self, **fields: Unpack[_OwnersList]) -> _c.Pages[operator.Owner]:
        """Find owners.

        Returns the owners that meet all conditions, newest first.
        """
        return self._client._list(_OWNERS_LIST, (), fields)

    def create(self, **fields: Unpack[_OwnersCreate]) -> operator.CreatedOwner:
        """Create an owner.

        Creates an owner, with a first API key if `key` is given. Its secret is in this response and nowhere else:
        the server stores only a hash of it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret
        again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
        """
        return self._client._call(_OWNERS_CREATE, (), fields)

    def get(self, id: int, /, **fields: Unpack[_OwnersGet]) -> operator.Owner:
        """Read an owner.

        Returns an owner, with the number of links.
        """
        return self._client._call(_OWNERS_GET, (id,), fields)

    def update(self, id: int, /, **fields: Unpack[_OwnersUpdate]) -> operator.Owner:
        """Change an owner.

        Changes the name, the plan, the external identifier or the fallback of an owner. Servers follow within a
        second.
        """
        return self._client._call(_OWNERS_UPDATE, (id,), fields)

    def delete(self, id: int, /, **fields: Unpack[_OwnersDelete]) -> _c.Running | None:
        """Delete an owner.

        Deletes a suspended owner with all links and keys, and retires the codes of the links, which are never
        used again. The history keeps the name of the owner.

        It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the
        `Location` of its event, and so is that to a repetition while it runs, which returns 204 afterwards. If it
        was interrupted, the same request goes on under the same event.
        """
        return self._client._call(_OWNERS_DELETE, (id,), fields)

    def suspend(self, id: int, /, **fields: Unpack[_OwnersSuspend]) -> operator.ChangeResult:
        """Suspend an owner.

        Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451 if the
        reason is `legal`, within a second. A new reason replaces the earlier one.
        """
        return self._client._call(_OWNERS_SUSPEND, (id,), fields)

    def resume(self, id: int, /, **fields: Unpack[_OwnersResume]) -> operator.ChangeResult:
        """Resume an owner.

        Changes a suspended owner back: keys and links work as before, within a second.
        """
        return self._client._call(_OWNERS_RESUME, (id,), fields)


class Keys(_c.Resource):
    """The operations of keys."""

    def list(self, id: int, /, **fields: Unpack[_KeysList]) -> _c.Pages[operator.Key]:
        """List the keys of an owner.

        Returns the API keys of an owner, newest first, revoked and expired ones included. The server stores no
        secret, so it cannot show one.
        """
        return self._client._list(_KEYS_LIST, (id,), fields)

    def create(self, id: int, /, **fields: Unpack[_KeysCreate]) -> operator.CreatedKey:
        """Create a key of an owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it.
        An owner has at most 100 valid keys.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret
        again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
        """
        return self._client._call(_KEYS_CREATE, (id,), fields)

    def get(self, id: int, /, **fields: Unpack[_KeysGet]) -> operator.Key:
        """Read a key of any owner.

        Returns an API key with its owner, without its secret.
        """
        return self._client._call(_KEYS_GET, (id,), fields)

    def update(self, id: int, /, **fields: Unpack[_KeysUpdate]) -> operator.Key:
        """Change a key.

        Changes the label or the expiry of an API key. Servers follow within a second: if the new expiry has
        passed, the key is invalid at once.
        """
        return self._client._call(_KEYS_UPDATE, (id,), fields)

    def revoke(self, id: int, /, **fields: Unpack[_KeysRevoke]) -> None:
        """Revoke a key.

        Deletes the rights of an API key permanently; servers reject it within a second. Revoking a key again
        returns 404.
        """
        return self._client._call(_KEYS_REVOKE, (id,), fields)

    def find(self, **fields: Unpack[_KeysFind]) -> operator.Key:
        """Find a key by its secret.

        Returns the API key with this secret and its owner, even if the key is no longer valid. The secret stands
        in the body, so that no log has it.
        """
        return self._client._call(_KEYS_FIND, (), fields)


class Plans(_c.Resource):
    """The operations of plans."""

    def list(self, **fields: Unpack[_PlansList]) -> _c.Pages[operator.Plan]:
        """List the plans.

        Returns all plans, in the order of their names.
        """
        return self._client._list(_PLANS_LIST, (), fields)

    def create(self, **fields: Unpack[_PlansCreate]) -> operator.Plan:
        """Create a plan.

        Creates a plan. A limit that is absent is unlimited.
        """
        return self._client._call(_PLANS_CREATE, (), fields)

    def get(self, name: str, /, **fields: Unpack[_PlansGet]) -> operator.Plan:
        """Read a plan.

        Returns a plan.
        """
        return self._client._call(_PLANS_GET, (name,), fields)

    def update(self, name: str, /, **fields: Unpack[_PlansUpdate]) -> operator.Plan:
        """Change a plan.

        Changes the given limits of a plan, and no others. Servers apply another rate within a second.
        """
        return self._client._call(_PLANS_UPDATE, (name,), fields)

    def delete(self, name: str, /, **fields: Unpack[_PlansDelete]) -> None:
        """Delete a plan.

        Deletes a plan that no owner has.
        """
        return self._client._call(_PLANS_DELETE, (name,), fields)


class Links(_c.Resource):
    """The operations of links."""

    def list(self, **fields: Unpack[_LinksList]) -> _c.Pages[operator.Link]:
        """Find links of all owners.

        Returns the links that meet all conditions, newest first.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a
        `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._client._list(_LINKS_LIST, (), fields)

    def get(self, code: str, /, **fields: Unpack[_LinksGet]) -> operator.Link:
        """Read a link.

        Returns a link with its clicks, its state and its owner. Deleted links are missing.
        """
        return self._client._call(_LINKS_GET, (code,), fields)

    def update(self, code: str, /, **fields: Unpack[_LinksUpdate]) -> operator.Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged
        value is not checked again. `POST /link-changes` disables and deletes links.

        With `If-Match`, the link is only changed if its `ETag` is still one of those.
        """
        return self._client._call(_LINKS_UPDATE, (code,), fields)

    def clicks(self, code: str, /, **fields: Unpack[_LinksClicks]) -> operator.LinkClicks:
        """Read the clicks of a link by day.

        Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30
        days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
        """
        return self._client._call(_LINKS_CLICKS, (code,), fields)

    def events(self, code: str, /, **fields: Unpack[_LinksEvents]) -> _c.Pages[operator.Event]:
        """List the events of a link.

        Returns the changes of a link, newest first, even if the link is deleted.
        """
        return self._client._list(_LINKS_EVENTS, (code,), fields)


class LinkChanges(_c.Resource):
    """The operations of link changes."""

    def create(self, **fields: Unpack[_LinkChangesCreate]) -> operator.LinkChangeResult:
        """Change any number of links.

        Changes the links that all selectors choose: disables, enables, pauses, unpauses, deletes or updates them.
        Redirects follow within a second. Codes that no link has are named, and the other links change.

        The change is one event, made in slices. It does not depend on the connection: if it takes longer than 20
        seconds, the response is 202 with the `Location` of its event, and a repetition with the same
        `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is
        done. `POST /events/{id}/stop` stops a change after the slice in progress. If the operator key is revoked
        or the server shuts down, it stops, too; the event counts what was done, and the same request does the
        rest, with the same `Idempotency-Key` under the same event.
        """
        return self._client._call(_LINK_CHANGES_CREATE, (), fields)


class Blocks(_c.Resource):
    """The operations of blocks."""

    def list(self, **fields: Unpack[_BlocksList]) -> _c.Pages[operator.Block]:
        """List the patterns in force.

        Returns the operator's own patterns, newest first, and then those of imported lists and of the block file.
        Expired ones are missing.
        """
        return self._client._list(_BLOCKS_LIST, (), fields)

    def create(self, **fields: Unpack[_BlocksCreate]) -> operator.ChangeResult:
        """Block destinations, or make an exception.

        Changes the rule of patterns, all in one transaction and event: `block` blocks the destinations that they
        match, and `allow` makes them exceptions. Servers follow within a second. The most specific pattern
        decides. Repeating the request changes nothing.
        """
        return self._client._call(_BLOCKS_CREATE, (), fields)

    def delete(self, **fields: Unpack[_BlocksDelete]) -> None:
        """Remove a pattern.

        Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within a second.
        Removing it again returns 404.
        """
        return self._client._call(_BLOCKS_DELETE, (), fields)

    def check(self, **fields: Unpack[_BlocksCheck]) -> operator.BlockCheck:
        """Check whether a destination is blocked.

        Returns whether a URL or a host is blocked, and the pattern that decides it.
        """
        return self._client._call(_BLOCKS_CHECK, (), fields)


class Domains(_c.Resource):
    """The operations of domains."""

    def list(self, **fields: Unpack[_DomainsList]) -> _c.Pages[operator.Domain]:
        """List the domains.

        Returns the domains of all owners or of one, newest first.
        """
        return self._client._list(_DOMAINS_LIST, (), fields)

    def create(self, **fields: Unpack[_DomainsCreate]) -> operator.Domain:
        """Add a domain to an owner.

        Creates a domain: a host of the owner's own, which serves the owner's links and nothing else. Servers
        follow within a second. The first domain of an owner is the default one, which `short_url` and QR codes
        have.

        If destinations or fallbacks lead to the host already, the response is 409 `domain-has-destinations`,
        unless `accept_destinations` is `true`.
        """
        return self._client._call(_DOMAINS_CREATE, (), fields)

    def get(self, host: str, /, **fields: Unpack[_DomainsGet]) -> operator.Domain:
        """Read a domain.

        Returns a domain, with its owner.
        """
        return self._client._call(_DOMAINS_GET, (host,), fields)

    def update(self, host: str, /, **fields: Unpack[_DomainsUpdate]) -> operator.Domain:
        """Change a domain.

        Changes where visitors of the start page go, or makes the domain the default one of its owner. Servers
        follow within a second. Links still answer at all domains of the owner.
        """
        return self._client._call(_DOMAINS_UPDATE, (host,), fields)

    def delete(self, host: str, /, **fields: Unpack[_DomainsDelete]) -> None:
        """Remove a domain.

        Deletes a domain. Servers follow within a second: the host is then unknown, and free for any owner. Links
        stay, and answer at the base URL and the owner's other domains. Removing it again returns 404.
        """
        return self._client._call(_DOMAINS_DELETE, (host,), fields)


class Events(_c.Resource):
    """The operations of events."""

    def list(self, **fields: Unpack[_EventsList]) -> _c.Pages[operator.Event]:
        """List events.

        Returns what was changed, by whom, when and why, newest first. With `after_id`, it returns later events,
        oldest first: events become visible in the order of their identifiers, so a program that follows the pages
        to the end, and later continues after the last one it has seen, misses none.
        """
        return self._client._list(_EVENTS_LIST, (), fields)

    def get(self, id: int, /, **fields: Unpack[_EventsGet]) -> operator.EventDetails:
        """Read an event.

        Returns an event, and the first 100 of what it changed.
        """
        return self._client._call(_EVENTS_GET, (id,), fields)

    def changes(self, id: int, /, **fields: Unpack[_EventsChanges]) -> _c.Pages[operator.EventChange]:
        """List what an event changed.

        Returns everything that an event changed, in the order in which it did. Of a deletion of links, it returns
        the codes.
        """
        return self._client._list(_EVENTS_CHANGES, (id,), fields)

    def undo(self, id: int, /, **fields: Unpack[_EventsUndo]) -> operator.UndoResult:
        """Undo an event.

        Changes everything back that an event changed and nothing has changed since. Only events that disable,
        enable, pause, unpause or edit links, suspend or resume owners, change patterns, or change domains can be
        undone; the last only with the role `admin`. The undo is itself an event.

        It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the
        `Location` of its event, and a repetition with the same `Idempotency-Key` returns 202 while it runs, and
        then the result. If it was interrupted, the repetition goes on under the same event.
        """
        return self._client._call(_EVENTS_UNDO, (id,), fields)

    def stop(self, id: int, /, **fields: Unpack[_EventsStop]) -> operator.Event:
        """Stop the change of an event.

        Changes an event that runs, which is a change of many links, an undo or the deletion of an owner: it stops
        after the slice in progress. What was changed stays changed, and the request that made the change goes on
        if it is repeated. Stopping a deletion needs the role `admin`. The stop is itself an event, except if the
        change had ended: then nothing happens.
        """
        return self._client._call(_EVENTS_STOP, (id,), fields)


class Usage(_c.Resource):
    """The operations of usage."""

    def get(self, **fields: Unpack[_UsageGet]) -> operator.UsageReport:
        """Read the usage of a month.

        Returns what each owner used in a month (UTC): requests, created links, links and clicks. Owners without
        usage have a row, too. Once the month is closed (`is_final`), its usage never changes.
        """
        return self._client._call(_USAGE_GET, (), fields)


class Reports(_c.Resource):
    """The operations of reports."""

    def clicks(self, **fields: Unpack[_ReportsClicks]) -> operator.ClickReport:
        """Read the clicks of a range of days.

        Returns the clicks of all owners' links, or those of one owner, in a month or another range of days (UTC),
        summed up by day, campaign, link or owner. Links deleted since are one row, without a code or campaign; by
        campaign, it includes links without one.
        """
        return self._client._call(_REPORTS_CLICKS, (), fields)


class Operator(_c.Resource):
    """The operations of operator."""

    def get(self, **fields: Unpack[_OperatorGet]) -> operator.OperatorKey:
        """Read the operator key.

        Returns the operator key that sends the request.
        """
        return self._client._call(_OPERATOR_GET, (), fields)


class OperatorKeys(_c.Resource):
    """The operations of operator keys."""

    def list(self, **fields: Unpack[_OperatorKeysList]) -> _c.Pages[operator.OperatorKey]:
        """List the operator keys.

        Returns the operator keys, newest first, revoked and expired ones included. The server stores no secret,
        so it cannot show one.
        """
        return self._client._list(_OPERATOR_KEYS_LIST, (), fields)

    def create(self, **fields: Unpack[_OperatorKeysCreate]) -> operator.CreatedOperatorKey:
        """Create an operator key.

        Creates an operator key. Its secret is in this response and nowhere else: the server stores only a hash of
        it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret
        again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
        """
        return self._client._call(_OPERATOR_KEYS_CREATE, (), fields)

    def revoke(self, id: int, /, **fields: Unpack[_OperatorKeysRevoke]) -> None:
        """Revoke an operator key.

        Deletes the rights of an operator key permanently; servers reject it at once. A key cannot revoke itself.
        Revoking a key again returns 404.
        """
        return self._client._call(_OPERATOR_KEYS_REVOKE, (id,), fields)


class Webhooks(_c.Resource):
    """The operations of webhooks."""

    def list(self, id: int, /, **fields: Unpack[_WebhooksList]) -> _c.Pages[operator.Webhook]:
        """List the webhooks of an owner.

        Returns the webhooks of an owner, newest first, without their secrets.
        """
        return self._client._list(_WEBHOOKS_LIST, (id,), fields)

    def disable(self, id: int, /, **fields: Unpack[_WebhooksDisable]) -> operator.ChangeResult:
        """Disable a webhook.

        Changes a webhook so that it receives nothing, which its owner cannot end. What waits is not sent.
        """
        return self._client._call(_WEBHOOKS_DISABLE, (id,), fields)

    def enable(self, id: int, /, **fields: Unpack[_WebhooksEnable]) -> operator.ChangeResult:
        """Enable a webhook.

        Enables a webhook, even one that the operator has disabled.
        """
        return self._client._call(_WEBHOOKS_ENABLE, (id,), fields)


class Status(_c.Resource):
    """The operations of status."""

    def get(self, **fields: Unpack[_StatusGet]) -> operator.Status:
        """Read whether all is well.

        Returns what the service has and does today, what waits, and what needs attention. It is cheap enough to
        be read every few seconds.
        """
        return self._client._call(_STATUS_GET, (), fields)


class TerseOperator(_c.Client):
    """The operations of Terse: run the service."""

    _document: ClassVar[str] = "0.1.0"

    @cached_property
    def owners(self) -> Owners:
        return Owners(self)

    @cached_property
    def keys(self) -> Keys:
        return Keys(self)

    @cached_property
    def plans(self) -> Plans:
        return Plans(self)

    @cached_property
    def links(self) -> Links:
        return Links(self)

    @cached_property
    def link_changes(self) -> LinkChanges:
        return LinkChanges(self)

    @cached_property
    def blocks(self) -> Blocks:
        return Blocks(self)

    @cached_property
    def domains(self) -> Domains:
        return Domains(self)

    @cached_property
    def events(self) -> Events:
        return Events(self)

    @cached_property
    def usage(self) -> Usage:
        return Usage(self)

    @cached_property
    def reports(self) -> Reports:
        return Reports(self)

    @cached_property
    def operator(self) -> Operator:
        return Operator(self)

    @cached_property
    def operator_keys(self) -> OperatorKeys:
        return OperatorKeys(self)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self)

    @cached_property
    def status(self) -> Status:
        return Status(self)


class AsyncOwners(_c.AsyncResource):
    """The operations of owners."""

    def list(self, **fields: Unpack[_OwnersList]) -> _c.AsyncPages[operator.Owner]:
        """Find owners.

        Returns the owners that meet all conditions, newest first.
        """
        return self._client._list(_OWNERS_LIST, (), fields)

    async def create(self, **fields: Unpack[_OwnersCreate]) -> operator.CreatedOwner:
        """Create an owner.

        Creates an owner, with a first API key if `key` is given. Its secret is in this response and nowhere else:
        the server stores only a hash of it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret
        again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
        """
        return await self._client._call(_OWNERS_CREATE, (), fields)

    async def get(self, id: int, /, **fields: Unpack[_OwnersGet]) -> operator.Owner:
        """Read an owner.

        Returns an owner, with the number of links.
        """
        return await self._client._call(_OWNERS_GET, (id,), fields)

    async def update(self, id: int, /, **fields: Unpack[_OwnersUpdate]) -> operator.Owner:
        """Change an owner.

        Changes the name, the plan, the external identifier or the fallback of an owner. Servers follow within a
        second.
        """
        return await self._client._call(_OWNERS_UPDATE, (id,), fields)

    async def delete(self, id: int, /, **fields: Unpack[_OwnersDelete]) -> _c.Running | None:
        """Delete an owner.

        Deletes a suspended owner with all links and keys, and retires the codes of the links, which are never
        used again. The history keeps the name of the owner.

        It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the
        `Location` of its event, and so is that to a repetition while it runs, which returns 204 afterwards. If it
        was interrupted, the same request goes on under the same event.
        """
        return await self._client._call(_OWNERS_DELETE, (id,), fields)

    async def suspend(self, id: int, /, **fields: Unpack[_OwnersSuspend]) -> operator.ChangeResult:
        """Suspend an owner.

        Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451 if the
        reason is `legal`, within a second. A new reason replaces the earlier one.
        """
        return await self._client._call(_OWNERS_SUSPEND, (id,), fields)

    async def resume(self, id: int, /, **fields: Unpack[_OwnersResume]) -> operator.ChangeResult:
        """Resume an owner.

        Changes a suspended owner back: keys and links work as before, within a second.
        """
        return await self._client._call(_OWNERS_RESUME, (id,), fields)


class AsyncKeys(_c.AsyncResource):
    """The operations of keys."""

    def list(self, id: int, /, **fields: Unpack[_KeysList]) -> _c.AsyncPages[operator.Key]:
        """List the keys of an owner.

        Returns the API keys of an owner, newest first, revoked and expired ones included. The server stores no
        secret, so it cannot show one.
        """
        return self._client._list(_KEYS_LIST, (id,), fields)

    async def create(self, id: int, /, **fields: Unpack[_KeysCreate]) -> operator.CreatedKey:
        """Create a key of an owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it.
        An owner has at most 100 valid keys.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret
        again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
        """
        return await self._client._call(_KEYS_CREATE, (id,), fields)

    async def get(self, id: int, /, **fields: Unpack[_KeysGet]) -> operator.Key:
        """Read a key of any owner.

        Returns an API key with its owner, without its secret.
        """
        return await self._client._call(_KEYS_GET, (id,), fields)

    async def update(self, id: int, /, **fields: Unpack[_KeysUpdate]) -> operator.Key:
        """Change a key.

        Changes the label or the expiry of an API key. Servers follow within a second: if the new expiry has
        passed, the key is invalid at once.
        """
        return await self._client._call(_KEYS_UPDATE, (id,), fields)

    async def revoke(self, id: int, /, **fields: Unpack[_KeysRevoke]) -> None:
        """Revoke a key.

        Deletes the rights of an API key permanently; servers reject it within a second. Revoking a key again
        returns 404.
        """
        return await self._client._call(_KEYS_REVOKE, (id,), fields)

    async def find(self, **fields: Unpack[_KeysFind]) -> operator.Key:
        """Find a key by its secret.

        Returns the API key with this secret and its owner, even if the key is no longer valid. The secret stands
        in the body, so that no log has it.
        """
        return await self._client._call(_KEYS_FIND, (), fields)


class AsyncPlans(_c.AsyncResource):
    """The operations of plans."""

    def list(self, **fields: Unpack[_PlansList]) -> _c.AsyncPages[operator.Plan]:
        """List the plans.

        Returns all plans, in the order of their names.
        """
        return self._client._list(_PLANS_LIST, (), fields)

    async def create(self, **fields: Unpack[_PlansCreate]) -> operator.Plan:
        """Create a plan.

        Creates a plan. A limit that is absent is unlimited.
        """
        return await self._client._call(_PLANS_CREATE, (), fields)

    async def get(self, name: str, /, **fields: Unpack[_PlansGet]) -> operator.Plan:
        """Read a plan.

        Returns a plan.
        """
        return await self._client._call(_PLANS_GET, (name,), fields)

    async def update(self, name: str, /, **fields: Unpack[_PlansUpdate]) -> operator.Plan:
        """Change a plan.

        Changes the given limits of a plan, and no others. Servers apply another rate within a second.
        """
        return await self._client._call(_PLANS_UPDATE, (name,), fields)

    async def delete(self, name: str, /, **fields: Unpack[_PlansDelete]) -> None:
        """Delete a plan.

        Deletes a plan that no owner has.
        """
        return await self._client._call(_PLANS_DELETE, (name,), fields)


class AsyncLinks(_c.AsyncResource):
    """The operations of links."""

    def list(self, **fields: Unpack[_LinksList]) -> _c.AsyncPages[operator.Link]:
        """Find links of all owners.

        Returns the links that meet all conditions, newest first.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a
        `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._client._list(_LINKS_LIST, (), fields)

    async def get(self, code: str, /, **fields: Unpack[_LinksGet]) -> operator.Link:
        """Read a link.

        Returns a link with its clicks, its state and its owner. Deleted links are missing.
        """
        return await self._client._call(_LINKS_GET, (code,), fields)

    async def update(self, code: str, /, **fields: Unpack[_LinksUpdate]) -> operator.Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged
        value is not checked again. `POST /link-changes` disables and deletes links.

        With `If-Match`, the link is only changed if its `ETag` is still one of those.
        """
        return await self._client._call(_LINKS_UPDATE, (code,), fields)

    async def clicks(self, code: str, /, **fields: Unpack[_LinksClicks]) -> operator.LinkClicks:
        """Read the clicks of a link by day.

        Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30
        days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
        """
        return await self._client._call(_LINKS_CLICKS, (code,), fields)

    def events(self, code: str, /, **fields: Unpack[_LinksEvents]) -> _c.AsyncPages[operator.Event]:
        """List the events of a link.

        Returns the changes of a link, newest first, even if the link is deleted.
        """
        return self._client._list(_LINKS_EVENTS, (code,), fields)


class AsyncLinkChanges(_c.AsyncResource):
    """The operations of link changes."""

    async def create(self, **fields: Unpack[_LinkChangesCreate]) -> operator.LinkChangeResult:
        """Change any number of links.

        Changes the links that all selectors choose: disables, enables, pauses, unpauses, deletes or updates them.
        Redirects follow within a second. Codes that no link has are named, and the other links change.

        The change is one event, made in slices. It does not depend on the connection: if it takes longer than 20
        seconds, the response is 202 with the `Location` of its event, and a repetition with the same
        `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is
        done. `POST /events/{id}/stop` stops a change after the slice in progress. If the operator key is revoked
        or the server shuts down, it stops, too; the event counts what was done, and the same request does the
        rest, with the same `Idempotency-Key` under the same event.
        """
        return await self._client._call(_LINK_CHANGES_CREATE, (), fields)


class AsyncBlocks(_c.AsyncResource):
    """The operations of blocks."""

    def list(self, **fields: Unpack[_BlocksList]) -> _c.AsyncPages[operator.Block]:
        """List the patterns in force.

        Returns the operator's own patterns, newest first, and then those of imported lists and of the block file.
        Expired ones are missing.
        """
        return self._client._list(_BLOCKS_LIST, (), fields)

    async def create(self, **fields: Unpack[_BlocksCreate]) -> operator.ChangeResult:
        """Block destinations, or make an exception.

        Changes the rule of patterns, all in one transaction and event: `block` blocks the destinations that they
        match, and `allow` makes them exceptions. Servers follow within a second. The most specific pattern
        decides. Repeating the request changes nothing.
        """
        return await self._client._call(_BLOCKS_CREATE, (), fields)

    async def delete(self, **fields: Unpack[_BlocksDelete]) -> None:
        """Remove a pattern.

        Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within a second.
        Removing it again returns 404.
        """
        return await self._client._call(_BLOCKS_DELETE, (), fields)

    async def check(self, **fields: Unpack[_BlocksCheck]) -> operator.BlockCheck:
        """Check whether a destination is blocked.

        Returns whether a URL or a host is blocked, and the pattern that decides it.
        """
        return await self._client._call(_BLOCKS_CHECK, (), fields)


class AsyncDomains(_c.AsyncResource):
    """The operations of domains."""

    def list(self, **fields: Unpack[_DomainsList]) -> _c.AsyncPages[operator.Domain]:
        """List the domains.

        Returns the domains of all owners or of one, newest first.
        """
        return self._client._list(_DOMAINS_LIST, (), fields)

    async def create(self, **fields: Unpack[_DomainsCreate]) -> operator.Domain:
        """Add a domain to an owner.

        Creates a domain: a host of the owner's own, which serves the owner's links and nothing else. Servers
        follow within a second. The first domain of an owner is the default one, which `short_url` and QR codes
        have.

        If destinations or fallbacks lead to the host already, the response is 409 `domain-has-destinations`,
        unless `accept_destinations` is `true`.
        """
        return await self._client._call(_DOMAINS_CREATE, (), fields)

    async def get(self, host: str, /, **fields: Unpack[_DomainsGet]) -> operator.Domain:
        """Read a domain.

        Returns a domain, with its owner.
        """
        return await self._client._call(_DOMAINS_GET, (host,), fields)

    async def update(self, host: str, /, **fields: Unpack[_DomainsUpdate]) -> operator.Domain:
        """Change a domain.

        Changes where visitors of the start page go, or makes the domain the default one of its owner. Servers
        follow within a second. Links still answer at all domains of the owner.
        """
        return await self._client._call(_DOMAINS_UPDATE, (host,), fields)

    async def delete(self, host: str, /, **fields: Unpack[_DomainsDelete]) -> None:
        """Remove a domain.

        Deletes a domain. Servers follow within a second: the host is then unknown, and free for any owner. Links
        stay, and answer at the base URL and the owner's other domains. Removing it again returns 404.
        """
        return await self._client._call(_DOMAINS_DELETE, (host,), fields)


class AsyncEvents(_c.AsyncResource):
    """The operations of events."""

    def list(self, **fields: Unpack[_EventsList]) -> _c.AsyncPages[operator.Event]:
        """List events.

        Returns what was changed, by whom, when and why, newest first. With `after_id`, it returns later events,
        oldest first: events become visible in the order of their identifiers, so a program that follows the pages
        to the end, and later continues after the last one it has seen, misses none.
        """
        return self._client._list(_EVENTS_LIST, (), fields)

    async def get(self, id: int, /, **fields: Unpack[_EventsGet]) -> operator.EventDetails:
        """Read an event.

        Returns an event, and the first 100 of what it changed.
        """
        return await self._client._call(_EVENTS_GET, (id,), fields)

    def changes(self, id: int, /, **fields: Unpack[_EventsChanges]) -> _c.AsyncPages[operator.EventChange]:
        """List what an event changed.

        Returns everything that an event changed, in the order in which it did. Of a deletion of links, it returns
        the codes.
        """
        return self._client._list(_EVENTS_CHANGES, (id,), fields)

    async def undo(self, id: int, /, **fields: Unpack[_EventsUndo]) -> operator.UndoResult:
        """Undo an event.

        Changes everything back that an event changed and nothing has changed since. Only events that disable,
        enable, pause, unpause or edit links, suspend or resume owners, change patterns, or change domains can be
        undone; the last only with the role `admin`. The undo is itself an event.

        It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the
        `Location` of its event, and a repetition with the same `Idempotency-Key` returns 202 while it runs, and
        then the result. If it was interrupted, the repetition goes on under the same event.
        """
        return await self._client._call(_EVENTS_UNDO, (id,), fields)

    async def stop(self, id: int, /, **fields: Unpack[_EventsStop]) -> operator.Event:
        """Stop the change of an event.

        Changes an event that runs, which is a change of many links, an undo or the deletion of an owner: it stops
        after the slice in progress. What was changed stays changed, and the request that made the change goes on
        if it is repeated. Stopping a deletion needs the role `admin`. The stop is itself an event, except if the
        change had ended: then nothing happens.
        """
        return await self._client._call(_EVENTS_STOP, (id,), fields)


class AsyncUsage(_c.AsyncResource):
    """The operations of usage."""

    async def get(self, **fields: Unpack[_UsageGet]) -> operator.UsageReport:
        """Read the usage of a month.

        Returns what each owner used in a month (UTC): requests, created links, links and clicks. Owners without
        usage have a row, too. Once the month is closed (`is_final`), its usage never changes.
        """
        return await self._client._call(_USAGE_GET, (), fields)


class AsyncReports(_c.AsyncResource):
    """The operations of reports."""

    async def clicks(self, **fields: Unpack[_ReportsClicks]) -> operator.ClickReport:
        """Read the clicks of a range of days.

        Returns the clicks of all owners' links, or those of one owner, in a month or another range of days (UTC),
        summed up by day, campaign, link or owner. Links deleted since are one row, without a code or campaign; by
        campaign, it includes links without one.
        """
        return await self._client._call(_REPORTS_CLICKS, (), fields)


class AsyncOperator(_c.AsyncResource):
    """The operations of operator."""

    async def get(self, **fields: Unpack[_OperatorGet]) -> operator.OperatorKey:
        """Read the operator key.

        Returns the operator key that sends the request.
        """
        return await self._client._call(_OPERATOR_GET, (), fields)


class AsyncOperatorKeys(_c.AsyncResource):
    """The operations of operator keys."""

    def list(self, **fields: Unpack[_OperatorKeysList]) -> _c.AsyncPages[operator.OperatorKey]:
        """List the operator keys.

        Returns the operator keys, newest first, revoked and expired ones included. The server stores no secret,
        so it cannot show one.
        """
        return self._client._list(_OPERATOR_KEYS_LIST, (), fields)

    async def create(self, **fields: Unpack[_OperatorKeysCreate]) -> operator.CreatedOperatorKey:
        """Create an operator key.

        Creates an operator key. Its secret is in this response and nowhere else: the server stores only a hash of
        it.

        With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret
        again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
        """
        return await self._client._call(_OPERATOR_KEYS_CREATE, (), fields)

    async def revoke(self, id: int, /, **fields: Unpack[_OperatorKeysRevoke]) -> None:
        """Revoke an operator key.

        Deletes the rights of an operator key permanently; servers reject it at once. A key cannot revoke itself.
        Revoking a key again returns 404.
        """
        return await self._client._call(_OPERATOR_KEYS_REVOKE, (id,), fields)


class AsyncWebhooks(_c.AsyncResource):
    """The operations of webhooks."""

    def list(self, id: int, /, **fields: Unpack[_WebhooksList]) -> _c.AsyncPages[operator.Webhook]:
        """List the webhooks of an owner.

        Returns the webhooks of an owner, newest first, without their secrets.
        """
        return self._client._list(_WEBHOOKS_LIST, (id,), fields)

    async def disable(self, id: int, /, **fields: Unpack[_WebhooksDisable]) -> operator.ChangeResult:
        """Disable a webhook.

        Changes a webhook so that it receives nothing, which its owner cannot end. What waits is not sent.
        """
        return await self._client._call(_WEBHOOKS_DISABLE, (id,), fields)

    async def enable(self, id: int, /, **fields: Unpack[_WebhooksEnable]) -> operator.ChangeResult:
        """Enable a webhook.

        Enables a webhook, even one that the operator has disabled.
        """
        return await self._client._call(_WEBHOOKS_ENABLE, (id,), fields)


class AsyncStatus(_c.AsyncResource):
    """The operations of status."""

    async def get(self, **fields: Unpack[_StatusGet]) -> operator.Status:
        """Read whether all is well.

        Returns what the service has and does today, what waits, and what needs attention. It is cheap enough to
        be read every few seconds.
        """
        return await self._client._call(_STATUS_GET, (), fields)


class AsyncTerseOperator(_c.AsyncClient):
    """The operations of Terse: run the service."""

    _document: ClassVar[str] = "0.1.0"

    @cached_property
    def owners(self) -> AsyncOwners:
        return AsyncOwners(self)

    @cached_property
    def keys(self) -> AsyncKeys:
        return AsyncKeys(self)

    @cached_property
    def plans(self) -> AsyncPlans:
        return AsyncPlans(self)

    @cached_property
    def links(self) -> AsyncLinks:
        return AsyncLinks(self)

    @cached_property
    def link_changes(self) -> AsyncLinkChanges:
        return AsyncLinkChanges(self)

    @cached_property
    def blocks(self) -> AsyncBlocks:
        return AsyncBlocks(self)

    @cached_property
    def domains(self) -> AsyncDomains:
        return AsyncDomains(self)

    @cached_property
    def events(self) -> AsyncEvents:
        return AsyncEvents(self)

    @cached_property
    def usage(self) -> AsyncUsage:
        return AsyncUsage(self)

    @cached_property
    def reports(self) -> AsyncReports:
        return AsyncReports(self)

    @cached_property
    def operator(self) -> AsyncOperator:
        return AsyncOperator(self)

    @cached_property
    def operator_keys(self) -> AsyncOperatorKeys:
        return AsyncOperatorKeys(self)

    @cached_property
    def webhooks(self) -> AsyncWebhooks:
        return AsyncWebhooks(self)

    @cached_property
    def status(self) -> AsyncStatus:
        return AsyncStatus(self)
