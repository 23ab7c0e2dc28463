"""Creates a link per line of links.txt, eight at a time."""

import os
from concurrent.futures import ThreadPoolExecutor

from terse_client import Terse

terse = Terse(os.environ["TERSE_URL"], os.environ["TERSE_KEY"])


def create(line: tuple[int, str]) -> str:
    number, url = line
    return terse.shorten(url=url, idempotency_key=f"links.txt-{number}")["short_url"]


with open("links.txt", encoding="utf-8") as file, ThreadPoolExecutor(8) as pool:
    for short_url in pool.map(create, enumerate(file.read().splitlines())):
        print(short_url)
