"""Runs the services of deploy/docker/compose.postgres.yaml without containers, and checks what they do together.

usage: compose.py FILE CADDY PROMETHEUS, as root in network and mount namespaces of its own, with the program in
TERSE and an empty database in TERSE_DATABASE_URL. Each service has an address of its own, to which its name
leads. Images, volumes and the capabilities of containers are not tested.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from ruamel.yaml import YAML

TERSE = os.environ["TERSE"]
GIVEN: dict[str, str] = {}
PUBLIC = "https://localhost"


def interpolate(value: Any) -> Any:
    """Returns a value of the file with its variables replaced, as Compose does."""
    if isinstance(value, dict):
        return {key: interpolate(item) for key, item in value.items()}
    if isinstance(value, list):
        return [interpolate(item) for item in value]
    if not isinstance(value, str):
        return value
    return re.sub(r"\$\{(\w+):([-?])([^}]*)\}", lambda m: GIVEN[m[1]] if m[2] == "?" else GIVEN.get(m[1], m[3]), value)


class Services:
    """The services that run."""

    def __init__(self, file: pathlib.Path, directory: pathlib.Path) -> None:
        self.file = file
        self.directory = directory
        self.services: dict[str, Any] = interpolate(YAML(typ="safe").load(file))["services"]
        self.addresses = {name: f"127.0.1.{number}" for number, name in enumerate(self.services, 1)}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        hosts = directory / "hosts"
        lines = ["127.0.0.1 localhost", *(f"{address} {name}" for name, address in self.addresses.items())]
        hosts.write_text("\n".join(lines) + "\n", encoding="utf-8")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)

    def terse_environment(self, name: str) -> dict[str, str]:
        """Returns the environment of an instance, with what a container would give it."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TERSE")}
        environment |= self.services[name]["environment"]
        secret = pathlib.Path(environment["TERSE_DATABASE_URL_FILE"])
        assert secret.parent == pathlib.Path("/run/secrets") and secret.name in self.services[name]["secrets"], secret
        (self.directory / secret.name).write_text(os.environ["TERSE_DATABASE_URL"], encoding="utf-8")
        spool = self.directory / name
        spool.mkdir(exist_ok=True)
        return environment | {
            # The image names an SQLite file.
            "TERSE_DATABASE_URL": "sqlite:///var/lib/terse/terse.db?mode=rw",
            "TERSE_DATABASE_URL_FILE": str(self.directory / secret.name),
            "TERSE_LISTEN": f"{self.addresses[name]}:8080",
            "TERSE_OPERATOR_LISTEN": environment["TERSE_OPERATOR_LISTEN"].replace("0.0.0.0", self.addresses[name]),
            "TERSE_SPOOL_DIRECTORY": str(spool),
            "TERSE_TRUSTED_PROXIES": "127.0.0.0/8",
        }

    def volume(self, name: str, target: str) -> pathlib.Path:
        """Returns the file that the service sees at a path."""
        volumes = (volume.split(":") for volume in self.services[name]["volumes"])
        return next(self.file.parent / source for source, path, *_ in volumes if path == target)

    def start(self, name: str, command: list[Any], environment: dict[str, str] | None = None) -> None:
        log = (self.directory / f"{name}.log").open("ab")
        self.processes[name] = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(60)


