"""Runs a program that creates a link per line of links.txt, and kills the server twice meanwhile.

usage: interrupted_import.py [--batches] LINKS COMMAND ARGUMENT...
  --batches   the program sends a thousand links per request

The program is run in the current directory, where this script writes `links.txt`. It finds the address of
the server in TERSE_URL and an API key in TERSE_KEY. The owner's plan allows so few requests that some return
429. Before each kill, the responses of some requests that took effect are lost. Fails unless every line has
exactly one link afterwards. TERSE is the program of the server.
"""

import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

TERSE = os.environ["TERSE"]
# Requests per second of the plan, which clients exceed on slow machines too.
MAX_RATE = 200


class Proxy:
    """Passes bytes on to a server, and can lose its responses."""

    def __init__(self, port: int) -> None:
        self.server = ("127.0.0.1", port)
        self.loses_responses = False
        self.lost = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(self.server)
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.pass_on, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, client, True), daemon=True).start()

    def pass_on(self, source: socket.socket, sink: socket.socket, are_responses: bool) -> None:
        try:
            while data := source.recv(65536):
                if are_responses and self.loses_responses:
                    self.lost += data.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201"))
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Server:
    """A server on a database of its own, which can be killed."""

    def __init__(self, directory: pathlib.Path, requests: str = "", burst: int = 0) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = directory / "log"
        self.directory = directory
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TERSE")}
        self.environment["TERSE_DATABASE_URL"] = f"sqlite://{directory}/terse.db"
        self.terse("migrate", "--create")
        limits = ["--requests", requests, "--burst", str(burst)] if burst else []
        self.terse("plan", "add", "story", *limits)
        self.key = self.terse("owner", "add", "story", "--plan", "story").strip()
        self.start()

    def terse(self, *arguments: str) -> str:
        command = subprocess.run([TERSE, *arguments], env=self.environment, capture_output=True, text=True)
        if command.returncode:
            sys.exit(f"terse {' '.join(arguments)}: {command.stderr}")
        return command.stdout

    def start(self) -> None:
        options = ["--listen", f"127.0.0.1:{self.port}", "--spool-directory", str(self.directory), "--log-format", "json"]
        self.process = subprocess.Popen(
            [TERSE, "serve", *options], env=self.environment, stdout=subprocess.DEVNULL, stderr=self.log.open("a")
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def export(self) -> list[dict[str, object]]:
        lines = self.terse("export", "--owner", "story", "--format", "jsonl").splitlines()
        return [json.loads(line) for line in lines]

    def links(self) -> int:
        owners = json.loads(self.terse("owner", "list", "--json"))
        return next(owner["links"] for owner in owners if owner["name"] == "story")


def main(*arguments: str) -> None:
    in_batches = arguments[0] == "--batches"
    count, *program = arguments[in_batches:]
    links = int(count)
    urls = [f"https://example.org/catalogue/{number}?utm_source=mail" for number in range(links)]
    pathlib.Path("links.txt").write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        rate = (f"{min(links // 400, 60)}/min", 1) if in_batches else (f"{min(links // 10, MAX_RATE)}/s", 20)
        server = Server(pathlib.Path(directory), *rate)
        proxy = Proxy(server.port)
        environment = {**os.environ, "TERSE_URL": proxy.url, "TERSE_KEY": server.key}
        client = subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL)
        started = time.monotonic()
        try:
            for kill in (1, 2):
                while server.links() < links * kill // 3:
                    if client.poll() is not None:
                        sys.exit(f"the program ended with status {client.returncode} before the kill {kill}")
                    time.sleep(0.05)
                proxy.loses_responses = True
                while proxy.lost < kill and client.poll() is None:
                    time.sleep(0.01)
                server.kill()
                proxy.loses_responses = False
                time.sleep(0.5)
                server.start()
            if client.wait(timeout=600):
                sys.exit(f"the program ended with status {client.returncode}")
            seconds = time.monotonic() - started
            exported = server.export()
            throttled = server.log.read_text(encoding="utf-8").count('"status":429')
        finally:
            client.kill()
            server.kill()

    created = collections.Counter(link["destination_url"] for link in exported)
    if missing := [url for url in urls if not created[url]]:
        sys.exit(f"{len(missing)} links are missing, such as {missing[0]}")
    if twice := [url for url, count in created.items() if count > 1]:
        sys.exit(f"{len(twice)} links were created twice, such as {twice[0]}")
    if not throttled:
        sys.exit("no request returned 429")
    print(f"measured: {links} links in {seconds:.1f} s, with 2 kills, {proxy.lost} lost responses and {throttled} responses 429")


if __name__ == "__main__":
    main(*sys.argv[1:])
