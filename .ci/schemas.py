"""Compares how the program and the official schemas judge the same values.

    schemas.py FOLDER cases > CASES             what is judged, with the official verdict
    schemas.py FOLDER compare CASES VERDICTS    the program's verdicts beside them

FOLDER holds REVISION.json and examples-REVISION/TYPE/NAME.json. Judged is each
example as what its type says, and as a message if it is one or can be made one;
then the same with one thing changed: a member that is left out, of another type,
null, or not known. At the other revisions that know the type, or the method, the
examples are material like any other: both have to say the same of them.
"""

import copy
import json
import random
import sys
from collections import Counter
from pathlib import Path

from jsonschema.validators import validator_for

REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
# How many changed values there are of each example at its own revision, and at
# each other one.
CHANGED, CHANGED_ELSEWHERE = 12, 4
OTHERS = [None, True, 7, 1.5, "changed", [], {}]
# Official examples that are not what they should be: this one leaves out `ttlMs` and
# `cacheScope`, which its result requires (2026-07-28, changelog, minor changes, 5).
# The union hides it from the official schema.
FAULTY_EXAMPLES = {"ReadResourceResultResponse/read-resource-result-response.json"}
SIDES = {"client": "Client", "server": "Server"}


def as_in_source(schema, name=""):
    """The schema with what its TypeScript says: see wire-tables.py."""
    if isinstance(schema, list):
        return [as_in_source(item, name) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: as_in_source(value, name) for key, value in schema.items()}
    if schema.get("type") == ["string", "integer", "boolean"]:
        schema["type"] = ["string", "number", "boolean"] + ["null"] * (name == "JSONValue")
    return schema


class Schema:
    """The schema of one revision, by the names of its definitions."""

    def __init__(self, path):
        whole = json.loads(path.read_text(encoding="utf-8"))
        self.where = "$defs" if "$defs" in whole else "definitions"
        types = whole[self.where]
        self.definitions = {name: as_in_source(types[name], name) for name in types}
        self.dialect = whole["$schema"]
        self.validators = {}

    def valid(self, name, value):
        """Whether `value` is as the definition `name` says."""
        if name not in self.validators:
            schema = {
                "$schema": self.dialect,
                "$ref": f"#/{self.where}/{name}",
                self.where: self.definitions,
            }
            self.validators[name] = validator_for(schema)(schema)
        return self.validators[name].is_valid(value)

    def first(self, *names):
        """The first of these names that this revision defines."""
        return next((name for name in names if name in self.definitions), None)

    def of_method(self, union, method):
        """The definition of a method among those that `union` lists."""
        whole = self.definitions.get(union, {})
        listed = [item["$ref"].rsplit("/", 1)[1] for item in whole.get("anyOf", [])]
        for name in listed or ([union] if whole else []):
            if self.definitions[name]["properties"]["method"].get("const") == method:
                return name
        return None

    def judge(self, message, side, asked):
        """Whether a message that `side` sent is valid, where `asked` is the
        method of the request that it answers."""
        if not isinstance(message, dict):
            return False
        if "method" in message:
            kind = "Request" if "id" in message else "Notification"
            method = message["method"] if isinstance(message["method"], str) else None
            name = self.of_method(SIDES[side] + kind, method)
            # An unknown method is an extension: its envelope is all there is.
            return self.valid(f"JSONRPC{kind}", message) and (not name or self.valid(name, message))
        if "error" in message:
            # The transports page of each revision allows it to name no request,
            # the schemas up to 2025-06-18 do not.
            named = message if "id" in message else {**message, "id": "none"}
            return self.valid(self.first("JSONRPCErrorResponse", "JSONRPCError"), named)
        if not self.valid(self.first("JSONRPCResultResponse", "JSONRPCResponse"), message):
            return False
        other = "server" if side == "client" else "client"
        request = asked and self.of_method(SIDES[other] + "Request", asked)
        if not request:
            return True
        own = self.first(f"{request[:-7]}Result")
        whole = self.first(f"{request[:-7]}ResultResponse")
        if whole:
            # Some of these are a union with the interim result, which the schema lets
            # say any resultType: a complete one has to be what its method promises
            # (2026-07-28, basic, "ResultType").
            complete = message["result"].get("resultType", "complete") == "complete"
            return self.valid(whole, message) and (
                not (own and complete) or self.valid(own, message["result"])
            )
        return self.valid(own or "EmptyResult", message["result"])


