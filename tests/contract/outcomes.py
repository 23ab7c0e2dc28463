"""Shows what the server answered to Schemathesis, and fails where that proves too little.

usage: outcomes.py DOCUMENT RECORD, the latter a file that `hooks.py` wrote. Every operation has to
have been met with the statuses that the document declares for it, and to have succeeded in a
sequence that uses what earlier answers gave.
"""

import json
import sys
from collections import Counter
from pathlib import Path

# Bodies are seldom of that size, no request causes a bug, and the database stays available. The
# loop below asks for 405, which no operation declares.
NOT_PROVOKED = {"413", "500", "503"}
# Wrong bodies are still JSON, most of the time.
NOT_PROVOKED_BY_BODIES = NOT_PROVOKED | {"400"}

document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
expected = {
    operation["operationId"]: operation["responses"].keys()
    - (NOT_PROVOKED_BY_BODIES if "requestBody" in operation else NOT_PROVOKED)
    for methods in document["paths"].values()
    for operation in methods.values()
}

answers: Counter[tuple[str, str]] = Counter()
succeeded_in_sequence: set[str] = set()
for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines():
    phase, name, status = line.split()
    answers[name, status] += 1
    if phase == "stateful" and status.startswith("2"):
        succeeded_in_sequence.add(name)

print("\nAnswers that Schemathesis met")
missing = []
for name, statuses in expected.items():
    met = sorted((status, count) for (answered, status), count in answers.items() if answered == name)
    print(f"  {name}: " + ", ".join(f"{status} × {count}" for status, count in met))
    missing += [f"{name} never answered {s}" for s in sorted(statuses) if not answers[name, s]]
    if name not in succeeded_in_sequence:
        missing.append(f"{name} never succeeded in a sequence")

for path, methods in document["paths"].items():
    if not any(answers[operation["operationId"], "405"] for operation in methods.values()):
        missing.append(f"{path} never answered 405")

if missing:
    sys.exit("\n".join(missing))
