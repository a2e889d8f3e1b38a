"""Holds every dependency's licence against deny.toml, as `cargo deny` does."""

import json
import re
import subprocess
import sys
import tomllib

with open("deny.toml", "rb") as file:
    rules = tomllib.load(file)["licenses"]
allowed = set(rules["allow"])
exceptions = {entry["crate"]: set(entry["allow"]) for entry in rules["exceptions"]}


def holds(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression (older manifests write `/` for OR) is allowed."""
    words = re.findall(r"[()]|[^\s()/]+|/", expression)
    text = []
    position = 0
    while position < len(words):
        word = words[position]
        if word in "()":
            text.append(word)
        elif word in ("OR", "/"):
            text.append("or")
        elif word == "AND":
            text.append("and")
        elif word == "WITH":
            position += 1  # an exception only permits more
        else:
            text.append(str(word.removesuffix("+") in allowed))
        position += 1
    return eval(" ".join(text), {"__builtins__": {}})


metadata = subprocess.run(
    ["cargo", "metadata", "--format-version", "1", "--locked"],
    check=True,
    capture_output=True,
    text=True,
)
wrong = []
for package in json.loads(metadata.stdout)["packages"]:
    licence = package["license"] or ""
    name = package["name"]
    if not licence or not holds(licence, allowed | exceptions.get(name, set())):
        wrong.append(f"{name} {package['version']}: {licence or 'no licence'}")
    source = package["source"] or ""
    if source.startswith("git+"):
        wrong.append(f"{name}: from git")
print("\n".join(sorted(wrong)) or "every licence is allowed")
sys.exit(bool(wrong))
