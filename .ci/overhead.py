"""Prints how much longer executions took than the client that ran in them.

    TIMED=times mcp-checks run 'client/*' --profile NAME --jobs 2 \\
        --client '.ci/timed CLIENT' --format json --output report.json
    .ci/overhead.py report.json times

One profile a run: the client's times are told apart by the check alone.
"""

import json
import statistics
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
took = {}
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        nanoseconds, context = line.split(" ", 1)
        took[json.loads(context)["check"]] = int(nanoseconds) / 1e6
beyond = {
    execution["check"]: execution["elapsed_ms"] - took[execution["check"]]
    for execution in report["executions"]
    if execution["outcome"] != "skip"
}
for check, milliseconds in sorted(beyond.items(), key=lambda item: -item[1])[:3]:
    print(f"{milliseconds:6.1f} ms  {check}")
print(f"{statistics.median(beyond.values()):6.1f} ms  median of {len(beyond)}")
