# Copyright the Millrace authors. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0
"""The shapes of messages, operations, changes and verdicts (docs/wire.md, section 3) as types. `millrace schemas` prints their schemas."""

from typing import Any, Literal, NotRequired, TypedDict

Json = dict[str, Any]
Source = Literal["input", "response", "remembered", "context"]


class Label(TypedDict):
    origin: str  # caller, instructions, model, provider, tool:NAME, processor:ENTRY, or unlabelled
    trust: Literal["trusted", "untrusted"]


class Content(TypedDict):
    parts: list[Json]  # each with a `type`: text, reasoning, tool-invocation, file, source, step-start, or another
    format: NotRequired[Literal[2]]
    content: NotRequired[str]
    metadata: NotRequired[Json]


class Message(TypedDict):
    id: str
    role: Literal["user", "assistant", "system", "tool"]
    createdAt: str
    content: Content
    threadId: NotRequired[str]
    resourceId: NotRequired[str]


class SystemMessage(TypedDict):
    tag: str
    content: str
    label: NotRequired[Label]


class Add(TypedDict):
    """Inserts a message before `before`, or at the end of its source."""

    op: Literal["add"]
    source: Source
    message: Message
    before: NotRequired[str]


class Remove(TypedDict):
    op: Literal["remove"]
    ids: list[str]


class Replace(TypedDict):
    """Replaces the message with the same id, which keeps its source."""

    op: Literal["replace"]
    message: Message


class System(TypedDict):
    """Replaces the group of a tag; empty `contents` remove it."""

    op: Literal["system"]
    tag: str
    contents: list[str]
    labels: NotRequired[list[Label]]


class SystemAdd(TypedDict):
    """Appends `contents` to the group of a tag."""

    op: Literal["system-add"]
    tag: str
    contents: list[str]
    labels: NotRequired[list[Label]]


class SystemAll(TypedDict):
    """Replaces all groups; needs `system` in `reads`."""

    op: Literal["system-all"]
    messages: list[SystemMessage]


Op = Add | Remove | Replace | System | SystemAdd | SystemAll


class Changes(TypedDict, total=False):
    """Each stage permits some members: docs/wire.md, section 3."""

    ops: list[Op]
    model: str
    tools: list[Json]
    activeTools: list[str] | None
    toolChoice: Any
    modelSettings: Json
    providerOptions: Json
    structuredOutput: Json | None
    prompt: Any
    text: str
    toolCalls: list[Json]
    args: Any
    result: Any
    isError: bool


class Violation(TypedDict):
    processorId: str
    message: str
    rule: NotRequired[str]
    strategy: NotRequired[str]
    count: NotRequired[int]
    detail: NotRequired[Any]


class Usage(TypedDict, total=False):
    modelCalls: int
    inputTokens: int
    outputTokens: int


class Common(TypedDict):
    """Members of every verdict but Failure."""

    state: NotRequired[Json]
    data: NotRequired[list[Json]]
    violations: NotRequired[list[Violation]]
    usage: NotRequired[Usage]


class Continue(Common):
    type: Literal["continue"]
    changes: NotRequired[Changes]


class Abort(Common):
    type: Literal["abort"]
    reason: str
    retry: NotRequired[bool]
    metadata: NotRequired[Any]


class Halt(Common):
    type: Literal["halt"]
    response: str
    reason: NotRequired[str]
    changes: NotRequired[Changes]


class Deny(Common):
    type: Literal["deny"]
    reason: str
    code: NotRequired[str]


class Suspend(Common):
    type: Literal["suspend"]
    payload: Any
    expiresInSeconds: NotRequired[int]


class Respond(Common):
    type: Literal["respond"]
    chunks: list[Json]


class Retry(Common):
    type: Literal["retry"]
    changes: NotRequired[Changes]
    model: NotRequired[str]


class Failure(TypedDict):
    type: Literal["failure"]
    code: str
    message: str
    retryable: bool
    usage: NotRequired[Usage]


Verdict = Continue | Abort | Halt | Deny | Suspend | Respond | Retry | Failure
