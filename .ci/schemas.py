"""Holds each JSON-RPC message of a JSON report against the official schema of
its revision: what the built-in client sent, and what the double sent.

    schemas.py FOLDER REPORT

FOLDER holds REVISION.json, REPORT is of `run --trace --format json`. Prints a
line for each message that is not valid and not on purpose. A line of ON_PURPOSE
that excuses nothing is an error too.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from jsonschema.validators import validator_for

# What scripts send broken on purpose: the check, or the check with a case; who
# sends it; why.
ON_PURPOSE = {
    ("caching/freshness[negative]", "double"): "a client takes a negative time for none",
    ("client/mrtr-no-state", "double"): "a client takes what does not say its type as whole",
    ("connection/dual-era", "double"): "a server of the older era answers in its own way",
    ("connection/refused-handshake[a result without a version]", "double"):
        "a client refuses a handshake that settles no version",
    ("discovery/refused[a result without capabilities]", "double"):
        "a client calls it a failure",
    ("discovery/refused[a result without versions]", "double"): "a client calls it a failure",
    ("elicitation/no-form", "double"): "a client does not ask the user for what is no form",
    ("failure/server-failure[neither result nor error]", "double"):
        "a client calls a failure what is neither",
    ("host/content-note", "double"): "a host notes the content that it does not know",
    ("host/failed-call[a body of 3 MiB]", "double"): "a host calls a failure what is too long",
    ("host/failed-call[neither result nor error]", "double"): "a host calls a failure what is neither",
    ("host/schema-rejected", "double"): "a host takes no tool whose schema it cannot read",
    ("host/unusable-names[no name]", "double"): "a host takes no tool without a name",
    ("mrtr/refusals", "double"): "a client does not give what nobody may ask for",
    ("server/batch", "client"): "a server of a revision without batches refuses one",
    ("server/invalid-message[broken JSON]", "client"): "a server survives what is no JSON",
    ("server/invalid-message[no object]", "client"): "a server survives what is no message",
    ("server/request-metadata[no _meta]", "client"): "a server refuses what says nothing of itself",
    ("server/request-metadata[no capabilities in _meta]", "client"): "a server refuses it",
    ("server/request-metadata[no version in _meta]", "client"): "a server refuses it",
    ("tools/bad-pages[a cursor that is a number]", "double"): "a client stops there",
    ("tools/bad-pages[a cursor that is null]", "double"): "a client stops there",
    ("tools/bad-pages[no array of tools]", "double"): "a client calls it a failure",
    ("tools/result-types[absent]", "double"): "a client takes what does not say its type as whole",
}

# In the content of a form the published schemas have integers where their source,
# TypeScript, has numbers.
FORM = "elicitation/create"

# Whose requests and notifications a method can be.
SIDES = {"client": "Client", "double": "Server"}


class Schema:
    """The schema of one revision, by the names of its definitions."""

    def __init__(self, path):
        whole = json.loads(path.read_text(encoding="utf-8"))
        self.where = "$defs" if "$defs" in whole else "definitions"
        self.definitions = whole[self.where]
        self.whole = whole
        self.validators = {}

    def errors(self, name, value):
        """What of `value` is not as the definition `name` says, if anything."""
        if name not in self.validators:
            schema = {
                "$schema": self.whole["$schema"],
                "$ref": f"#/{self.where}/{name}",
                self.where: self.definitions,
            }
            self.validators[name] = validator_for(schema)(schema)
        errors = list(self.validators[name].iter_errors(value))
        return [f"{name}{error.json_path[1:]}: {error.message[:200]}" for error in errors]

    def first(self, *names):
        """The first of these names that this revision defines."""
        return next((name for name in names if name in self.definitions), None)

    def of_method(self, union, method):
        """The definition of a method among those that `union` lists."""
        for item in self.definitions.get(union, {}).get("anyOf", []):
            name = item["$ref"].rsplit("/", 1)[1]
            if self.definitions[name]["properties"]["method"].get("const") == method:
                return name
        return None

    def judge(self, message, side, asked):
        """What is wrong with a message that `side` sent, where `asked` is the
        method of the request that it answers."""
        if not isinstance(message, dict):
            return ["it is not an object"]
        if "method" in message:
            kind = "Request" if "id" in message else "Notification"
            envelope = self.errors(f"JSONRPC{kind}", message)
            name = self.of_method(SIDES[side] + kind, message["method"])
            # An unknown method is an extension: its envelope is all there is.
            return envelope + (self.errors(name, message) if name else [])
        if "error" in message:
            if "id" not in message:
                # The transports page of each revision allows it, the schemas up
                # to 2025-06-18 do not.
                message = {**message, "id": "none"}
            return self.errors(self.first("JSONRPCErrorResponse", "JSONRPCError"), message)
        envelope = self.errors(self.first("JSONRPCResultResponse", "JSONRPCResponse"), message)
        other = "double" if side == "client" else "client"
        request = asked and self.of_method(SIDES[other] + "Request", asked)
        if not request:
            return envelope
        response = self.first(f"{request[:-7]}ResultResponse")
        if response:
            return envelope + self.errors(response, message)
        result = self.first(f"{request[:-7]}Result", "EmptyResult")
        value = message.get("result")
        return envelope + self.errors(result, whole_numbers(value) if asked == FORM else value)


def whole_numbers(value):
    """`value` with every fraction in its content rounded."""
    if not isinstance(value, dict) or not isinstance(value.get("content"), dict):
        return value
    content = {
        name: int(item) if isinstance(item, float) else item
        for name, item in value["content"].items()
    }
    return {**value, "content": content}


def sent(text):
    """The bytes of a body, from the way in which a report writes them."""
    text = re.sub(r"\\r(?=\n|$)", "\r", text)
    data = re.sub(
        rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode("utf-8")
    )
    return data.decode("utf-8", "replace")


def media_type(headers):
    value = next((value for name, value in headers if name == "content-type"), "")
    return value.split(";")[0].strip().lower()


def texts(body, headers, is_whole):
    """Each text of a body in which messages can stand; of one that was broken
    off, what came whole."""
    if not body:
        return
    if media_type(headers) == "application/json":
        if is_whole:
            yield sent(body)
    elif media_type(headers) == "text/event-stream":
        lines = re.split(r"\r\n|\r|\n", sent(body))
        data, name = [], "message"
        for line in lines:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line:
                if data and any(data) and name == "message":
                    yield "\n".join(data)
                data, name = [], "message"
            elif field == "data":
                data.append(value)
            elif field == "event":
                name = value or "message"


def messages(text):
    """The messages of a text, one or a batch; a string says why there is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return ["it is not JSON"]
    return value if isinstance(value, list) and value else [value]


