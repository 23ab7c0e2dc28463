"""The cluster of deploy/patroni on loopback: three nodes, and two machines with Terse and HAProxy.

The files are those of deploy/patroni; only addresses, paths and passwords are replaced, and settings that a
variant of the cluster names.
"""

import json
import os
import pathlib
import re
import secrets
import shlex
import signal
import subprocess
import time
import urllib.request
from typing import Any

from processes import family, send, spawn, wait_for

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = ROOT / "deploy/patroni"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
SUPERUSER = "postgres"


def get(url: str, seconds: float = 2) -> str:
    """Returns the body of a successful response."""
    with DIRECT.open(url, timeout=seconds) as response:
        return str(response.read().decode())


def environment_file(text: str) -> dict[str, str]:
    """Returns the variables of a file that systemd reads."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


class Machine:
    """One of the five machines: an address of loopback and a directory."""

    def __init__(self, cluster: "Cluster", name: str, number: int) -> None:
        self.cluster = cluster
        self.name = name
        self.address = f"{cluster.network}{number}"
        self.directory = cluster.directory / name
        self.directory.mkdir()

    def sample(self, name: str) -> str:
        """Returns a file of deploy/patroni, adapted to this machine."""
        text = (SAMPLES / name).read_text(encoding="utf-8")
        for old, new in {
            "127.0.0.1": self.address,
            "bind :": f"bind {self.address}:",
            # Connections on loopback come from 127.0.0.1, whichever address they lead to.
            "10.0.0.0/24": "127.0.0.0/8",
            "10.0.0.": self.cluster.network,
            "@NODE@": self.name,
            "@ADDRESS@": self.address,
            "@PASSWORD@": self.cluster.password,
            "/var/lib/etcd/terse": f"{self.directory}/etcd",
            "/var/lib/postgresql/15/terse": f"{self.directory}/data",
            "/usr/lib/postgresql/15/bin": str(self.cluster.postgres),
            "/var/run/postgresql": str(self.directory),
            "/etc/terse/": f"{self.directory}/",
        }.items():
            text = text.replace(old, new)
        return text

    def write(self, name: str, text: str) -> pathlib.Path:
        """Writes a private file into the directory of the machine."""
        path = self.directory / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path

    def log(self, name: str) -> pathlib.Path:
        return self.directory / f"{name}.log"


class Node(Machine):
    """A machine with etcd, Patroni and PostgreSQL."""

    etcd: subprocess.Popen[bytes]
    patroni: subprocess.Popen[bytes]

    @property
    def data(self) -> pathlib.Path:
        return self.directory / "data"

    @property
    def configuration(self) -> pathlib.Path:
        return self.directory / "patroni.yml"

    def start_etcd(self) -> None:
        command = [str(self.cluster.etcd)]
        self.etcd = spawn(command, self.log("etcd"), environment_file(self.sample("etcd.env")))

    def start_patroni(self) -> None:
        text = self.sample("patroni.yml")
        for old, new in self.cluster.variant.items():
            assert old in text, f"deploy/patroni/patroni.yml has no {old}"
            text = text.replace(old, new)
        self.write("patroni.yml", text)
        command = [str(self.cluster.patroni / "bin/patroni"), str(self.configuration)]
        self.patroni = spawn(command, self.log("patroni"), environment_file(self.sample("node.env")))

    def postmaster(self) -> int:
        """Returns the process of PostgreSQL."""
        words = (self.data / "postmaster.pid").read_text(encoding="utf-8").split()
        if not words:
            raise FileNotFoundError("PostgreSQL is about to write the file")
        return int(words[0])

    def processes(self) -> list[int]:
        """Returns all processes of the machine."""
        return list(dict.fromkeys(family([self.etcd.pid, self.patroni.pid, self.postmaster()])))

    def lose(self) -> None:
        """Ends everything as a loss of power would."""
        # Stopped first, so that no process sees another one end.
        found = self.processes()
        send(found, signal.SIGSTOP)
        send(found, signal.SIGKILL)
        self.etcd.wait()
        self.patroni.wait()

    def start(self) -> None:
        self.start_etcd()
        self.start_patroni()


class Instance(Machine):
    """A machine with HAProxy and an instance of Terse."""

    haproxy: subprocess.Popen[bytes]
    terse: subprocess.Popen[bytes]

    def environment(self) -> dict[str, str]:
        """Returns the settings of terse@1, without those of its unit that name paths of the machine."""
        spool = self.directory / "spool"
        spool.mkdir(exist_ok=True)
        settings = environment_file(self.sample("terse.env"))
        assert pathlib.Path(settings["PGPASSFILE"]) == self.directory / "pgpass", settings
        return settings | {"TERSE_SPOOL_DIRECTORY": str(spool)}

    def start_haproxy(self) -> None:
        configuration = self.write("haproxy.cfg", self.sample("haproxy.cfg"))
        self.haproxy = spawn([self.cluster.haproxy, "-f", str(configuration)], self.log("haproxy"), {})

    def wait_for_haproxy(self) -> None:
        """Waits until HAProxy, which begins with all servers, knows that two nodes are not the primary."""
        is_standby = re.compile(r"Server primary/(node\d) is DOWN")
        log = self.log("haproxy")
        wait_for(
            f"HAProxy of {self.name} leads to the primary only",
            lambda: len(set(is_standby.findall(log.read_text(encoding="utf-8")))) == 2,
        )

    def start_terse(self) -> None:
        self.terse = spawn([self.cluster.terse, "serve"], self.log("terse"), self.environment())

    def metric(self, name: str) -> int:
        """Returns the value of a metric without labels."""
        lines = get(f"http://{self.address}:9081/metrics").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name} "))

    def wait_until_ready(self) -> None:
        wait_for(f"{self.name} is ready", lambda: get(f"http://{self.address}:9081/health/ready"))

    def wait_for_clicks(self) -> None:
        """Waits until the instance has stored all clicks."""
        self.wait_until_ready()
        wait_for(f"{self.name} has stored all clicks", lambda: self.metric("terse_clicks_pending") == 0)

    def command(self, *arguments: str) -> str:
        """Runs a command of Terse on this machine and returns what it prints."""
        environment = {"PATH": os.environ["PATH"]} | self.environment()
        result = subprocess.run(
            [self.cluster.terse, *arguments], env=environment, capture_output=True, text=True, cwd="/", check=False
        )
        assert result.returncode == 0, f"terse {shlex.join(arguments)}: {result.stderr}{result.stdout}"
        return result.stdout


class Cluster:
    """All five machines. `variant` replaces texts of patroni.yml."""

    def __init__(self, directory: pathlib.Path, patroni: pathlib.Path, variant: dict[str, str]) -> None:
        self.directory = directory
        self.patroni = patroni
        self.variant = variant
        self.etcd = pathlib.Path(os.environ["ETCD"])
        self.haproxy = os.environ["HAPROXY"]
        self.postgres = pathlib.Path(os.environ["POSTGRES"])
        self.terse = os.environ["TERSE"]
        self.password = secrets.token_hex(16)
        # Addresses of this run, so that the ports of the samples are free.
        self.network = f"127.{secrets.randbelow(200) + 20}.{secrets.randbelow(256)}."
        self.nodes = [Node(self, f"node{number}", number) for number in (1, 2, 3)]
        self.instances = [Instance(self, f"terse{number}", 10 + number) for number in (1, 2)]

    def start(self) -> str:
        """Starts everything, and returns the API key of an owner without limits."""
        for node in self.nodes:
            node.start_etcd()
        for node in self.nodes:
            node.start_patroni()
        self.wait_until_whole()
        self.sql(f"CREATE ROLE terse LOGIN PASSWORD '{self.password}'")
        self.sql("CREATE DATABASE terse OWNER terse ENCODING 'UTF8' TEMPLATE template0")
        for instance in self.instances:
            instance.write("pgpass", f"{instance.address}:5000:terse:terse:{self.password}\n")
            instance.start_haproxy()
        first = self.instances[0]
        for instance in self.instances:
            instance.wait_for_haproxy()
        output = first.command("migrate", "--create")
        key = next(word for word in output.split() if word.startswith("terse_"))
        for instance in self.instances:
            instance.start_terse()
        for instance in self.instances:
            instance.wait_until_ready()
        # HAProxy has found out, too.
        time.sleep(3)
        return key

    def members(self) -> list[dict[str, Any]]:
        """Returns what Patroni reports about its members."""
        for node in self.nodes:
            try:
                return list(json.loads(get(f"http://{node.address}:8008/cluster"))["members"])
            except OSError:
                continue
        return []

    def is_whole(self) -> bool:
        members = self.members()
        roles = sorted(member["role"] for member in members)
        lines = {member.get("timeline") for member in members}
        states = all(member["state"] in ("running", "streaming") for member in members)
        return len(members) == 3 and "leader" in roles and len(lines) == 1 and states and roles in self.whole_roles()

    def whole_roles(self) -> list[list[str]]:
        return [
            ["leader", "quorum_standby", "quorum_standby"],
            ["leader", "replica", "sync_standby"],
            *([["leader", "replica", "replica"]] if "synchronous_mode: false" in self.variant.values() else []),
        ]

    def wait_until_whole(self) -> None:
        wait_for("one primary and two standbys, as many of them synchronous as configured", self.is_whole, 180)

    def primary(self) -> Node:
        """Returns the node that has the leader key."""
        leader = next(member["name"] for member in self.members() if member["role"] == "leader")
        return next(node for node in self.nodes if node.name == leader)

    def standbys(self) -> list[Node]:
        primary = self.primary()
        return [node for node in self.nodes if node is not primary]

    def sql(self, statement: str) -> str:
        """Runs a statement as the superuser on the primary, and returns its rows."""
        program = self.postgres / "psql"
        host = self.primary().address
        options = ["-XAtq", "--set=ON_ERROR_STOP=1", f"--host={host}", f"--username={SUPERUSER}"]
        environment = {"PATH": os.environ["PATH"], "PGPASSWORD": self.password, "PGDATABASE": "postgres"}
        return subprocess.check_output(
            [program, *options, f"--command={statement}"], env=environment, text=True, cwd="/"
        )

    def patronictl(self, *arguments: str) -> None:
        program = self.patroni / "bin/patronictl"
        command = [str(program), "-c", str(self.nodes[0].configuration), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        assert result.returncode == 0, result.stdout + result.stderr
