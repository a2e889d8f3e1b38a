#!/usr/bin/env python3
"""Holds tests/coverage/scenarios.toml against the list of client scenarios.

    .ci/scenarios.py LIST           compares; exit code 1 if they differ
    .ci/scenarios.py LIST --write   writes the table

The table has facts alone: ids, revisions, levels.
"""

import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).parent.parent / "tests/coverage/scenarios.toml"
SCENARIO = re.compile(r"^client/[a-z0-9-]+$|^[a-z0-9-]+$")
AT = re.compile(r"^client ((?:\d{4}-\d{2}-\d{2})+)$")
CHECKPOINT = re.compile(r"^([a-z0-9-]+) (MUST|SHOULD|MAY|INTEROP) — ")


def scenarios(text):
    found, name = [], None
    for line in text.splitlines():
        line = line.strip()
        if SCENARIO.match(line):
            name = line
        elif (at := AT.match(line)) and name:
            revisions = re.findall(r"\d{4}-\d{2}-\d{2}", at.group(1))
            found.append((name, revisions, []))
        elif (checkpoint := CHECKPOINT.match(line)) and found:
            found[-1][2].append(checkpoint.groups())
    return found


def table(found):
    out = ["# The client scenarios that conformance clients in the field know: their ids,",
           "# revisions, checkpoints and levels. `.ci/scenarios.py` holds it against the list."]
    for name, revisions, checkpoints in found:
        out += ["", "[[scenario]]", f'id = "{name}"', f"revisions = {revisions}".replace("'", '"'),
                "checkpoints = ["]
        out += [f'  ["{id}", "{level}"],' for id, level in checkpoints]
        out.append("]")
    return "\n".join(out) + "\n"


def main():
    found = scenarios(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    text = table(found)
    if "--write" in sys.argv:
        TABLE.write_text(text, encoding="utf-8")
    elif TABLE.read_text(encoding="utf-8") != text:
        sys.exit(f"{TABLE.name} is not what the list says")
    count = sum(len(checkpoints) for *_, checkpoints in found)
    print(f"{len(found)} scenarios, {count} checkpoints")


main()
