"""Lets a server deliver webhooks of every type, before and after a rotation of the secret, and runs a command that
verifies them.

usage: deliveries.py DOCUMENT COMMAND ARGUMENT...

DOCUMENT is the OpenAPI document of the owner's interface. The command finds the name of a JSON file in DELIVERIES:
`secrets` has the first secret and the one that replaced it, and `deliveries` the headers and the body of each
delivery, with the number of secrets that sign it. The server is that of with_operator.py.
"""

import http.server
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

TIMEOUT = 60


class Receiver(http.server.BaseHTTPRequestHandler):
    """Stores every delivery."""

    received: list[dict[str, object]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        headers = {name: value for name, value in self.headers.items() if name.lower().startswith("webhook-")}
        self.received.append({"headers": headers, "body": body})
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def types() -> list[object]:
    return [json.loads(str(one["body"]))["type"] for one in Receiver.received]


def wait_for(kind: str) -> None:
    deadline = time.monotonic() + TIMEOUT
    while kind not in types():
        if time.monotonic() > deadline:
            sys.exit(f"no delivery of the type {kind}")
        time.sleep(0.1)


def call(base: str, key: str, method: str, path: str, body: object = None) -> dict[str, object]:
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return json.loads(response.read() or b"{}")
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")


def visit(url: str) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    try:
        urllib.request.build_opener(Stay).open(url, timeout=TIMEOUT)
    except urllib.error.HTTPError as response:
        assert response.code == 302, response.code


def main(document: str, *command: str) -> int:
    with open(document) as file:
        declared = json.load(file)["components"]["schemas"]["WebhookCreate"]["properties"]["types"]["items"]
    kinds = declared["enum"]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    public = os.environ["TERSE_WEBHOOKS_URL"]
    operate = lambda *request: call(f"{os.environ['TERSE_OPERATOR_URL']}/api/operator/v1", os.environ["TERSE_OPERATOR_KEY"], *request)  # noqa: E731
    new = {"name": f"receiver-{secrets.token_hex(4)}", "plan_name": "unlimited", "key": {"scope": "full"}}
    owner = operate("POST", "/owners", new)
    manage = lambda *request: call(f"{public}/api/manage/v1", owner["key"]["secret"], *request)  # noqa: E731

    url = f"http://127.0.0.1:{server.server_port}/hook"
    webhook = manage("POST", "/webhooks", {"url": url, "types": kinds, "description": None})
    time.sleep(1.5)  # A webhook holds for what commits from one second after its creation.
    hook = f"/webhooks/{webhook['id']}"
    manage("POST", f"{hook}/test")
    link = manage("POST", "/links", {"destination_url": "https://example.org/", "title": "ä‮<b>😀"})
    code = link["short_code"]
    manage("PATCH", f"/links/{code}", {"title": "other"})
    visit(f"{public}/{code}")
    wait_for("links.clicked")
    for action in ("disable", "enable"):
        operate("POST", "/link-changes", {"action": action, "selectors": {"code": [code]}})
    wait_for("link.enabled")

    rotated = manage("POST", f"{hook}/rotate")
    first = len(Receiver.received)
    batch = [{"destination_url": f"https://example.org/{number}"} for number in range(150)]
    manage("POST", "/link-batches", {"links": batch})
    manage("POST", "/link-changes", {"action": "pause", "selectors": {"host": "example.org"}})
    manage("DELETE", f"/links/{code}")
    for action in ("suspend", "resume"):
        operate("POST", f"/owners/{owner['id']}/{action}", {})
    for kind in kinds:
        wait_for(kind)
    server.shutdown()

    for number, one in enumerate(Receiver.received):
        one["signed_by"] = 1 if number < first else 2
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"secrets": [webhook["secret"], rotated["secret"]], "deliveries": Receiver.received}, file)
        file.flush()
        return subprocess.run(command, env={**os.environ, "DELIVERIES": file.name}).returncode


sys.exit(main(*sys.argv[1:]))