def wait_for(what: str, check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            if check():
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            sys.exit(f"after 30 s, {what} is still missing")
        time.sleep(0.1)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def request(url: str, context: ssl.SSLContext | None = None, body: Any = None, key: str = "") -> tuple[int, bytes]:
    """Sends a request on a new connection, and returns the status and the body."""
    opener = urllib.request.build_opener(
        NoRedirect, urllib.request.HTTPSHandler(context=context), urllib.request.ProxyHandler({})
    )
    headers = {"X-API-Key": key, "Content-Type": "application/json"} if key else {}
    data = None if body is None else json.dumps(body).encode()
    try:
        with opener.open(urllib.request.Request(url, data, headers), timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def follow_during_restart(services: Services, context: ssl.SSLContext) -> int:
    """Follows a link while an instance stops and another one takes over; returns the number of clicks."""
    followed = 0
    for number in range(120):
        if number == 40:
            services.processes["terse1"].send_signal(signal.SIGTERM)
        status, _ = request(f"{PUBLIC}/spring", context)
        if status != 302:
            sys.exit(f"visit {number} returned {status}")
        followed += 1
    if services.processes["terse1"].wait(30) != 0:
        sys.exit("the instance did not end with status 0")
    return followed


def main(file: pathlib.Path, caddy: str, prometheus: str, directory: pathlib.Path) -> None:
    services = Services(file, directory)
    instances = [name for name, service in services.services.items() if service["image"].startswith("terse:")]
    assert instances == ["terse1", "terse2"], instances
    try:
        for name in instances:
            services.start(name, [TERSE, "serve"], services.terse_environment(name))
        public = services.services["caddy"]["environment"]
        data = directory / "caddy"
        caddyfile = services.volume("caddy", "/etc/caddy/Caddyfile")
        services.start(
            "caddy",
            [caddy, "run", "--adapter", "caddyfile", "--config", caddyfile],
            public | {"XDG_DATA_HOME": str(data), "HOME": str(data)},
        )
        scraped = directory / "prometheus"
        scraped.mkdir()
        for target in ("prometheus.yml", "terse.rules.yaml"):
            shutil.copy(services.volume("prometheus", f"/etc/prometheus/{target}"), scraped / target)
        text = (scraped / "prometheus.yml").read_text(encoding="utf-8")
        (scraped / "prometheus.yml").write_text(text.replace(": 15s", ": 1s"), encoding="utf-8")
        services.start(
            "prometheus",
            [prometheus, f"--config.file={scraped}/prometheus.yml", f"--storage.tsdb.path={scraped}/data"],
        )

        root = data / "caddy/pki/authorities/local/root.crt"
        # Caddy creates the file before it writes into it.
        wait_for("Caddy's certificate", lambda: root.exists() and "END CERTIFICATE" in root.read_text())
        context = ssl.create_default_context(cafile=str(root))
        wait_for("the service behind Caddy", lambda: request(f"{PUBLIC}/", context)[0] == 200)
        command = [TERSE, "owner", "add", "acme", "--plan", "unlimited"]
        environment = services.terse_environment("terse1")
        key = subprocess.check_output(command, env=environment, text=True, stderr=subprocess.DEVNULL).strip()

        link = {"url": "https://example.org/spring", "custom_code": "spring"}
        status, body = request(f"{PUBLIC}/api/v1/shorten", context, link, key)
        assert status == 201, body
        assert json.loads(body)["short_url"] == "https://localhost:8443/spring", body
        plain = http.client.HTTPConnection("localhost")
        plain.request("GET", "/spring?a=b")
        redirect = plain.getresponse()
        assert (redirect.status, redirect.headers["Location"]) == (301, "https://localhost:8443/spring?a=b"), redirect
        for path in ("/metrics", "/health/ready"):
            assert request(PUBLIC + path, context)[0] == 404, f"{path} is public"

        api = "http://127.0.0.1:9090/api/v1"

        def are_scraped() -> bool:
            targets = json.loads(request(f"{api}/targets")[1])["data"]["activeTargets"]
            return sorted(t["labels"]["instance"] for t in targets if t["health"] == "up") == [
                f"{name}:9080" for name in instances
            ]

        wait_for("a scrape of each instance", are_scraped)
        rules = json.loads(request(f"{api}/rules")[1])["data"]["groups"]
        assert rules and rules[0]["name"] == "terse", rules

        followed = follow_during_restart(services, context)
        clicks = json.loads(request(f"{PUBLIC}/api/v1/stats/spring", context, key=key)[1])["data"]["clicks"]
        assert clicks == followed, f"{clicks} clicks instead of {followed}"
        print(f"two instances behind TLS, both scraped; {followed} visits while one stopped, none refused")
    except BaseException:
        for name in services.processes:
            print(f"--- {name}", (directory / f"{name}.log").read_text(encoding="utf-8")[-2000:], sep="\n")
        raise
    finally:
        services.stop()


with tempfile.TemporaryDirectory() as temporary:
    os.chmod(temporary, 0o755)
    main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3], pathlib.Path(temporary))
