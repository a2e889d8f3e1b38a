"""Prints docs/scoreboard.md: every client scenario with every official SDK.

    .ci/scoreboard.py typescript=REPORT.json python=REPORT.json rust=REPORT.json

Each report is a JSON report of `mcp-checks run 'client/*'` with that client. The
versions are those that are pinned under tests/clients/; what an SDK cannot do, and
what its driver does for it, stands in tests/clients/cannot.toml. Exit code 1 if a scenario is said to be
impossible and holds all the same.
"""

import json
import pathlib
import re
import sys
import tomllib

CLIENTS = pathlib.Path(__file__).parent.parent / "tests/clients"
HELD = {"pass", "skip"}
LEVELS = ["MUST", "SHOULD", "MAY", "INTEROP"]
HEAD = """\
# Scoreboard

Every scenario under `checks/client/` with the clients on the three official SDKs that stand in [`tests/clients`](../tests/clients/README.md), at every profile that a scenario applies to. Made by `.ci/outside` from what `mcp-checks run 'client/*' --client …` reports; do not edit it. Each checkpoint that does not hold is settled in [evidence](evidence.md#clients): a fault of the SDK, or none.

A cell says "holds", or what does not: level, verdict, checkpoints; "task" beside a level marks a goal of the task, which is not a claim about the protocol. Where profiles differ, they are named. "Cannot" is what the SDK has no way to do. The number is that of a remark below the table.
"""


def versions():
    npm = json.loads((CLIENTS / "typescript/package.json").read_text("utf-8"))["dependencies"]
    pip = (CLIENTS / "python/requirements.txt").read_text("utf-8")
    lock = tomllib.loads((CLIENTS / "rust/Cargo.lock").read_text("utf-8"))["package"]
    rust = next(package["version"] for package in lock if package["name"] == "rmcp")
    return {
        "typescript": f"TypeScript `@modelcontextprotocol/client` {npm['@modelcontextprotocol/client']}",
        "python": f"Python `mcp` {re.search('^mcp==(.+)$', pip, re.M)[1]}",
        "rust": f"Rust `rmcp` {rust}",
    }


def what_failed(execution):
    """What of one execution does not hold, in words; empty if everything does."""
    found = {}
    for checkpoint in execution["checkpoints"]:
        if checkpoint["verdict"] not in HELD:
            kind = (LEVELS.index(checkpoint["level"]), checkpoint["about"] == "task", checkpoint["verdict"])
            found.setdefault(kind, []).append(f"`{checkpoint['id']}`")
    words = [
        f"{LEVELS[level]}{' (task)' if task else ''} {verdict}: {', '.join(ids)}"
        for (level, task, verdict), ids in sorted(found.items())
    ]
    if execution["outcome"] not in {"pass", "fail"}:
        words.append(execution["outcome"])
    return "; ".join(words)


def is_impossible(row, sdk, execution):
    return (
        row["sdk"] == sdk
        and row["scenario"] == execution["check"]
        and execution["profile"] in row.get("profiles", [execution["profile"]])
    )


def note(reason, notes):
    """The number of a reason among the notes, which it joins if it is new."""
    if reason not in notes:
        notes.append(reason)
    return notes.index(reason) + 1


def cell(executions, sdk, exceptions, notes):
    """One scenario with one SDK, over the profiles that it ran at."""
    cannot, driven = exceptions["cannot"], exceptions["driver"]
    by_words, wrong = {}, []
    for execution in executions:
        words = what_failed(execution) or "holds"
        rows = [row for row in cannot if is_impossible(row, sdk, execution)]
        if rows:
            if words == "holds":
                wrong.append(f"{sdk} {execution['check']} at {execution['profile']}")
            words = f"cannot ({note(rows[0]['reason'], notes)})"
        for row in driven:
            if row["sdk"] == sdk and execution["check"] in row["scenarios"]:
                words += f" ({note(row['reason'], notes)})"
        by_words.setdefault(words, []).append(execution["profile"])
    if len(by_words) == 1:
        return next(iter(by_words)), wrong
    # The words of most profiles stand first, the others name theirs.
    (most, _), *others = sorted(by_words.items(), key=lambda item: (-len(item[1]), item[0]))
    named = [f"at {', '.join(sorted(profiles))}: {words}" for words, profiles in others]
    return "<br>".join([most, *named]), wrong


def main():
    titles = versions()
    exceptions = tomllib.loads((CLIENTS / "cannot.toml").read_text("utf-8"))
    reports = {}
    for argument in sys.argv[1:]:
        sdk, _, path = argument.partition("=")
        report = json.loads(pathlib.Path(path).read_text("utf-8"))
        ran = [one for one in report["executions"] if one["outcome"] != "skip"]
        reports[sdk] = [one for one in ran if one["check"].startswith("client/")]

    notes, wrong, rows = [], [], []
    scenarios = sorted({one["check"] for ran in reports.values() for one in ran})
    for scenario in scenarios:
        cells = []
        for sdk, ran in reports.items():
            words, errors = cell([one for one in ran if one["check"] == scenario], sdk, exceptions, notes)
            cells.append(words)
            wrong += errors
        rows.append([f"`{scenario}`", *cells])
    total = ["executions in which everything holds"]
    for ran in reports.values():
        total.append(f"{sum(not what_failed(one) for one in ran)} of {len(ran)}")

    columns = ["scenario", *(titles[sdk] for sdk in reports)]
    table = [columns, ["---"] * len(columns), *rows, total]
    print(HEAD)
    print("\n".join(f"| {' | '.join(row)} |" for row in table))
    if notes:
        print()
        print("\n".join(f"{number}. {reason}" for number, reason in enumerate(notes, 1)))
    if wrong:
        sys.exit("tests/clients/cannot.toml says cannot of what holds: " + "; ".join(wrong))


main()
