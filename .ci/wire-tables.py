"""Makes the table of one revision's types out of its official schema.

    wire-tables.py SCHEMA > src/mcp/schema/REVISION.json

A table says of each type what a message can be held against: members and their
types, which are required, constants, enumerations, bounds, references. Nothing
else is taken over: no description, title, default, example, and no `format`,
which a validator only notes. The same schema gives the same bytes, one type a
line, sorted.

The published schemas are themselves made out of TypeScript, and lose something
on the way: where that says `string | number | boolean`, they say `integer`, and
where it allows null beside them (`JSONValue`), they do not. Here both are as in
the source.
"""

import json
import sys
from pathlib import Path

# Keywords whose value is taken as it is.
FACTS = {"$ref", "const", "enum", "maxItems", "maximum", "minimum", "required"}
# Keywords whose value is a schema, a list of schemas, or schemas by name.
ONE, LIST, NAMED = {"additionalProperties", "items"}, {"allOf", "anyOf"}, {"properties"}
# What the published schemas make of `string | number | boolean`.
SCALARS = ["string", "integer", "boolean"]
# Keywords that say nothing about validity.
PASSED_OVER = {"default", "description", "examples", "format", "title"}


def corrected(types, name):
    """The types that a keyword `type` names, as the source has them."""
    if types != SCALARS:
        return types
    scalars = ["string", "number", "boolean"]
    return scalars + ["null"] if name == "JSONValue" else scalars


def table(schema, where):
    """What `schema`, which stands at `where`, says about validity."""
    if schema is True:
        return {}
    if schema is False:
        sys.exit(f"{where}: this tool does not know what allows nothing")
    kept = {}
    for keyword, value in schema.items():
        if keyword == "$ref":
            kept[keyword] = "#/$defs/" + value.rsplit("/", 1)[1]
        elif keyword == "type":
            kept[keyword] = corrected(value, where.split("/")[0])
        elif keyword in FACTS:
            kept[keyword] = value
        elif keyword in ONE:
            kept[keyword] = table(value, f"{where}/{keyword}")
        elif keyword in LIST:
            kept[keyword] = [table(item, f"{where}/{keyword}") for item in value]
        elif keyword in NAMED:
            kept[keyword] = {
                name: table(item, f"{where}/{name}") for name, item in value.items()
            }
        elif keyword not in PASSED_OVER:
            sys.exit(f"{where}: this tool does not know the keyword `{keyword}`")
    # Members that can be anything need no word.
    if kept.get("additionalProperties") == {}:
        del kept["additionalProperties"]
    return kept


def main():
    schema = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    types = schema.get("$defs") or schema["definitions"]
    lines = [
        f"{json.dumps(name)}: {json.dumps(table(types[name], name), sort_keys=True)}"
        for name in sorted(types)
    ]
    print("{\n" + ",\n".join(lines) + "\n}")


main()
