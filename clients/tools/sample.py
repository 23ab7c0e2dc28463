"""Writes a sample of the documentation to a file, with the address of the server and a valid API key.

usage: sample.py HEADING FILE, with the address of the server in TERSE_URL and an API key in TERSE_KEY.
The sample is the first code block below HEADING in docs/clients.md, docs/contributing/generated-clients.md or the
README of the Python package that is in the language of FILE's extension.
"""

import os
import pathlib
import re
import sys

LANGUAGES = {".py": "python", ".mts": "ts", ".ts": "ts"}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(heading: str, file: str) -> None:
    pages = ("docs/clients.md", "docs/contributing/generated-clients.md", "clients/python/README.md")
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    section = re.search(rf"(?ms)^### {re.escape(heading)}$(.*?)(?=^##|\Z)", text)
    path = pathlib.Path(file)
    block = section and re.search(rf"(?ms)^```{LANGUAGES[path.suffix]}\n(.*?)^```$", section[1])
    if not block:
        sys.exit(f"the documentation has no such sample: {heading}")
    sample = block[1].replace("http://127.0.0.1:8080", os.environ["TERSE_URL"])
    path.write_text(sample.replace("terse_…", os.environ["TERSE_KEY"]), encoding="utf-8")


main(*sys.argv[1:])
