"""Processes of the drill: descendants of this process, which end with it."""

import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable

PR_SET_CHILD_SUBREAPER = 36
# What `spawn` started, and a lock for it.
SPAWNED: set[int] = set()
SPAWNING = threading.Lock()


def adopt_orphans() -> None:
    """Makes this process the parent of PostgreSQL, whose own parent ends, and of what else loses its parent."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    threading.Thread(target=bury_orphans, daemon=True).start()


def bury_orphans() -> None:
    """Waits for adopted processes, because Patroni takes one that has ended for a running PostgreSQL until then."""
    while True:
        with SPAWNING:
            for pid in set(children().get(os.getpid(), [])) - SPAWNED:
                # Commands that this process waits for share its session.
                with contextlib.suppress(ChildProcessError, ProcessLookupError):
                    if os.getsid(pid) != os.getsid(0):
                        os.waitpid(pid, os.WNOHANG)
        time.sleep(0.5)


def children() -> dict[int, list[int]]:
    """Returns the children of every process."""
    result: dict[int, list[int]] = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = entry.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        # A name in parentheses may contain blanks.
        fields = text.rpartition(")")[2].split()
        result.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    return result


def family(roots: Iterable[int]) -> list[int]:
    """Returns the processes and all their descendants, parents first."""
    of = children()
    found = list(roots)
    for pid in found:
        found.extend(of.get(pid, []))
    return found


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Sends a signal to processes, some of which may have ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def end_all() -> None:
    """Kills all descendants of this process."""
    deadline = time.monotonic() + 10
    while (found := family([os.getpid()])[1:]) and time.monotonic() < deadline:
        send(found, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.05)


def spawn(command: list[str], log: pathlib.Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Starts a command with this environment and PATH, out of reach of Ctrl-C, and appends its output to a file."""
    with SPAWNING, log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"} | environment,
            start_new_session=True,
        )
        SPAWNED.add(process.pid)
    return process


def wait_for(what: str, check: Callable[[], object], seconds: float = 120) -> None:
    """Repeats a check until it returns something true. An error of the network counts as false."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if check():
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds:.0f} s, still not: {what}")
        time.sleep(0.1)
