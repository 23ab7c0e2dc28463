"""Prints in how many milliseconds a new process imports the package, and httpx alone: medians of nine."""

import statistics
import subprocess
import sys


def milliseconds(module: str) -> float:
    program = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    runs = [subprocess.check_output([sys.executable, "-c", program]) for _ in range(9)]
    return 1000 * statistics.median(map(float, runs))


print(f"{milliseconds('terse_client'):.0f} ms, of which httpx {milliseconds('httpx'):.0f} ms")
