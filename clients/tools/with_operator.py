"""Runs a command next to a server of the operator's interface that sends webhooks, on the database in
TERSE_DATABASE_URL.

usage: with_operator.py COMMAND ARGUMENT...

The command finds the address of the operator's listener in TERSE_OPERATOR_URL, and an operator key of the role
`admin` in TERSE_OPERATOR_KEY. The server's other address is in TERSE_WEBHOOKS_URL. Its webhooks may have
addresses of this machine. TERSE is the program of the server.
"""

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request

TERSE = os.environ["TERSE"]


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % free.getsockname()[1]


def wait_until_alive(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"{url}/health/live", timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                sys.exit("the server does not start")
            time.sleep(0.1)


def main(*program: str) -> int:
    name = f"story-{secrets.token_hex(4)}"
    add = [TERSE, "operator", "add", name, "--role", "admin"]
    key = subprocess.run(add, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    address, public = free_address(), free_address()
    environment = {k: v for k, v in os.environ.items() if k == "TERSE_DATABASE_URL" or not k.startswith("TERSE")}
    serve = [TERSE, "serve", "--listen", public, "--operator-listen", address, "--access-log", "off"]
    serve += ["--webhooks", "true", "--webhook-insecure", "--webhook-allow", "127.0.0.0/8"]
    server = subprocess.Popen(serve, env=environment)
    try:
        url = f"http://{address}"
        wait_until_alive(url)
        operator = {"TERSE_OPERATOR_URL": url, "TERSE_OPERATOR_KEY": key, "TERSE_WEBHOOKS_URL": f"http://{public}"}
        return subprocess.run(program, env={**os.environ, **operator}).returncode
    finally:
        server.terminate()
        server.wait()


sys.exit(main(*sys.argv[1:]))