def exchanges_of(execution):
    """Each message of an execution: revision, side, message, method answered."""
    revision = execution["revision"]
    asked = {"client": {}, "double": {}}
    for exchange in execution["exchanges"]:
        if exchange["uri"].split("?")[0] != "{server}/mcp":
            continue
        headers = dict(exchange["headers"])
        named = headers.get("mcp-protocol-version")
        here = named if named in SCHEMAS else revision
        sides = [
            ("client", exchange["body"], exchange["headers"]),
            ("double", exchange["response_body"], exchange["response_headers"]),
        ]
        for side, body, fields in sides:
            other = "double" if side == "client" else "client"
            is_whole = side == "client" or exchange["end"] == "complete"
            for text in texts(body, fields or [], is_whole):
                batch = messages(text)
                if len(batch) > 1 and "JSONRPCBatchRequest" not in SCHEMAS[here].definitions:
                    yield here, side, "it is a batch", None
                for message in batch:
                    identifier, method = None, None
                    if isinstance(message, dict):
                        identifier = json.dumps(message.get("id"))
                        method = asked[other].get(identifier)
                        if "method" in message and "id" in message:
                            asked[side][identifier] = message["method"]
                    yield here, side, message, method
                    # The handshake says what holds from now on.
                    if method == "initialize" and side == "double":
                        chosen = (message.get("result") or {}).get("protocolVersion")
                        revision = chosen if chosen in SCHEMAS else revision


folder, report = sys.argv[1:]
SCHEMAS = {path.stem: Schema(path) for path in sorted(Path(folder).glob("*.json"))}
with open(report, encoding="utf-8") as file:
    executions = json.load(file)["executions"]

excused, wrong, count, seen = set(), set(), Counter(), {}
for execution in executions:
    check = execution["check"]
    case = f"{check}[{execution['case']}]"
    for revision, side, message, method in exchanges_of(execution):
        count[side] += 1
        key = (revision, side, json.dumps(message), method)
        if key not in seen:
            schema = SCHEMAS[revision]
            seen[key] = [message] if isinstance(message, str) else schema.judge(message, side, method)
        if not seen[key]:
            continue
        purpose = next((key for key in ((check, side), (case, side)) if key in ON_PURPOSE), None)
        if purpose:
            excused.add(purpose)
        else:
            name = case if execution["case"] else check
            wrong.update(f"{revision} {name}: the {side} sent {why}" for why in seen[key])

for line in sorted(wrong):
    print(line)
for check, side in sorted(set(ON_PURPOSE) - excused):
    print(f"{check}: nothing that the {side} sent is invalid; take it out of ON_PURPOSE")
print(
    f"{count['client']} messages of the client and {count['double']} of the double,"
    f" {len(seen)} of them distinct; {len(excused)} checks or cases send broken ones on purpose"
)
sys.exit(bool(wrong) or excused != set(ON_PURPOSE) or not executions)
