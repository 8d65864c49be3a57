# Copyright the Millrace authors. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0
"""Reads the chunks of a run (docs/wire.md, section 7): merges live and replayed batches, and withdraws what a retract or a higher epoch
takes back. It needs no package; the caller subscribes, and asks `replay` from `next` while `gap` is true."""

from __future__ import annotations

from typing import Any

ENDS = ("finish", "tripwire", "error", "abort", "suspended")
Json = dict[str, Any]
Position = tuple[int, int]  # epoch and index


class Reader:
    def __init__(self) -> None:
        self.next: Position = (1, 0)
        self.ended = False
        self.shown: list[tuple[int, Json]] = []
        self.waiting: list[Json] = []

    @property
    def gap(self) -> bool:
        return bool(self.waiting)

    def live(self, batch: Json) -> None:
        """Takes a batch of the subscription. One that begins after the next position waits for a replay."""
        if not self.ended and not self.is_over(batch):
            self.waiting.append(batch)
        self.take_waiting()

    def replay(self, batches: list[Json]) -> None:
        """Takes an answer of `replay` from the next position: what it omits was withdrawn."""
        for batch in sorted(batches, key=position):
            if not self.ended and not self.is_over(batch):
                self.take(batch, batch["index"] if batch["epoch"] > self.next[0] else max(self.next[1], batch["index"]))
        self.take_waiting()

    def text(self) -> str:
        """Returns the text of the shown chunks. A chunk can end in half of a surrogate pair: the halves are joined as UTF-16."""
        pieces = "".join(chunk["payload"]["text"] for _, chunk in self.shown if chunk["type"] == "text-delta")
        joined = pieces.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= letter <= "\udfff" else letter for letter in joined)

    def is_over(self, batch: Json) -> bool:
        return not batch["chunks"] or (batch["epoch"], batch["index"] + len(batch["chunks"])) <= self.next

    def take_waiting(self) -> None:
        for batch in sorted(self.waiting, key=position):
            if not self.ended and not self.is_over(batch) and batch["epoch"] == self.next[0] and batch["index"] <= self.next[1]:
                self.take(batch, self.next[1])
        self.waiting = [] if self.ended else [batch for batch in self.waiting if not self.is_over(batch)]

    def take(self, batch: Json, start: int) -> None:
        if batch["epoch"] > self.next[0]:
            self.withdraw(start)
        for index in range(start, batch["index"] + len(batch["chunks"])):
            chunk = batch["chunks"][index - batch["index"]]
            if chunk["type"] == "retract":
                self.withdraw(chunk["payload"]["index"])
            else:
                self.shown.append((index, chunk))
            self.next, self.ended = (batch["epoch"], index + 1), chunk["type"] in ENDS
            if self.ended:
                return

    def withdraw(self, start: int) -> None:
        self.shown = [(index, chunk) for index, chunk in self.shown if index < start]


def position(batch: Json) -> Position:
    return batch["epoch"], batch["index"]
