"""A processor and a tool over the installed package. mypy --strict accepts it, except for the marked lines."""

from typing import Any

from millrace import Call, Processor, Tool, ToolCall, abort
from millrace.shapes import Add, Continue, Message, Verdict


class Noon(Processor):
    id = "noon"
    description = "Adds the time."
    reads = {"processInput": ["input"]}

    def process_input(self, call: Call) -> Verdict | None:
        if call.text("input").isupper():
            abort("Please do not shout.")
        message: Message = {"id": "n1", "role": "user", "createdAt": "2026-01-01T00:00:00.000Z", "content": {"parts": [{"type": "text", "text": "It is noon."}]}}
        added: Add = {"op": "add", "source": "context", "message": message}
        verdict: Continue = {"type": "continue", "changes": {"ops": [added]}}
        return verdict


class Count(Tool):
    name = "count"
    description = "Counts letters."

    def execute(self, args: dict[str, Any], call: ToolCall) -> int:
        return len(str(args["word"]))


served: list[type[Processor] | type[Tool]] = [Noon, Count]
WRONG: Add = {"op": "add", "operation": "add"}  # wrong
abort(5)  # wrong
