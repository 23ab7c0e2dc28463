"""Drills the cluster of deploy/patroni: breaks a part of it under traffic, and compares every response 201 and 302
with the database.

usage: drill.py [NAME...], with the names of drills below. Without names, all drills run, and then those on unsafe
clusters. The asynchronous one must lose data, which shows that the comparison sees losses. TERSE, HAPROXY, ETCD,
POSTGRES (a directory), PATRONI and PATRONI_OLD (both directories of Python environments) name the programs.
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import processes
from cluster import Cluster, Node
from processes import send, wait_for
from traffic import CACHED, CREATIONS, KINDS, OTHERS, Traffic

# Seconds of traffic before and after each failure.
CALM = 5.0


def switchover(cluster: Cluster) -> None:
    cluster.patronictl("switchover", "terse", "--leader", cluster.primary().name, "--force")


def kill_postgres(cluster: Cluster) -> None:
    node = cluster.primary()
    killed = node.postmaster()
    send([killed], signal.SIGKILL)
    # Until then, Patroni reports the state before the kill.
    wait_for("Patroni has started PostgreSQL again", lambda: node.postmaster() != killed)


def lose_primary(cluster: Cluster) -> None:
    node = cluster.primary()
    node.lose()
    wait_for("another node is the primary", lambda: is_replaced(cluster, node))
    time.sleep(CALM)
    node.start()


def lose_separated_primary(cluster: Cluster) -> None:
    """The standbys receive nothing more, as behind a broken network; the primary goes on, and is lost."""
    node = cluster.primary()
    senders = cluster.sql("SELECT pid FROM pg_stat_replication").split()
    send(map(int, senders), signal.SIGSTOP)
    time.sleep(4)
    node.lose()
    wait_for("another node is the primary", lambda: is_replaced(cluster, node))
    time.sleep(CALM)
    node.start()


def pause_primary(cluster: Cluster) -> None:
    """The machine of the primary stands still for 30 s, as a virtual machine that is moved."""
    pause([cluster.primary()], 30)


def pause_standby(cluster: Cluster) -> None:
    synchronous = cluster.sql("SELECT application_name FROM pg_stat_replication WHERE sync_state <> 'async' LIMIT 1")
    pause([node for node in cluster.nodes if node.name == synchronous.strip()], 30)


def pause_standbys(cluster: Cluster) -> None:
    pause(cluster.standbys(), 30)


def pause(nodes: list[Node], seconds: float) -> None:
    assert nodes
    found = [pid for node in nodes for pid in node.processes()]
    send(found, signal.SIGSTOP)
    time.sleep(seconds)
    send(found, signal.SIGCONT)


def lose_etcd(cluster: Cluster) -> None:
    for node in cluster.nodes:
        node.etcd.kill()
        node.etcd.wait()
    time.sleep(60)
    for node in cluster.nodes:
        node.start_etcd()


def restart_terse(cluster: Cluster) -> None:
    for instance in cluster.instances:
        instance.terse.terminate()
        status = instance.terse.wait(60)
        assert status == 0, f"{instance.name} ended with status {status}"
        instance.start_terse()
        instance.wait_until_ready()
        time.sleep(3)


def is_replaced(cluster: Cluster, node: Node) -> bool:
    """Returns whether another node has the leader key and has been promoted."""
    leaders = [member for member in cluster.members() if member["role"] == "leader"]
    return any(member["name"] != node.name and member["state"] == "running" for member in leaders)


@dataclass
class Drill:
    """A failure, and what the table calls it."""

    title: str
    run: Callable[[Cluster], None]


DRILLS = {
    "switchover": Drill("switchover", switchover),
    "postgres": Drill("PostgreSQL of the primary is killed", kill_postgres),
    "primary": Drill("the primary's machine is lost", lose_primary),
    "separated": Drill("the primary loses its standbys, and 4 s later its machine is lost", lose_separated_primary),
    "pause": Drill("the primary's machine stands still for 30 s", pause_primary),
    "standby": Drill("a standby's machine stands still for 30 s", pause_standby),
    "standbys": Drill("the machines of both standbys stand still for 30 s", pause_standbys),
    "etcd": Drill("etcd is away for 60 s", lose_etcd),
    "terse": Drill("both instances of Terse restart, one after the other", restart_terse),
}

QUORUM = "synchronous_mode: quorum"
STRICT = "synchronous_mode_strict: true"
FAILSAFE = "failsafe_mode: true"
# Unsafe clusters: programs, other settings, the drill, and how often it runs until something is lost.
UNSAFE = {
    "asynchronous": ("PATRONI", {QUORUM: "synchronous_mode: false", STRICT: ""}, "separated", 1),
    "old": ("PATRONI_OLD", {QUORUM: "synchronous_mode: true", FAILSAFE: ""}, "pause", 3),
}
UNSAFE_TITLES = {"asynchronous": "asynchronous standbys", "old": "Patroni 3.0.2 without failsafe_mode"}


@dataclass
class Losses:
    links: int
    clicks: int

    def __str__(self) -> str:
        return f"{self.links} links, {self.clicks} clicks" if self.links or self.clicks else "nothing"


def compare(cluster: Cluster, traffic: Traffic) -> Losses:
    """Returns which responses the database contradicts. A link or click that clients know nothing of is an error."""
    for instance in cluster.instances:
        instance.wait_for_clicks()
    exported = cluster.instances[0].command("export", "--format", "jsonl").splitlines()
    stored = {link["short_code"]: link for link in map(json.loads, exported)}
    record = traffic.record
    lost_links = [code for code in record.destinations if code not in stored]
    lost_clicks = 0
    for code, link in stored.items():
        assert link["destination_url"] == record.destinations.get(code), f"clients did not create {link}"
        missing = record.followed[code] - link["clicks"]
        # A database that lost links gives their IDs to others, which then get their buffered clicks.
        is_possible = -missing <= record.unknown[code] or lost_links
        assert is_possible, f"{code} has {link['clicks']} clicks, {-missing} more than it can have"
        lost_clicks += max(0, missing)
    lost_clicks += sum(record.followed[code] for code in lost_links)
    return Losses(len(lost_links), lost_clicks)


def run(cluster: Cluster, traffic: Traffic, drill: Drill) -> Losses:
    """Runs a drill and prints its row of the table."""
    cluster.wait_until_whole()
    traffic.resume()
    time.sleep(CALM)
    drill.run(cluster)
    cluster.wait_until_whole()
    traffic.wait_for_creations()
    time.sleep(CALM)
    traffic.pause()
    record = traffic.record
    cells = [f"{max(record.waits[kind]):.1f} s ({record.failures[kind]})" for kind in KINDS]
    followed = len(record.waits[CACHED]) + len(record.waits[OTHERS])
    answered = f"{len(record.waits[CREATIONS])} + {followed}"
    losses = compare(cluster, traffic)
    print(f"| {drill.title} | {' | '.join(cells)} | {answered} | {losses} |", flush=True)
    return losses


def header() -> None:
    print("| failure | creations | redirects, cached | redirects, new links | responses 201 + 302 | lost |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)


def with_cluster(program: str, variant: dict[str, str], names: list[str]) -> list[Losses]:
    """Starts a cluster, runs drills, and returns their losses."""
    with tempfile.TemporaryDirectory(prefix="terse-patroni-") as directory:
        cluster = Cluster(pathlib.Path(directory), pathlib.Path(os.environ[program]), variant)
        try:
            traffic = Traffic(cluster, cluster.start())
            header()
            losses = []
            for name in names:
                losses.append(run(cluster, traffic, DRILLS[name]))
                if losses[-1].links or losses[-1].clicks:
                    # Later drills would find the same losses.
                    break
            return losses
        except BaseException:
            for log in sorted(pathlib.Path(directory).glob("*/*.log")):
                print(f"--- {log}", log.read_text(encoding="utf-8", errors="replace")[-3000:], sep="\n")
            raise
        finally:
            processes.end_all()


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in DRILLS and name not in UNSAFE]
    if unknown:
        sys.exit(f"there is no drill {unknown[0]}; drills are {', '.join([*DRILLS, *UNSAFE])}")
    safe = [name for name in DRILLS if not names or name in names]
    if safe:
        losses = with_cluster("PATRONI", {}, safe)
        if any(loss.links or loss.clicks for loss in losses):
            sys.exit("the cluster lost what it had confirmed")
    for name in (name for name in UNSAFE if not names or name in names):
        program, variant, drill, rounds = UNSAFE[name]
        print(f"\n{UNSAFE_TITLES[name]}:\n")
        losses = with_cluster(program, variant, [drill] * rounds)
        # Whether the old version loses something depends on what Patroni learns first when it continues.
        if name == "asynchronous" and not losses[0].links:
            sys.exit("the drill does not see losses")


if __name__ == "__main__":
    processes.adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main(sys.argv[1:])
