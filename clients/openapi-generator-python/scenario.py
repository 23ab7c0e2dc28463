"""The scenario of docs/contributing/generated-clients.md with the Python package that openapi-generator generates.

usage: scenario.py, with the address of the server in TERSE_URL, an API key in TERSE_KEY, and in
TERSE_LIMITED_KEY one whose owner may send one request per minute.
"""

import http.client
import os
import secrets
from collections.abc import Callable

from terse_client import (
    ApiClient,
    ApiException,
    Configuration,
    LinksApi,
    Problem,
    QrCodeRequest,
    QRCodesApi,
    ShortenRequest,
)

URL = os.environ["TERSE_URL"]
DESTINATION = "https://example.org/spring?utm_source=mail"


def client_with(key: str, retries: int | None = None) -> ApiClient:
    """Returns a client that sends the key as X-API-Key."""
    return ApiClient(Configuration(host=URL, api_key={"ApiKeyAuth": key}, retries=retries))


def redirect_of(short_url: str) -> tuple[int, str | None]:
    connection = http.client.HTTPConnection(URL.removeprefix("http://"))
    connection.request("GET", short_url.removeprefix(URL))
    response = connection.getresponse()
    return response.status, response.getheader("Location")


def problem_of(request: Callable[[], object]) -> Problem:
    """Returns the problem, which is the `data` of the exception that the client raises."""
    try:
        result = request()
    except ApiException as error:
        assert isinstance(error.data, Problem) and error.data.status == error.status, error
        assert error.headers and error.headers["X-Request-Id"] == error.data.request_id, error
        assert error.status != 429 or int(error.headers["Retry-After"]) > 0, error
        return error.data
    raise AssertionError(f"no error but {result}")


client = client_with(os.environ["TERSE_KEY"])
links, qr_codes = LinksApi(client), QRCodesApi(client)

created = links.shorten(
    ShortenRequest(url=DESTINATION, title="Spring catalogue", campaign="spring")
)
assert created.destination_url == DESTINATION and len(created.short_code) == 7, created
code = f"py-{secrets.token_hex(8)}"
custom = links.shorten(ShortenRequest(url=DESTINATION, custom_code=code))
assert custom.short_url == f"{URL}/{code}", custom

listed = links.list_links(limit=2)
found = [(link.short_code, link.campaign, link.clicks) for link in listed.data]
assert found == [(code, None, 0), (created.short_code, "spring", 0)], listed

assert redirect_of(created.short_url) == (302, DESTINATION)
stats = links.get_stats(created.short_code)
assert (stats.data.clicks, stats.data.is_active) == (1, 1), stats

enabled = qr_codes.enable_qr_code(QrCodeRequest(short_code=code, error_correction="Q", margin=2))
assert enabled.has_qr == 1, enabled
with_qr = qr_codes.list_qr_codes().data[0]
assert (with_qr.short_code, with_qr.title) == (code, None), with_qr

refused = problem_of(LinksApi(client_with("terse_unknownunknownunknown1")).list_links)
assert (refused.status, refused.code) == (401, "unauthorized"), refused
missing = problem_of(lambda: links.get_stats("unknown"))
assert (missing.status, missing.code) == (404, "link-not-found"), missing
again = problem_of(lambda: links.shorten(ShortenRequest(url=DESTINATION, custom_code=code)))
assert (again.status, again.code) == (409, "code-in-use"), again
invalid = problem_of(lambda: links.shorten(ShortenRequest(url="https://[")))
assert (invalid.status, invalid.code) == (422, "invalid-input"), invalid
assert invalid.errors and [error.pointer for error in invalid.errors] == ["/url"], invalid

# By default, the client waits and repeats a GET that returns 429.
limited = LinksApi(client_with(os.environ["TERSE_LIMITED_KEY"], retries=0))
limited.list_links()
throttled = problem_of(limited.list_links)
assert (throttled.status, throttled.code) == (429, "rate-limited"), throttled
