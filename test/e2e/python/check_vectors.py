"""Applies the vectors of the named file to the reader, and prints each difference."""

import json
import sys

from reader import Reader

problems = []
with open(sys.argv[1]) as opened:
    vectors = json.load(opened)["vectors"]
for vector in vectors:
    reader = Reader()
    for event in vector["events"]:
        reader.live(event["live"]) if "live" in event else reader.replay(event["replay"])
    epoch, index = reader.next
    found = {"text": reader.text(), "next": {"epoch": epoch, "index": index}, "gap": reader.gap, "ended": reader.ended}
    if expected := {key: vector[key] for key in found if vector[key] != found[key]}:
        problems.append(f"{vector['name']}: {found} instead of {expected}")
print("\n".join(problems) or f"{len(vectors)} vectors hold")
sys.exit(1 if problems else 0)
