"""Runs two copies of a program that synchronizes the same products, and kills them and the server meanwhile.

usage: interrupted_sync.py PRODUCTS COMMAND ARGUMENT...

The program gets the name of a file as its last argument: a JSON array of links with an `external_id`, which
differ between the copies in everything else. It finds the address of the server in TERSE_URL and an API key in
TERSE_KEY. Fails unless each product has exactly one link afterwards, as the copy that ended last says. TERSE is
the program of the server.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from interrupted_import import Server

# Times that both copies begin before the last one, of which they are killed in the middle.
ROUNDS = 4


def products(count: int, copy: str) -> list[dict[str, str]]:
    return [
        {"external_id": f"sku/{number}", "destination_url": f"https://example.org/{copy}/{number}", "title": copy}
        for number in range(count)
    ]


def main(count: int, *program: str) -> None:
    copies = ("first", "second")
    for copy in copies:
        pathlib.Path(f"{copy}.json").write_text(json.dumps(products(count, copy)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        server = Server(pathlib.Path(directory))
        environment = {**os.environ, "TERSE_URL": f"http://127.0.0.1:{server.port}", "TERSE_KEY": server.key}

        def start(copy: str) -> "subprocess.Popen[bytes]":
            return subprocess.Popen([*program, f"{copy}.json"], env=environment)

        running: list["subprocess.Popen[bytes]"] = []
        killed = 0
        try:
            for number in range(ROUNDS):
                running = [start(copy) for copy in copies]
                # Until a part is there, or a little longer each time.
                while server.links() < count * (number + 1) // (ROUNDS + 2) and running[0].poll() is None:
                    time.sleep(0.02)
                time.sleep(random.uniform(0, 0.5))
                if number == ROUNDS // 2:
                    server.kill()
                    server.start()
                    time.sleep(random.uniform(0, 0.5))
                for process in running:
                    killed += process.poll() is None
                    process.kill()
                    process.wait()
            running = [start(copy) for copy in copies]
            for process in running:
                if process.wait(timeout=300):
                    sys.exit(f"the program ended with status {process.returncode}")
            running = [start("second")]
            if running[0].wait(timeout=300):
                sys.exit(f"the last program ended with status {running[0].returncode}")
            server.terse("check")
            exported = server.export()
        finally:
            for process in running:
                process.kill()
            server.kill()
    found = sorted((str(link["external_id"]), link["destination_url"], link["title"]) for link in exported)
    expected = sorted((link["external_id"], link["destination_url"], link["title"]) for link in products(count, "second"))
    if found != expected:
        different = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
        sys.exit(f"{len(found)} links of {count}, {len(different)} of them differ, such as {different[:1]}")
    if not killed:
        sys.exit("no program was killed")
    print(f"measured: {count} products, {killed} programs killed, one link each")


main(int(sys.argv[1]), *sys.argv[2:])
