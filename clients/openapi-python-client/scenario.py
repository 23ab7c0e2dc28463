"""The scenario of docs/contributing/generated-clients.md with the package that openapi-python-client generates.

usage: scenario.py, with the address of the server in TERSE_URL, an API key in TERSE_KEY, and in
TERSE_LIMITED_KEY one whose owner may send one request per minute.
"""

import os
import secrets

import httpx
from terse_client import AuthenticatedClient
from terse_client.api.links import get_stats, list_links, shorten
from terse_client.api.qr_codes import enable_qr_code, list_qr_codes
from terse_client.models import (
    LinkList,
    Problem,
    QrCodeList,
    QrCodeRequest,
    QrCodeRequestErrorCorrectionType1,
    QrCodeResponse,
    ShortenRequest,
    ShortenResponse,
    StatsResponse,
)

URL = os.environ["TERSE_URL"]
DESTINATION = "https://example.org/spring?utm_source=mail"


def client_with(key: str) -> AuthenticatedClient:
    """Returns a client that sends the key as a bearer token."""
    return AuthenticatedClient(base_url=URL, token=key)


def use_links(client: AuthenticatedClient) -> None:
    created = shorten.sync(
        client=client,
        body=ShortenRequest(url=DESTINATION, title="Spring catalogue", campaign="spring"),
    )
    assert isinstance(created, ShortenResponse), created
    assert created.destination_url == DESTINATION and len(created.short_code) == 7, created

    code = f"py-{secrets.token_hex(8)}"
    custom = shorten.sync(client=client, body=ShortenRequest(url=DESTINATION, custom_code=code))
    assert isinstance(custom, ShortenResponse), custom
    assert custom.short_url == f"{URL}/{code}", custom

    listed = list_links.sync(client=client)
    assert isinstance(listed, LinkList), listed
    found = [(link.short_code, link.campaign, link.clicks) for link in listed.data[:2]]
    assert found == [(code, None, 0), (created.short_code, "spring", 0)], listed

    redirect = httpx.get(created.short_url)
    assert (redirect.status_code, redirect.headers["location"]) == (302, DESTINATION)
    stats = get_stats.sync(created.short_code, client=client)
    assert isinstance(stats, StatsResponse), stats
    assert (stats.data.clicks, stats.data.is_active) == (1, 1), stats

    enabled = enable_qr_code.sync(
        client=client,
        body=QrCodeRequest(code, error_correction=QrCodeRequestErrorCorrectionType1.Q, margin=2),
    )
    assert isinstance(enabled, QrCodeResponse) and enabled.has_qr == 1, enabled
    with_qr = list_qr_codes.sync(client=client)
    assert isinstance(with_qr, QrCodeList), with_qr
    assert (with_qr.data[0].short_code, with_qr.data[0].title) == (code, None), with_qr

    check_errors(client, code)


def check_errors(client: AuthenticatedClient, taken: str) -> None:
    refused = list_links.sync(client=client_with("terse_unknownunknownunknown1"))
    assert isinstance(refused, Problem), refused
    assert (refused.status, refused.code) == (401, "unauthorized"), refused

    missing = get_stats.sync("unknown", client=client)
    assert isinstance(missing, Problem), missing
    assert (missing.status, missing.code) == (404, "link-not-found"), missing

    again = shorten.sync_detailed(
        client=client, body=ShortenRequest(url=DESTINATION, custom_code=taken)
    )
    assert isinstance(again.parsed, Problem), again
    assert (again.status_code, again.parsed.code) == (409, "code-in-use"), again
    assert again.headers["X-Request-Id"] == again.parsed.request_id, again

    invalid = shorten.sync(client=client, body=ShortenRequest(url="example.org"))
    assert isinstance(invalid, Problem), invalid
    assert (invalid.status, invalid.code) == (422, "invalid-input"), invalid
    assert invalid.errors and [error.pointer for error in invalid.errors] == ["/url"], invalid

    limited = client_with(os.environ["TERSE_LIMITED_KEY"])
    assert isinstance(list_links.sync(client=limited), LinkList)
    throttled = list_links.sync_detailed(client=limited)
    assert isinstance(throttled.parsed, Problem), throttled
    assert (throttled.status_code, throttled.parsed.code) == (429, "rate-limited"), throttled
    assert int(throttled.headers["Retry-After"]) > 0, throttled


use_links(client_with(os.environ["TERSE_KEY"]))
