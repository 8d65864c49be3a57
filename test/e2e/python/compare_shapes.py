"""Compares the types of the installed package with the schemas in the file that is named. Prints each difference."""

import json
import sys
from typing import Any, get_args, get_type_hints

from millrace import shapes


def resolve(schema: Any, defs: dict[str, Any]) -> Any:
    return defs[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema


def differ(where: str, kind: Any, schema: Any) -> list[str]:
    members = schema.get("properties", {})
    required = {name for name in schema.get("required", []) if "default" not in members[name]}
    found = {
        "members": (set(get_type_hints(kind)), set(members)),
        "required members": (set(kind.__required_keys__), required),
    }
    return [f"{where}: {what} {sorted(ours ^ theirs)}" for what, (ours, theirs) in found.items() if ours != theirs]


def literal(kind: Any, member: str) -> str:
    return str(get_args(get_type_hints(kind)[member])[0])


def differ_union(where: str, union: Any, schema: Any, member: str) -> list[str]:
    ours = {literal(kind, member): kind for kind in get_args(union)}
    theirs = {one["properties"][member]["const"]: one for one in schema["oneOf"]}
    named = [f"{where}: {sorted(set(ours) ^ set(theirs))}"] if set(ours) != set(theirs) else []
    return named + [line for name in ours.keys() & theirs.keys() for line in differ(f"{where} {name}", ours[name], theirs[name])]


with open(sys.argv[1]) as opened:
    defs = json.load(opened)["$defs"]
problems = differ_union("operation", shapes.Op, defs["message-op"], "op")
problems += differ_union("verdict", shapes.Verdict, defs["verdict"], "type")
problems += differ("changes", shapes.Changes, defs["changes"])
problems += differ("violation", shapes.Violation, defs["violation"])
problems += differ("message", shapes.Message, defs["message"])
problems += differ("content", shapes.Content, resolve(defs["message"]["properties"]["content"], defs))
problems += differ("system message", shapes.SystemMessage, defs["system-message"])
problems += differ("usage", shapes.Usage, defs["verdict"]["oneOf"][0]["properties"]["usage"])
print("\n".join(problems) or "no difference")
sys.exit(1 if problems else 0)
