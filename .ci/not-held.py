"""Prints what of JSON reports does not hold: a line for each checkpoint."""

import json
import sys

HELD = {"pass", "skip"}
lines = set()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    for execution in report["executions"]:
        name = execution["check"] + (f"[{execution['case']}]" if execution["case"] else "")
        for checkpoint in execution["checkpoints"]:
            if checkpoint["verdict"] not in HELD:
                lines.add(
                    f"{execution['revision']} {name}#{checkpoint['id']}: "
                    f"{checkpoint['level']} {checkpoint['verdict']}"
                )
print("".join(f"{line}\n" for line in sorted(lines)), end="")
