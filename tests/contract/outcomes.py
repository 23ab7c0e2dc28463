"""Prints the statuses that Schemathesis received, and fails if some are missing.

usage: outcomes.py DOCUMENT RECORD, where `hooks.py` wrote the record. Every operation must have
returned all statuses that the document declares for it, and must have succeeded in a sequence that
uses values of earlier responses, except for reads of `/api/manage/v1` and operations of
`/api/operator/v1`.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

# Bodies are rarely too large, no request causes an internal error, and the database stays available.
# The loop below checks 405, which no operation declares.
# Only an entity tag of an earlier version causes 412, and only a change of very many links 202.
NOT_PROVOKED = {"202", "412", "413", "500", "503"}
document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
is_operator = any(path.startswith("/api/operator/") for path in document["paths"])
if is_operator:
    # No limit is set for requests without a valid key. `tests/outside` provokes every conflict, and tries
    # each operation without a key.
    NOT_PROVOKED |= {"401", "409", "429"}
# Invalid bodies are still JSON in most cases.
WITHOUT_400 = NOT_PROVOKED | {"400"}
# Schemathesis does not invent query parameters.
UNKNOWN_PARAMETER = {"$ref": "#/components/responses/UnknownParameter"}


def hardly_returns_400(operation: dict[str, Any]) -> bool:
    return "requestBody" in operation or operation["responses"].get("400") == UNKNOWN_PARAMETER


# Only a change of very many links goes on long enough to be stopped, no sequence has searched for the key
# that it created, and no operator disables webhooks meanwhile. `tests/outside` does all three.
NOT_PROVOKED_BY = {"stopEvent": {"200", "409"}, "findKey": {"200"}, "updateWebhook": {"409"}}
expected = {
    operation["operationId"]: operation["responses"].keys()
    - (WITHOUT_400 if hardly_returns_400(operation) else NOT_PROVOKED)
    - NOT_PROVOKED_BY.get(operation["operationId"], set())
    for methods in document["paths"].values()
    for operation in methods.values()
}
# Requests without values of earlier responses reach these, as the links of `prepare.py` and what the
# dictionaries of the operator's document name exist.
reached_alone = {
    operation["operationId"]
    for path, methods in document["paths"].items()
    for method, operation in methods.items()
    if is_operator or (path.startswith("/api/manage/") and method == "get")
}

responses: Counter[tuple[str, str]] = Counter()
succeeded_in_sequence: set[str] = set()
for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines():
    phase, name, status = line.split()
    responses[name, status] += 1
    if phase == "stateful" and status.startswith("2"):
        succeeded_in_sequence.add(name)

print("\nResponses that Schemathesis received")
missing = []
for name, statuses in expected.items():
    met = sorted((status, count) for (operation, status), count in responses.items() if operation == name)
    print(f"  {name}: " + ", ".join(f"{status} × {count}" for status, count in met))
    missing += [f"{name} never returned {s}" for s in sorted(statuses) if not responses[name, s]]
    cannot_succeed = "200" in NOT_PROVOKED_BY.get(name, set())
    if not cannot_succeed and name not in succeeded_in_sequence | reached_alone:
        missing.append(f"{name} never succeeded in a sequence")

for path, methods in document["paths"].items():
    if not any(responses[operation["operationId"], "405"] for operation in methods.values()):
        missing.append(f"{path} never returned 405")

if missing:
    sys.exit("\n".join(missing))
