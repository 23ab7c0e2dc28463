"""The operations of Terse and of Terse: manage your links, reports and keys. Generated from openapi/*.json by scripts/clients --generate."""

# mypy: disable-error-code=no-any-return
from __future__ import annotations
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal
from . import _client as _c, _many

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable, Sequence
    from datetime import date, datetime
    from typing_extensions import Unpack
    from .types import api, manage

    class _Shorten(api.ShortenRequest, _c.Idempotent, total=False):
        pass

    class _ListLinks(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        campaign: str | None
        """Only links of this campaign, such as `spring`. The comparison is exact."""
        active: int | None
        """Only links that redirect (`1`), or only those that do not (`0`)."""

    class _GetStats(_c.Options, total=False):
        pass

    class _ListQrCodes(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        campaign: str | None
        """Only links of this campaign, such as `spring`. The comparison is exact."""
        active: int | None
        """Only links that redirect (`1`), or only those that do not (`0`)."""

    class _EnableQrCode(api.QrCodeRequest, _c.Idempotent, total=False):
        pass

    class _LinksList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
        code: Sequence[str] | None
        """Only links with one of these short codes, at most 100. Unknown ones are ignored, and the list has no
        pages.
        """
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

    class _LinksCreate(manage.LinkCreate, _c.Idempotent, total=False):
        pass

    class _LinksGet(_c.Options, total=False):
        pass

    class _LinksUpdate(manage.LinkUpdate, _c.Conditional, total=False):
        pass

    class _LinksDelete(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _LinksGetByExternalId(_c.Options, total=False):
        pass

    class _LinksUpsert(manage.LinkCreate, _c.Conditional, total=False):
        pass

    class _LinksCreateBatch(manage.LinkBatchCreate, _c.Idempotent, total=False):
        pass

    class _LinksCreateMany(_c.Idempotent, total=False):
        if_exists: Literal["fail", "update"]

    class _LinkChangesCreate(manage.LinkChange, _c.Idempotent, total=False):
        pass

    class _CampaignsList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _LinksClicks(_c.Options, total=False):
        from_day: str | date | None
        """The first day, such as `2026-01-31`. Without it, the 30th up to `to_day`."""
        to_day: str | date | None
        """The last day, such as `2026-01-31`, at most 400 days from `from_day`. Without it, today."""

    class _LinksEvents(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _EventsList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""
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
        """Only events of this action, such as `link edit`."""
        after_id: int | None
        """Only events after the one with this identifier, oldest first; `0` begins with the first."""

    class _EventsGet(_c.Options, total=False):
        pass

    class _EventsChanges(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _EventsStop(manage.AuditRequest, _c.Idempotent, total=False):
        pass

    class _ReportsClicks(_c.Options, total=False):
        month: str | None
        """The month, such as `2026-01`. Without it and without days, the current month."""
        from_day: str | date | None
        """The first day, such as `2026-01-31`, instead of a month. Without it, the 30th up to `to_day`."""
        to_day: str | date | None
        """The last day, at most 400 days from `from_day`. Without it, today."""
        by: Literal["day", "campaign", "link"] | None
        """`day`, `campaign` or `link`: by what the clicks are summed up. Without it, by day."""
        campaign: str | None
        """Only links of this campaign, such as `spring`. The comparison is exact."""

    class _OwnerGet(_c.Options, total=False):
        pass

    class _KeysList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _KeysCreate(manage.KeyCreate, _c.Idempotent, total=False):
        pass

    class _KeysGet(_c.Options, total=False):
        pass

    class _KeysUpdate(manage.KeyUpdate, _c.Conditional, total=False):
        pass

    class _KeysRevoke(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _WebhooksList(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _WebhooksCreate(manage.WebhookCreate, _c.Idempotent, total=False):
        pass

    class _WebhooksGet(_c.Options, total=False):
        pass

    class _WebhooksUpdate(manage.WebhookUpdate, _c.Conditional, total=False):
        pass

    class _WebhooksDelete(_c.Conditional, total=False):
        reason: Literal["phishing", "malware", "spam", "legal", "owner-request", "other"] | None
        """The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`."""
        note: str | None
        """A note for the history."""
        case_id: str | None
        """The identifier of a case in your own system, for the history."""

    class _WebhooksRotate(_c.Idempotent, total=False):
        pass

    class _WebhooksTest(_c.Idempotent, total=False):
        pass

    class _WebhooksDeliveries(_c.Options, total=False):
        limit: int | None
        """Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages."""

    class _WebhooksRetryDelivery(_c.Idempotent, total=False):
        pass


_SHORTEN = _c.Operation("POST", "/api/v1/shorten", False, takes_key=True, has_body=True)
_LIST_LINKS = _c.Operation("GET", "/api/v1/links", True, max_limit=1000)
_GET_STATS = _c.Operation("GET", "/api/v1/stats/{}", True)
_LIST_QR_CODES = _c.Operation("GET", "/api/v1/qrcodes", True, max_limit=1000)
_ENABLE_QR_CODE = _c.Operation("POST", "/api/v1/qrcodes", False, takes_key=True, has_body=True)
_LINKS_LIST = _c.Operation("GET", "/api/manage/v1/links", True, max_limit=1000)
_LINKS_CREATE = _c.Operation("POST", "/api/manage/v1/links", False, takes_key=True, has_body=True)
_LINKS_GET = _c.Operation("GET", "/api/manage/v1/links/{}", True)
_LINKS_UPDATE = _c.Operation("PATCH", "/api/manage/v1/links/{}", True, has_body=True)
_LINKS_DELETE = _c.Operation("DELETE", "/api/manage/v1/links/{}", True, missing="link-not-found")
_LINKS_GET_BY_EXTERNAL_ID = _c.Operation("GET", "/api/manage/v1/external-links/{}", True)
_LINKS_UPSERT = _c.Operation("PUT", "/api/manage/v1/external-links/{}", True, has_body=True)
_LINKS_CREATE_BATCH = _c.Operation("POST", "/api/manage/v1/link-batches", False, takes_key=True, has_body=True)
_LINK_CHANGES_CREATE = _c.Operation("POST", "/api/manage/v1/link-changes", False, takes_key=True, has_body=True)
_CAMPAIGNS_LIST = _c.Operation("GET", "/api/manage/v1/campaigns", True, max_limit=1000)
_LINKS_CLICKS = _c.Operation("GET", "/api/manage/v1/links/{}/clicks", True)
_LINKS_EVENTS = _c.Operation("GET", "/api/manage/v1/links/{}/events", True, max_limit=1000)
_EVENTS_LIST = _c.Operation("GET", "/api/manage/v1/events", True, max_limit=1000)
_EVENTS_GET = _c.Operation("GET", "/api/manage/v1/events/{}", True)
_EVENTS_CHANGES = _c.Operation("GET", "/api/manage/v1/events/{}/changes", True, max_limit=1000)
_EVENTS_STOP = _c.Operation("POST", "/api/manage/v1/events/{}/stop", False, takes_key=True, has_body=True)
_REPORTS_CLICKS = _c.Operation("GET", "/api/manage/v1/reports/clicks", True)
_OWNER_GET = _c.Operation("GET", "/api/manage/v1/owner", True)
_KEYS_LIST = _c.Operation("GET", "/api/manage/v1/keys", True, max_limit=1000)
_KEYS_CREATE = _c.Operation("POST", "/api/manage/v1/keys", False, takes_key=True, has_body=True)
_KEYS_GET = _c.Operation("GET", "/api/manage/v1/keys/{}", True)
_KEYS_UPDATE = _c.Operation("PATCH", "/api/manage/v1/keys/{}", True, has_body=True)
_KEYS_REVOKE = _c.Operation("DELETE", "/api/manage/v1/keys/{}", True, missing="key-not-found")
_WEBHOOKS_LIST = _c.Operation("GET", "/api/manage/v1/webhooks", True, max_limit=1000)
_WEBHOOKS_CREATE = _c.Operation("POST", "/api/manage/v1/webhooks", False, takes_key=True, has_body=True)
_WEBHOOKS_GET = _c.Operation("GET", "/api/manage/v1/webhooks/{}", True)
_WEBHOOKS_UPDATE = _c.Operation("PATCH", "/api/manage/v1/webhooks/{}", True, has_body=True)
_WEBHOOKS_DELETE = _c.Operation("DELETE", "/api/manage/v1/webhooks/{}", True, missing="webhook-not-found")
_WEBHOOKS_ROTATE = _c.Operation("POST", "/api/manage/v1/webhooks/{}/rotate", False, takes_key=True)
_WEBHOOKS_TEST = _c.Operation("POST", "/api/manage/v1/webhooks/{}/test", False, takes_key=True)
_WEBHOOKS_DELIVERIES = _c.Operation("GET", "/api/manage/v1/webhooks/{}/deliveries", True, max_limit=1000)
_WEBHOOKS_RETRY_DELIVERY = _c.Operation("POST", "/api/manage/v1/webhooks/{}/deliveries/{}/retry", False, takes_key=True)


class Links(_c.Resource):
    """The operations of links."""

    def list(self, **fields: Unpack[_LinksList]) -> _c.Pages[manage.Link]:
        """Find links by their properties.

        Returns links of the API key's owner, newest first, that meet all conditions.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a
        `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._client._list(_LINKS_LIST, (), fields)

    def create(self, **fields: Unpack[_LinksCreate]) -> manage.Link:
        """Create a link.

        Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change. Its code is
        random unless `custom_code` is given. If the owner's plan does not allow custom codes, 409 `custom-codes-
        not-allowed`. The state in the response is that of the moment of creation.

        Both operations share the values of `Idempotency-Key`: one that was used for the other returns 409
        `idempotency-key-reused`.
        """
        return self._client._call(_LINKS_CREATE, (), fields)

    def get(self, code: str, /, **fields: Unpack[_LinksGet]) -> manage.Link:
        """Read a link.

        Returns a link with its clicks, every click included whose redirect was sent. The response for another
        owner's link is the same as for one that does not exist.
        """
        return self._client._call(_LINKS_GET, (code,), fields)

    def update(self, code: str, /, **fields: Unpack[_LinksUpdate]) -> manage.Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged
        value is not checked again.

        With `If-Match`, the link is only changed if its `ETag` is still one of those; of several concurrent
        changes with the same `ETag`, exactly one succeeds. While the operator has disabled the link or blocked
        its destination, 409 `link-disabled`.
        """
        return self._client._call(_LINKS_UPDATE, (code,), fields)

    def delete(self, code: str, /, **fields: Unpack[_LinksDelete]) -> None:
        """Delete a link.

        Deletes a link with its clicks, and retires its code, which returns 410 from then on and is never used
        again. Deleting it again returns 404.

        With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the operator has
        disabled the link or blocked its destination, 409 `link-disabled`.
        """
        return self._client._call(_LINKS_DELETE, (code,), fields)

    def get_by_external_id(self, external_id: str, /, **fields: Unpack[_LinksGetByExternalId]) -> manage.Link:
        """Read a link by its external identifier.

        Returns the link that has this `external_id`, as `GET /links/{code}` does.
        """
        return self._client._call(_LINKS_GET_BY_EXTERNAL_ID, (external_id,), fields)

    def upsert(self, external_id: str, /, **fields: Unpack[_LinksUpsert]) -> manage.Link:
        """Create or change a link by its external identifier.

        Creates the link with this `external_id` (201), or changes the given members of the one that exists (200),
        as `PATCH /links/{code}` does: an absent member stays, `null` removes a value, and an unchanged one is not
        checked again. Where there must be a value, `null` is the same as absence. `custom_code` counts only for a
        new link.

        The request may be repeated for ever, and two at the same time make one link. After the link was deleted,
        a repetition makes another one. With `If-Match`, the link is only changed if its `ETag` is still one of
        those, and none is created.
        """
        return self._client._call(_LINKS_UPSERT, (external_id,), fields)

    def create_batch(self, **fields: Unpack[_LinksCreateBatch]) -> manage.LinkBatch:
        """Create many links.

        Creates up to 1,000 links, each as `POST /links` does, and returns their results in order. Each link
        stands for itself: one that is malformed, or for which there is no room in the plan, fails alone. One link
        may have as many bytes as the body of `POST /links`. The batch counts as one request.

        With `"if_exists": "update"`, a link whose `external_id` exists changes that link instead, as `PUT
        /external-links/{external_id}` does, and has the status 200. All such changes are one event, `event_id`.

        With `Idempotency-Key`, a repetition returns the links that it has created as the first time, and those
        that it has changed as they are now, with the same event; it tries to create or change the others.
        """
        return self._client._call(_LINKS_CREATE_BATCH, (), fields)

    def create_many(self, links: Iterable[manage.LinkCreate], **fields: Unpack[_LinksCreateMany]) -> _many.CreatedLinks:
        """Create any number of links, a thousand per request.

        What fails with 429 or 503 is repeated for `retry_for` seconds. The result has the outcome of each link.
        With an `idempotency_key`, a repeat of the call within 24 hours creates what is missing.
        """
        return self._client._run(_many.create_many(self._client, _LINKS_CREATE_BATCH, links, fields))

    def clicks(self, code: str, /, **fields: Unpack[_LinksClicks]) -> manage.LinkClicks:
        """Read the clicks of a link by day.

        Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30
        days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
        """
        return self._client._call(_LINKS_CLICKS, (code,), fields)

    def events(self, code: str, /, **fields: Unpack[_LinksEvents]) -> _c.Pages[manage.Event]:
        """List the events of a link.

        Returns the changes of a link, newest first, even if the link is deleted. For a change by the operator, it
        returns the time, the action and the reason, but neither name, note nor case.
        """
        return self._client._list(_LINKS_EVENTS, (code,), fields)


class LinkChanges(_c.Resource):
    """The operations of link changes."""

    def create(self, **fields: Unpack[_LinkChangesCreate]) -> manage.LinkChangeResult:
        """Change any number of links.

        Changes the links that all selectors choose: pauses, unpauses, deletes or updates them, that is gives all
        the same new values. Redirects follow within a second. Codes that no link has are named, and the other
        links change. Links that the operator has disabled or blocked stay as they are, and are counted in
        `skipped`. A deletion needs a key of the scope `full`.

        The change is one event, made in slices. It does not depend on the connection: if it takes longer than 20
        seconds, the response is 202 with the `Location` of its event, and a repetition with the same
        `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is
        done. If the key is revoked or the server shuts down, the change stops after the slice in progress, and
        the same request does the rest, with the same `Idempotency-Key` under the same event. One change of an
        owner runs at a time.
        """
        return self._client._call(_LINK_CHANGES_CREATE, (), fields)


class Campaigns(_c.Resource):
    """The operations of campaigns."""

    def list(self, **fields: Unpack[_CampaignsList]) -> _c.Pages[manage.CampaignLinks]:
        """List the campaigns.

        Returns the campaigns of the owner's links, by name, each with the number of its links.
        """
        return self._client._list(_CAMPAIGNS_LIST, (), fields)


class Events(_c.Resource):
    """The operations of events."""

    def list(self, **fields: Unpack[_EventsList]) -> _c.Pages[manage.Event]:
        """List events.

        Returns the changes of the owner, and of the owner's links, keys, domains and webhooks, also of links that
        are deleted, newest first. With `after_id`, it returns later events, oldest first: events become visible
        in the order of their identifiers, so a program that follows the pages to the end, and later continues
        after the last one it has seen, misses none.
        """
        return self._client._list(_EVENTS_LIST, (), fields)

    def get(self, id: int, /, **fields: Unpack[_EventsGet]) -> manage.EventDetails:
        """Read an event.

        Returns an event, and the first 100 of what it changed. Of a change over several owners, it returns only
        what is the owner's.
        """
        return self._client._call(_EVENTS_GET, (id,), fields)

    def changes(self, id: int, /, **fields: Unpack[_EventsChanges]) -> _c.Pages[manage.EventChange]:
        """List what an event changed.

        Returns everything that an event changed, in the order in which it did. Of a change over several owners,
        it returns only what is the owner's.
        """
        return self._client._list(_EVENTS_CHANGES, (id,), fields)

    def stop(self, id: int, /, **fields: Unpack[_EventsStop]) -> manage.Event:
        """Stop the change of an event.

        Changes an event that runs, which is a change of many links by a key of the owner: it stops after the
        slice in progress. What was changed stays changed, and the request that made the change goes on if it is
        repeated. The stop is itself an event, except if the change had ended: then nothing happens. A change by
        the operator cannot be stopped; the response is 404.
        """
        return self._client._call(_EVENTS_STOP, (id,), fields)


class Reports(_c.Resource):
    """The operations of reports."""

    def clicks(self, **fields: Unpack[_ReportsClicks]) -> manage.ClickReport:
        """Read the clicks of a range of days.

        Returns the clicks of the owner's links in a month or another range of days (UTC), summed up by day, by
        campaign or by link. Links deleted since are one row, without a code or campaign; by campaign, it includes
        links without one.
        """
        return self._client._call(_REPORTS_CLICKS, (), fields)


class Owner(_c.Resource):
    """The operations of owner."""

    def get(self, **fields: Unpack[_OwnerGet]) -> manage.Owner:
        """Read the owner of the key.

        Returns the owner of the API key, what the owner's plan allows and what the owner uses of it. Keys of
        every scope may call this operation; for those of the scope `create`, `usage` and `domains` are null.
        """
        return self._client._call(_OWNER_GET, (), fields)


class Keys(_c.Resource):
    """The operations of keys."""

    def list(self, **fields: Unpack[_KeysList]) -> _c.Pages[manage.Key]:
        """List the keys of the owner.

        Returns the API keys of the owner, newest first, revoked and expired ones included. The server stores no
        secret, so it cannot show one.
        """
        return self._client._list(_KEYS_LIST, (), fields)

    def create(self, **fields: Unpack[_KeysCreate]) -> manage.CreatedKey:
        """Create a key of the owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it.
        An owner has at most 100 valid keys. A key with an expiry cannot create one with a later expiry.

        With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same secret again,
        as long as the created key is valid; with another API key, 409 `secret-unavailable`.
        """
        return self._client._call(_KEYS_CREATE, (), fields)

    def get(self, id: int, /, **fields: Unpack[_KeysGet]) -> manage.Key:
        """Read a key of the owner.

        Returns an API key, without its secret. The response for another owner's key is the same as for one that
        does not exist.
        """
        return self._client._call(_KEYS_GET, (id,), fields)

    def update(self, id: int, /, **fields: Unpack[_KeysUpdate]) -> manage.Key:
        """Change a key of the owner.

        Changes the label or the expiry of an API key. A key with an expiry cannot give another key a later one,
        or none. Servers follow within a second.
        """
        return self._client._call(_KEYS_UPDATE, (id,), fields)

    def revoke(self, id: int, /, **fields: Unpack[_KeysRevoke]) -> None:
        """Revoke a key of the owner.

        Deletes the rights of an API key permanently; servers reject it within a second. A key cannot revoke
        itself. Revoking a key again returns 404.
        """
        return self._client._call(_KEYS_REVOKE, (id,), fields)


class Webhooks(_c.Resource):
    """The operations of webhooks."""

    def list(self, **fields: Unpack[_WebhooksList]) -> _c.Pages[manage.Webhook]:
        """List the webhooks of the owner.

        Returns the webhooks of the owner, newest first.
        """
        return self._client._list(_WEBHOOKS_LIST, (), fields)

    def create(self, **fields: Unpack[_WebhooksCreate]) -> manage.CreatedWebhook:
        """Create a webhook.

        Creates a webhook, which is told of what commits from one second after the response. An owner has at most
        10. Its secret is shown only here and by its replacement.

        With `Idempotency-Key`, a repetition within 24 hours returns the same secret, unless it was replaced:
        then, or once the webhook is deleted, 409 `secret-unavailable`.
        """
        return self._client._call(_WEBHOOKS_CREATE, (), fields)

    def get(self, id: int, /, **fields: Unpack[_WebhooksGet]) -> manage.Webhook:
        """Read a webhook.

        Returns a webhook, without its secret.
        """
        return self._client._call(_WEBHOOKS_GET, (id,), fields)

    def update(self, id: int, /, **fields: Unpack[_WebhooksUpdate]) -> manage.Webhook:
        """Change a webhook.

        Changes the given properties of a webhook, and no others. Servers follow within a second. One that the
        operator has disabled cannot be enabled: 409 `webhook-disabled`.
        """
        return self._client._call(_WEBHOOKS_UPDATE, (id,), fields)

    def delete(self, id: int, /, **fields: Unpack[_WebhooksDelete]) -> None:
        """Delete a webhook.

        Deletes a webhook, and all of its deliveries. What waits is not sent.
        """
        return self._client._call(_WEBHOOKS_DELETE, (id,), fields)

    def rotate(self, id: int, /, **fields: Unpack[_WebhooksRotate]) -> manage.CreatedWebhook:
        """Replace the secret of a webhook.

        Creates a new secret. For 24 hours, the former one signs too, so that receivers can be changed meanwhile.
        With `Idempotency-Key`, a repetition within 24 hours returns the same secret.
        """
        return self._client._call(_WEBHOOKS_ROTATE, (id,), fields)

    def test(self, id: int, /, **fields: Unpack[_WebhooksTest]) -> manage.DeliveryAttempt:
        """Test a webhook.

        Creates a delivery of the type `webhook.test`, sends it now, and returns the attempt. It is not repeated,
        and it is sent even if the owner has disabled the webhook. With `Idempotency-Key`, a repetition within 24
        hours returns the same attempt.
        """
        return self._client._call(_WEBHOOKS_TEST, (id,), fields)

    def deliveries(self, id: int, /, **fields: Unpack[_WebhooksDeliveries]) -> _c.Pages[manage.Delivery]:
        """List the deliveries of a webhook.

        Returns the deliveries of the last 7 days, newest first.
        """
        return self._client._list(_WEBHOOKS_DELIVERIES, (id,), fields)

    def retry_delivery(self, id: int, delivery_id: str, /, **fields: Unpack[_WebhooksRetryDelivery]) -> manage.Delivery:
        """Repeat a delivery.

        Changes a delivery so that it is sent again within a second, whatever its status is. What was deleted
        cannot be sent again: 409 `delivery-erased`. With `Idempotency-Key`, a repetition within 24 hours sends
        nothing more.
        """
        return self._client._call(
            _WEBHOOKS_RETRY_DELIVERY,
            (
                id,
                delivery_id,
            ),
            fields,
        )


class Terse(_c.Client):
    """The operations of Terse and of Terse: manage your links, reports and keys."""

    _document: ClassVar[str] = "0.1.0"

    @cached_property
    def links(self) -> Links:
        return Links(self)

    @cached_property
    def link_changes(self) -> LinkChanges:
        return LinkChanges(self)

    @cached_property
    def campaigns(self) -> Campaigns:
        return Campaigns(self)

    @cached_property
    def events(self) -> Events:
        return Events(self)

    @cached_property
    def reports(self) -> Reports:
        return Reports(self)

    @cached_property
    def owner(self) -> Owner:
        return Owner(self)

    @cached_property
    def keys(self) -> Keys:
        return Keys(self)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self)

    def shorten(self, **fields: Unpack[_Shorten]) -> api.ShortenResponse:
        """Create a short link.

        Creates a link of the API key's owner, which redirects as soon as the response is sent. Its code is
        random, 7 characters that are hard to confuse, unless `custom_code` is given and the owner's plan allows
        custom codes. The same `url` twice creates two links, each with its own clicks.

        Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`, `daily-limit-
        reached`, `expiry-passed` or `idempotency-key-reused`. None of them creates anything.
        """
        return self._call(_SHORTEN, (), fields)

    def list_links(self, **fields: Unpack[_ListLinks]) -> _c.Pages[api.Link]:
        """List all links.

        Returns all links of the API key's owner, newest first, with their current clicks.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is absent on the
        last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(_LIST_LINKS, (), fields)

    def get_stats(self, code: str, /, **fields: Unpack[_GetStats]) -> api.StatsResponse:
        """Read the statistics of a link.

        Returns a link and its clicks. Every click whose redirect was sent is counted, including the latest
        (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and robots are not clicks.
        Another owner's link returns the same 404 as one that does not exist.
        """
        return self._call(_GET_STATS, (code,), fields)

    def list_qr_codes(self, **fields: Unpack[_ListQrCodes]) -> _c.Pages[api.QrCodeLink]:
        """List all links with a QR code.

        Returns all links of the API key's owner whose QR code is enabled, newest first.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is absent on the
        last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(_LIST_QR_CODES, (), fields)

    def enable_qr_code(self, **fields: Unpack[_EnableQrCode]) -> api.QrCodeResponse:
        """Enable the QR code of a link.

        Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451 while the link
        does not redirect). `?size=` is their side length in pixels, up to 4096; a PNG needs at least one pixel
        per module. Calling the operation again changes the given settings and retains the others.

        Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored colour applies if
        one is omitted. An imported link whose short URL is too long returns 409 `qr-code-too-long`.
        """
        return self._call(_ENABLE_QR_CODE, (), fields)


class AsyncLinks(_c.AsyncResource):
    """The operations of links."""

    def list(self, **fields: Unpack[_LinksList]) -> _c.AsyncPages[manage.Link]:
        """Find links by their properties.

        Returns links of the API key's owner, newest first, that meet all conditions.

        One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a
        `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._client._list(_LINKS_LIST, (), fields)

    async def create(self, **fields: Unpack[_LinksCreate]) -> manage.Link:
        """Create a link.

        Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change. Its code is
        random unless `custom_code` is given. If the owner's plan does not allow custom codes, 409 `custom-codes-
        not-allowed`. The state in the response is that of the moment of creation.

        Both operations share the values of `Idempotency-Key`: one that was used for the other returns 409
        `idempotency-key-reused`.
        """
        return await self._client._call(_LINKS_CREATE, (), fields)

    async def get(self, code: str, /, **fields: Unpack[_LinksGet]) -> manage.Link:
        """Read a link.

        Returns a link with its clicks, every click included whose redirect was sent. The response for another
        owner's link is the same as for one that does not exist.
        """
        return await self._client._call(_LINKS_GET, (code,), fields)

    async def update(self, code: str, /, **fields: Unpack[_LinksUpdate]) -> manage.Link:
        """Change a link.

        Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged
        value is not checked again.

        With `If-Match`, the link is only changed if its `ETag` is still one of those; of several concurrent
        changes with the same `ETag`, exactly one succeeds. While the operator has disabled the link or blocked
        its destination, 409 `link-disabled`.
        """
        return await self._client._call(_LINKS_UPDATE, (code,), fields)

    async def delete(self, code: str, /, **fields: Unpack[_LinksDelete]) -> None:
        """Delete a link.

        Deletes a link with its clicks, and retires its code, which returns 410 from then on and is never used
        again. Deleting it again returns 404.

        With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the operator has
        disabled the link or blocked its destination, 409 `link-disabled`.
        """
        return await self._client._call(_LINKS_DELETE, (code,), fields)

    async def get_by_external_id(self, external_id: str, /, **fields: Unpack[_LinksGetByExternalId]) -> manage.Link:
        """Read a link by its external identifier.

        Returns the link that has this `external_id`, as `GET /links/{code}` does.
        """
        return await self._client._call(_LINKS_GET_BY_EXTERNAL_ID, (external_id,), fields)

    async def upsert(self, external_id: str, /, **fields: Unpack[_LinksUpsert]) -> manage.Link:
        """Create or change a link by its external identifier.

        Creates the link with this `external_id` (201), or changes the given members of the one that exists (200),
        as `PATCH /links/{code}` does: an absent member stays, `null` removes a value, and an unchanged one is not
        checked again. Where there must be a value, `null` is the same as absence. `custom_code` counts only for a
        new link.

        The request may be repeated for ever, and two at the same time make one link. After the link was deleted,
        a repetition makes another one. With `If-Match`, the link is only changed if its `ETag` is still one of
        those, and none is created.
        """
        return await self._client._call(_LINKS_UPSERT, (external_id,), fields)

    async def create_batch(self, **fields: Unpack[_LinksCreateBatch]) -> manage.LinkBatch:
        """Create many links.

        Creates up to 1,000 links, each as `POST /links` does, and returns their results in order. Each link
        stands for itself: one that is malformed, or for which there is no room in the plan, fails alone. One link
        may have as many bytes as the body of `POST /links`. The batch counts as one request.

        With `"if_exists": "update"`, a link whose `external_id` exists changes that link instead, as `PUT
        /external-links/{external_id}` does, and has the status 200. All such changes are one event, `event_id`.

        With `Idempotency-Key`, a repetition returns the links that it has created as the first time, and those
        that it has changed as they are now, with the same event; it tries to create or change the others.
        """
        return await self._client._call(_LINKS_CREATE_BATCH, (), fields)

    async def create_many(
        self, links: Iterable[manage.LinkCreate] | AsyncIterable[manage.LinkCreate], **fields: Unpack[_LinksCreateMany]
    ) -> _many.CreatedLinks:
        """Create any number of links, a thousand per request.

        What fails with 429 or 503 is repeated for `retry_for` seconds. The result has the outcome of each link.
        With an `idempotency_key`, a repeat of the call within 24 hours creates what is missing.
        """
        return await self._client._run(_many.create_many(self._client, _LINKS_CREATE_BATCH, links, fields))

    async def clicks(self, code: str, /, **fields: Unpack[_LinksClicks]) -> manage.LinkClicks:
        """Read the clicks of a link by day.

        Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30
        days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
        """
        return await self._client._call(_LINKS_CLICKS, (code,), fields)

    def events(self, code: str, /, **fields: Unpack[_LinksEvents]) -> _c.AsyncPages[manage.Event]:
        """List the events of a link.

        Returns the changes of a link, newest first, even if the link is deleted. For a change by the operator, it
        returns the time, the action and the reason, but neither name, note nor case.
        """
        return self._client._list(_LINKS_EVENTS, (code,), fields)


class AsyncLinkChanges(_c.AsyncResource):
    """The operations of link changes."""

    async def create(self, **fields: Unpack[_LinkChangesCreate]) -> manage.LinkChangeResult:
        """Change any number of links.

        Changes the links that all selectors choose: pauses, unpauses, deletes or updates them, that is gives all
        the same new values. Redirects follow within a second. Codes that no link has are named, and the other
        links change. Links that the operator has disabled or blocked stay as they are, and are counted in
        `skipped`. A deletion needs a key of the scope `full`.

        The change is one event, made in slices. It does not depend on the connection: if it takes longer than 20
        seconds, the response is 202 with the `Location` of its event, and a repetition with the same
        `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is
        done. If the key is revoked or the server shuts down, the change stops after the slice in progress, and
        the same request does the rest, with the same `Idempotency-Key` under the same event. One change of an
        owner runs at a time.
        """
        return await self._client._call(_LINK_CHANGES_CREATE, (), fields)


class AsyncCampaigns(_c.AsyncResource):
    """The operations of campaigns."""

    def list(self, **fields: Unpack[_CampaignsList]) -> _c.AsyncPages[manage.CampaignLinks]:
        """List the campaigns.

        Returns the campaigns of the owner's links, by name, each with the number of its links.
        """
        return self._client._list(_CAMPAIGNS_LIST, (), fields)


class AsyncEvents(_c.AsyncResource):
    """The operations of events."""

    def list(self, **fields: Unpack[_EventsList]) -> _c.AsyncPages[manage.Event]:
        """List events.

        Returns the changes of the owner, and of the owner's links, keys, domains and webhooks, also of links that
        are deleted, newest first. With `after_id`, it returns later events, oldest first: events become visible
        in the order of their identifiers, so a program that follows the pages to the end, and later continues
        after the last one it has seen, misses none.
        """
        return self._client._list(_EVENTS_LIST, (), fields)

    async def get(self, id: int, /, **fields: Unpack[_EventsGet]) -> manage.EventDetails:
        """Read an event.

        Returns an event, and the first 100 of what it changed. Of a change over several owners, it returns only
        what is the owner's.
        """
        return await self._client._call(_EVENTS_GET, (id,), fields)

    def changes(self, id: int, /, **fields: Unpack[_EventsChanges]) -> _c.AsyncPages[manage.EventChange]:
        """List what an event changed.

        Returns everything that an event changed, in the order in which it did. Of a change over several owners,
        it returns only what is the owner's.
        """
        return self._client._list(_EVENTS_CHANGES, (id,), fields)

    async def stop(self, id: int, /, **fields: Unpack[_EventsStop]) -> manage.Event:
        """Stop the change of an event.

        Changes an event that runs, which is a change of many links by a key of the owner: it stops after the
        slice in progress. What was changed stays changed, and the request that made the change goes on if it is
        repeated. The stop is itself an event, except if the change had ended: then nothing happens. A change by
        the operator cannot be stopped; the response is 404.
        """
        return await self._client._call(_EVENTS_STOP, (id,), fields)


class AsyncReports(_c.AsyncResource):
    """The operations of reports."""

    async def clicks(self, **fields: Unpack[_ReportsClicks]) -> manage.ClickReport:
        """Read the clicks of a range of days.

        Returns the clicks of the owner's links in a month or another range of days (UTC), summed up by day, by
        campaign or by link. Links deleted since are one row, without a code or campaign; by campaign, it includes
        links without one.
        """
        return await self._client._call(_REPORTS_CLICKS, (), fields)


class AsyncOwner(_c.AsyncResource):
    """The operations of owner."""

    async def get(self, **fields: Unpack[_OwnerGet]) -> manage.Owner:
        """Read the owner of the key.

        Returns the owner of the API key, what the owner's plan allows and what the owner uses of it. Keys of
        every scope may call this operation; for those of the scope `create`, `usage` and `domains` are null.
        """
        return await self._client._call(_OWNER_GET, (), fields)


class AsyncKeys(_c.AsyncResource):
    """The operations of keys."""

    def list(self, **fields: Unpack[_KeysList]) -> _c.AsyncPages[manage.Key]:
        """List the keys of the owner.

        Returns the API keys of the owner, newest first, revoked and expired ones included. The server stores no
        secret, so it cannot show one.
        """
        return self._client._list(_KEYS_LIST, (), fields)

    async def create(self, **fields: Unpack[_KeysCreate]) -> manage.CreatedKey:
        """Create a key of the owner.

        Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it.
        An owner has at most 100 valid keys. A key with an expiry cannot create one with a later expiry.

        With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same secret again,
        as long as the created key is valid; with another API key, 409 `secret-unavailable`.
        """
        return await self._client._call(_KEYS_CREATE, (), fields)

    async def get(self, id: int, /, **fields: Unpack[_KeysGet]) -> manage.Key:
        """Read a key of the owner.

        Returns an API key, without its secret. The response for another owner's key is the same as for one that
        does not exist.
        """
        return await self._client._call(_KEYS_GET, (id,), fields)

    async def update(self, id: int, /, **fields: Unpack[_KeysUpdate]) -> manage.Key:
        """Change a key of the owner.

        Changes the label or the expiry of an API key. A key with an expiry cannot give another key a later one,
        or none. Servers follow within a second.
        """
        return await self._client._call(_KEYS_UPDATE, (id,), fields)

    async def revoke(self, id: int, /, **fields: Unpack[_KeysRevoke]) -> None:
        """Revoke a key of the owner.

        Deletes the rights of an API key permanently; servers reject it within a second. A key cannot revoke
        itself. Revoking a key again returns 404.
        """
        return await self._client._call(_KEYS_REVOKE, (id,), fields)


class AsyncWebhooks(_c.AsyncResource):
    """The operations of webhooks."""

    def list(self, **fields: Unpack[_WebhooksList]) -> _c.AsyncPages[manage.Webhook]:
        """List the webhooks of the owner.

        Returns the webhooks of the owner, newest first.
        """
        return self._client._list(_WEBHOOKS_LIST, (), fields)

    async def create(self, **fields: Unpack[_WebhooksCreate]) -> manage.CreatedWebhook:
        """Create a webhook.

        Creates a webhook, which is told of what commits from one second after the response. An owner has at most
        10. Its secret is shown only here and by its replacement.

        With `Idempotency-Key`, a repetition within 24 hours returns the same secret, unless it was replaced:
        then, or once the webhook is deleted, 409 `secret-unavailable`.
        """
        return await self._client._call(_WEBHOOKS_CREATE, (), fields)

    async def get(self, id: int, /, **fields: Unpack[_WebhooksGet]) -> manage.Webhook:
        """Read a webhook.

        Returns a webhook, without its secret.
        """
        return await self._client._call(_WEBHOOKS_GET, (id,), fields)

    async def update(self, id: int, /, **fields: Unpack[_WebhooksUpdate]) -> manage.Webhook:
        """Change a webhook.

        Changes the given properties of a webhook, and no others. Servers follow within a second. One that the
        operator has disabled cannot be enabled: 409 `webhook-disabled`.
        """
        return await self._client._call(_WEBHOOKS_UPDATE, (id,), fields)

    async def delete(self, id: int, /, **fields: Unpack[_WebhooksDelete]) -> None:
        """Delete a webhook.

        Deletes a webhook, and all of its deliveries. What waits is not sent.
        """
        return await self._client._call(_WEBHOOKS_DELETE, (id,), fields)

    async def rotate(self, id: int, /, **fields: Unpack[_WebhooksRotate]) -> manage.CreatedWebhook:
        """Replace the secret of a webhook.

        Creates a new secret. For 24 hours, the former one signs too, so that receivers can be changed meanwhile.
        With `Idempotency-Key`, a repetition within 24 hours returns the same secret.
        """
        return await self._client._call(_WEBHOOKS_ROTATE, (id,), fields)

    async def test(self, id: int, /, **fields: Unpack[_WebhooksTest]) -> manage.DeliveryAttempt:
        """Test a webhook.

        Creates a delivery of the type `webhook.test`, sends it now, and returns the attempt. It is not repeated,
        and it is sent even if the owner has disabled the webhook. With `Idempotency-Key`, a repetition within 24
        hours returns the same attempt.
        """
        return await self._client._call(_WEBHOOKS_TEST, (id,), fields)

    def deliveries(self, id: int, /, **fields: Unpack[_WebhooksDeliveries]) -> _c.AsyncPages[manage.Delivery]:
        """List the deliveries of a webhook.

        Returns the deliveries of the last 7 days, newest first.
        """
        return self._client._list(_WEBHOOKS_DELIVERIES, (id,), fields)

    async def retry_delivery(
        self, id: int, delivery_id: str, /, **fields: Unpack[_WebhooksRetryDelivery]
    ) -> manage.Delivery:
        """Repeat a delivery.

        Changes a delivery so that it is sent again within a second, whatever its status is. What was deleted
        cannot be sent again: 409 `delivery-erased`. With `Idempotency-Key`, a repetition within 24 hours sends
        nothing more.
        """
        return await self._client._call(
            _WEBHOOKS_RETRY_DELIVERY,
            (
                id,
                delivery_id,
            ),
            fields,
        )


class AsyncTerse(_c.AsyncClient):
    """The operations of Terse and of Terse: manage your links, reports and keys."""

    _document: ClassVar[str] = "0.1.0"

    @cached_property
    def links(self) -> AsyncLinks:
        return AsyncLinks(self)

    @cached_property
    def link_changes(self) -> AsyncLinkChanges:
        return AsyncLinkChanges(self)

    @cached_property
    def campaigns(self) -> AsyncCampaigns:
        return AsyncCampaigns(self)

    @cached_property
    def events(self) -> AsyncEvents:
        return AsyncEvents(self)

    @cached_property
    def reports(self) -> AsyncReports:
        return AsyncReports(self)

    @cached_property
    def owner(self) -> AsyncOwner:
        return AsyncOwner(self)

    @cached_property
    def keys(self) -> AsyncKeys:
        return AsyncKeys(self)

    @cached_property
    def webhooks(self) -> AsyncWebhooks:
        return AsyncWebhooks(self)

    async def shorten(self, **fields: Unpack[_Shorten]) -> api.ShortenResponse:
        """Create a short link.

        Creates a link of the API key's owner, which redirects as soon as the response is sent. Its code is
        random, 7 characters that are hard to confuse, unless `custom_code` is given and the owner's plan allows
        custom codes. The same `url` twice creates two links, each with its own clicks.

        Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`, `daily-limit-
        reached`, `expiry-passed` or `idempotency-key-reused`. None of them creates anything.
        """
        return await self._call(_SHORTEN, (), fields)

    def list_links(self, **fields: Unpack[_ListLinks]) -> _c.AsyncPages[api.Link]:
        """List all links.

        Returns all links of the API key's owner, newest first, with their current clicks.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is absent on the
        last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(_LIST_LINKS, (), fields)

    async def get_stats(self, code: str, /, **fields: Unpack[_GetStats]) -> api.StatsResponse:
        """Read the statistics of a link.

        Returns a link and its clicks. Every click whose redirect was sent is counted, including the latest
        (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and robots are not clicks.
        Another owner's link returns the same 404 as one that does not exist.
        """
        return await self._call(_GET_STATS, (code,), fields)

    def list_qr_codes(self, **fields: Unpack[_ListQrCodes]) -> _c.AsyncPages[api.QrCodeLink]:
        """List all links with a QR code.

        Returns all links of the API key's owner whose QR code is enabled, newest first.

        With `limit`, at most that many; the header `Link` then has the URL of the next page, and is absent on the
        last one. Links created meanwhile cause neither duplicates nor gaps.
        """
        return self._list(_LIST_QR_CODES, (), fields)

    async def enable_qr_code(self, **fields: Unpack[_EnableQrCode]) -> api.QrCodeResponse:
        """Enable the QR code of a link.

        Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451 while the link
        does not redirect). `?size=` is their side length in pixels, up to 4096; a PNG needs at least one pixel
        per module. Calling the operation again changes the given settings and retains the others.

        Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored colour applies if
        one is omitted. An imported link whose short URL is too long returns 409 `qr-code-too-long`.
        """
        return await self._call(_ENABLE_QR_CODE, (), fields)