def places(value, at=()):
    """The way to each part of a value but the whole."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts if isinstance(value, (dict, list)) else ():
        yield (*at, key)
        if isinstance(part, (dict, list)):
            yield from places(part, (*at, key))


def changed(value, name, count):
    """`count` values, each with one change; the same ones in each run."""
    ways = [(at, other) for at in places(value) for other in [places, *OTHERS]]
    random.Random(name).shuffle(ways)
    for at, other in ways[:count]:
        whole = copy.deepcopy(value)
        part = whole
        for key in at[:-1]:
            part = part[key]
        if other is places:
            del part[at[-1]]
        else:
            part[at[-1]] = other
        yield whole
    if isinstance(value, dict):
        yield {**value, "unheardOf": 1}


def as_messages(name, value, schema):
    """The messages that an example is or can be made: sender, the request that
    it answers, message."""
    for kind in ("Request", "Notification"):
        method = value.get("method") if isinstance(value, dict) else None
        if name.endswith(kind) and isinstance(method, str):
            own = {"jsonrpc": "2.0", **({"id": 1} if kind == "Request" else {}), **value}
            for side in SIDES:
                if schema.of_method(SIDES[side] + kind, method):
                    yield side, None, own
    if name.endswith("Error") and "error" in value:
        yield "server", None, {"jsonrpc": "2.0", **value}
    if name.endswith(("Result", "ResultResponse")):
        stem = name.removesuffix("Response").removesuffix("Result")
        request = schema.definitions.get(f"{stem}Request")
        if request:
            method = request["properties"]["method"]["const"]
            whole = name.endswith("Response")
            own = value if whole else {"jsonrpc": "2.0", "id": 1, "result": value}
            for side, other in (("client", "Server"), ("server", "Client")):
                if schema.of_method(f"{other}Request", method):
                    yield side, {"method": method}, own


def cases(folder, schemas):
    """Every case, with the official verdict."""
    for path in sorted(Path(folder).glob("examples-*/*/*.json")):
        home = path.parts[-3].removeprefix("examples-")
        name, example = path.parent.name, json.loads(path.read_text(encoding="utf-8"))
        label = f"{name}/{path.name}"
        for revision, schema in schemas.items():
            count = CHANGED if revision == home else CHANGED_ELSEWHERE
            about = {"revision": revision, "label": label, "example": revision == home}
            if name in schema.definitions:
                for value in (example, *changed(example, label, count)):
                    valid = schema.valid(name, value)
                    yield {**about, "type": name, "value": value, "valid": valid}
                    about["example"] = False
            for side, answers, message in as_messages(name, example, schema):
                about["example"] = revision == home
                asked = answers and answers["method"]
                for value in (message, *changed(message, f"{label} {side}", count)):
                    valid = schema.judge(value, side, asked)
                    sent = {"sender": side, "answers": answers, "message": value}
                    yield {**about, **sent, "valid": valid}
                    about["example"] = False


def compare(cases_path, verdicts_path):
    """Says where the verdicts differ; whether they do not."""
    cases = [json.loads(line) for line in open(cases_path, encoding="utf-8")]
    verdicts = open(verdicts_path, encoding="utf-8").read().splitlines()
    if not cases or len(cases) != len(verdicts):
        print(f"{len(cases)} cases and {len(verdicts)} verdicts")
        return False
    wrong, count = [], Counter()
    for case, verdict in zip(cases, verdicts):
        count["examples" if case["example"] else "valid" if case["valid"] else "invalid"] += 1
        if (verdict == "valid") != case["valid"] or (
            case["example"] and not case["valid"] and case["label"] not in FAULTY_EXAMPLES
        ):
            official = "valid" if case["valid"] else "invalid"
            value = json.dumps(case.get("value", case.get("message")))
            what = case.get("type") or f"a message of the {case['sender']}"
            wrong.append(
                f"{case['revision']} {case['label']} as {what}: "
                f"official: {official}; here: {verdict}\n    {value[:400]}"
            )
    print("\n".join(wrong[:40]))
    print(
        f"{len(cases)} values judged: {count['examples']} as examples, of the others"
        f" {count['valid']} valid and {count['invalid']} not; {len(wrong)} judged otherwise"
    )
    return not wrong


def main():
    folder, command, *files = sys.argv[1:]
    if command == "compare":
        return compare(*files)
    schemas = {revision: Schema(Path(folder) / f"{revision}.json") for revision in REVISIONS}
    for case in cases(folder, schemas):
        print(json.dumps(case))
    return True


sys.exit(not main())
