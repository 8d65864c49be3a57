# Copyright the Millrace authors. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0
"""Serves processors and tools in Python: implements docs/wire.md in one file, over nats-py. Copy it next to your program.

    class Shout(Processor):
        id, description, reads = "shout", "Blocks input in capitals.", ["input"]

        def process_input(self, call):
            if call.text().isupper():
                abort("Please do not shout.")

    serve("my-service", [Shout])

A method has the name of its stage in snake case and may be async. It returns None (continue) or a verdict as a dict, or stops the run
with abort(), halt(), deny() or suspend(). process_output_stream(chunk, call) returns the output for one chunk: None, a chunk, or a list
of chunks. `self.options` are the agent's options with defaults, `call.state` is the entry's state.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import secrets
import signal
import ssl
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

Json = dict[str, Any]  # an object of JSON; shapes.py has the members of each

INPUT = {"processInput", "processInputStep", "processLLMRequest", "processLLMResponse", "processToolCall"}
OUTPUT = {"processOutputStream", "processOutputStep", "processToolResult", "processOutputResult"}
STAGES = sorted(INPUT | OUTPUT | {"processAPIError"})
STREAM = "processOutputStream"
PROTOCOL = 2  # the number of the wire's protocol
PROCESSORS = "Millrace-Processors"  # the header that lists the processors of a request with several entries
QUIET_S, HEARTBEAT_S, SILENCE_S, GRACE_S, MAX_CALLS = 0.25, 0.5, 3, 10, 1000
MAX_BATCH_BYTES, WINDOW_CHUNKS = 200_000, 1024
INBOX = re.compile(r"(?=.{1,512}$)(_INBOX|_R_|_GR_)(\.[^\s.*>]+)+")  # an answer on any other subject is not sent
TOKEN, SEED = re.compile(r"[A-Za-z0-9_-]{1,64}"), re.compile(r"^\s*(SU[A-Z2-7]{56})\s*$", re.MULTILINE)
CALL_END = "tool-call-input-streaming-end"
BEGINS = {  # types that start or continue a part, with the type that ends it
    **{"text-start": "text-end", "text-delta": "text-end", "reasoning-start": "reasoning-end", "reasoning-delta": "reasoning-end"},
    **{"tool-call-input-streaming-start": CALL_END, "tool-call-delta": CALL_END},
}


BROKEN = (Exception, SystemExit, asyncio.CancelledError)  # an error of a processor or tool ends only its own call


Judge = Callable[[str], "str | Awaitable[str]"]


class Stop(Exception):
    def __init__(self, verdict: Json) -> None:
        super().__init__(verdict["type"])
        self.verdict = verdict


def abort(reason: str, **more: Any) -> NoReturn:
    raise Stop({"type": "abort", "reason": reason, **more})


def halt(response: Any, **more: Any) -> NoReturn:
    raise Stop({"type": "halt", "response": response, **more})


def deny(reason: str, **more: Any) -> NoReturn:
    raise Stop({"type": "deny", "reason": reason, **more})


def suspend(payload: Any, **more: Any) -> NoReturn:
    raise Stop({"type": "suspend", "payload": payload, **more})


def hold_back(chunk: Json, held: dict[str, str], settled: Callable[[str], int], apply: Callable[[str], str]) -> Json | list[Json] | None:
    """Judges a text that arrives in pieces. settled(text): the length that can be judged now; apply(text): its output. The rest is
    buffered in `held`, by part, until the next piece or the end of the part."""
    if chunk["type"] not in ("text-delta", "text-end"):
        return chunk
    part = chunk["payload"]["id"]
    text = held.pop(part, "") + chunk["payload"].get("text", "")
    delta: Callable[[str], Json] = lambda out: {**chunk, "type": "text-delta", "payload": {"id": part, "text": out}}
    if chunk["type"] == "text-end":
        cut_off = chunk["payload"].get("complete") is False
        return [chunk] if cut_off or not text else [delta(apply(text)), chunk]
    length = settled(text)
    held[part] = text[length:]
    return delta(apply(text[:length])) if length > 0 else None


async def judge_texts(call: Call, source: str, judge: Judge) -> Json | None:
    """Passes each text and reasoning of the messages of a source (input, response) through judge(text), which may be async. Returns the
    verdict that replaces the changed messages, or None. Each text is judged alone; arguments and results of tools are not judged."""
    ops = []
    for message in call.messages(source):
        content = message["content"]
        parts = [await judge_part(part, judge) if part["type"] in ("text", "reasoning") else part for part in content["parts"]]
        flat = {"content": await settled(judge(content["content"]))} if content.get("content") else {}
        judged = {**content, "parts": parts, **flat}
        if judged != content:
            ops.append({"op": "replace", "message": {**message, "content": judged}})
    return {"type": "continue", "changes": {"ops": ops}} if ops else None


async def judge_part(value: Any, judge: Judge) -> Any:
    if isinstance(value, list):
        return [await judge_part(one, judge) for one in value]
    if not isinstance(value, dict):
        return value
    is_text: Callable[[str], bool] = lambda name: name in ("text", "reasoning") and isinstance(value[name], str) and value[name] != ""
    return {name: await (settled(judge(one)) if is_text(name) else judge_part(one, judge)) for name, one in value.items()}


Report = Callable[["list[Json]"], None]


class Processor:
    id: ClassVar[str] = ""
    description: ClassVar[str] = ""
    version: ClassVar[str] = "1.0.0"
    reads: ClassVar[Sequence[str] | Mapping[str, Sequence[str]]] = []  # for all stages, or by stage: {"processInput": ["input"]}
    options_schema: ClassVar[Json] = {"type": "object", "properties": {}}
    aliases: ClassVar[Sequence[str]] = []
    positions: ClassVar[Mapping[str, int] | None] = None
    judges_text: ClassVar[bool] = False
    judges_files: ClassVar[Sequence[str] | Json | None] = None  # ["image", "document"], or {"option": NAME} with a list of kinds
    adds_text: ClassVar[bool] = False
    memory_key: ClassVar[str | None] = None
    policy: ClassVar[Json] = {"timeoutMs": 5000, "attempts": 2, "onFailure": "fail"}
    process_data_parts: ClassVar[bool] = False

    def __init__(self, options: Json) -> None:
        properties = self.options_schema.get("properties", {})
        defaults = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
        self.options: Json = {**defaults, **options}

    @classmethod
    def stages(cls) -> list[str]:
        return [stage for stage in STAGES if hasattr(cls, method_name(stage))]

    @classmethod
    def descriptor(cls) -> Json:
        named = {"input": INPUT, "output": OUTPUT, "error": {"processAPIError"}}
        return {
            "id": cls.id,
            "description": cls.description,
            "version": cls.version,
            "stages": cls.stages(),
            "reads": dict(cls.reads) if isinstance(cls.reads, dict) else list(cls.reads),
            "processDataParts": cls.process_data_parts,
            "optionsSchema": cls.options_schema,
            "aliases": list(cls.aliases),
            "lists": [name for name, stages in named.items() if stages & set(cls.stages())],
            "policy": cls.policy,
            **({"positions": cls.positions} if cls.positions else {}),
            **({"judgesText": True} if cls.judges_text else {}),
            **({"judgesFiles": cls.judges_files if isinstance(cls.judges_files, dict) else list(cls.judges_files)} if cls.judges_files else {}),
            **({"addsText": True} if cls.adds_text else {}),
            **({"memoryKey": cls.memory_key} if cls.memory_key else {}),
        }


def method_name(stage: str) -> str:
    return re.sub(r"([A-Z]+)", r"_\1", stage).lower()


class Tool:
    """A function that a model may call. execute(args, call) returns JSON or raises; it may be async, and may call suspend()."""

    name: ClassVar[str] = ""
    description: ClassVar[str] = ""
    input_schema: ClassVar[Json] = {"type": "object"}
    idempotent: ClassVar[bool] = False
    effect: ClassVar[str | None] = None  # "read", "write" or "send"; None counts as "write"
    timeout_ms: ClassVar[int] = 30_000

    def execute(self, args: Any, call: ToolCall) -> Any:
        raise NotImplementedError(f"The tool {self.name} has no execute(args, call).")

    @classmethod
    def definition(cls, subject: str) -> Json:
        described = {"name": cls.name, "description": cls.description, "inputSchema": cls.input_schema, "subject": subject}
        effect = {"effect": cls.effect} if cls.effect else {}
        return {**described, **effect, "idempotent": cls.idempotent, "timeoutMs": cls.timeout_ms}


class ToolCall:
    def __init__(self, request: Json, report: Report) -> None:
        self.id, self.run, self.context, self.report = request["callId"], request["run"], request.get("requestContext", {}), report
        self.idempotency_key, self.resume_data = request.get("idempotencyKey"), request.get("resumeData")
        called = request["toolCall"]  # the arguments as the model wrote them; json.loads of them rounds no whole number
        self.args_text: str = called.get("argsText") or json.dumps(called["args"], separators=(",", ":"), ensure_ascii=False)

    def write(self, name: str, data: Any) -> None:
        self.report([{"type": f"data-{name}", "runId": self.run["runId"], "from": "AGENT", "data": data}])


class Call:
    """The argument of a method: the stage's input (docs/wire.md, section 3), the entry's state, and the run."""

    def __init__(self, request: Json, report: Report | None = None) -> None:
        entry = request["entries"][0]
        self.id: str = request["callId"]
        self.run: Json = request["run"]
        self.stage: str = request["stage"]
        self.input: Json = request["input"]
        # A retry is allowed while self.input["retryCount"] is lower; an orchestrator of an earlier version gives none.
        self.max_processor_retries: float = request.get("maxProcessorRetries", float("inf"))
        self.context: Json = request.get("requestContext", {})
        self.state: Json = dict(entry.get("state", {}))
        self.resume_data: Any = entry.get("resumeData")
        self.violations: list[Json] = []
        self.report = report

    def messages(self, *sources: str) -> list[Json]:
        entries = self.input.get("conversation", {}).get("entries", [])
        return [entry["message"] for entry in entries if not sources or entry["source"] in sources]

    def text(self, *sources: str) -> str:
        parts = [part for message in self.messages(*sources) for part in message["content"]["parts"]]
        return "\n".join(part["text"] for part in parts if part["type"] == "text")

    def violation(self, message: str, **more: Any) -> None:
        self.violations.append({"processorId": "", "message": message, **more})

    def write(self, name: str, data: Any) -> None:
        """Publishes a custom chunk, `data-<name>`, during the call."""
        if self.report:
            self.report([{"type": f"data-{name}", "runId": self.run["runId"], "from": "AGENT", "data": data}])

    def verdict(self, verdict: Json | None) -> Json:
        violations = {"violations": self.violations} if self.violations else {}
        return {"state": self.state, **violations, **(verdict or {"type": "continue"})}


def report_broken(error: BaseException) -> None:
    """Prints the traceback to stderr, which `millrace dev` shows: callers receive the message alone."""
    if not isinstance(error, asyncio.CancelledError):  # a call that has reached its timeout
        traceback.print_exception(error, file=sys.stderr)
        sys.stderr.flush()


def failure(error: object, code: str = "processor-failed", retryable: bool = True) -> Json:
    return {"type": "failure", "code": code, "message": str(error) or repr(error), "retryable": retryable}


def tool_failed(error: BaseException) -> Json:
    return {"error": {"code": "tool-failed", "message": f"{type(error).__name__}: {error}"}}


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


class Stream:
    """Passes chunks through one entry's process_output_stream until it returns a verdict other than continue."""

    def __init__(self, processor: Processor, request: Json) -> None:
        self.call, self.method = Call(request), getattr(processor, method_name(STREAM))
        self.stopped: Json | None = None
        self.open: dict[tuple[str, str], Json] = {}
        self.cut = False

    def note(self, chunk: Json) -> None:
        kind, name = chunk["type"], "toolCallId" if chunk["type"].startswith("tool-call") else "id"
        if kind in BEGINS:
            payload = {name: chunk["payload"][name], "complete": False}
            end = {"type": BEGINS[kind], "runId": chunk["runId"], "from": chunk["from"], "payload": payload}
            self.open[BEGINS[kind], payload[name]] = end
        elif kind in BEGINS.values():
            self.open.pop((kind, chunk["payload"][name]), None)

    async def cut_off(self) -> None:
        """Ends open parts as cut off when another entry stops the stream, so that the processor drops buffered text."""
        ends, self.cut = list(self.open.values()), True
        for end in ends:
            await self.through(end)

    async def through(self, chunk: Json) -> list[Json]:
        if chunk["type"].startswith("data-") and not self.method.__self__.process_data_parts:
            return [chunk]
        self.note(chunk)
        try:
            out = await settled(self.method(chunk, self.call))
            return [] if out is None else out if isinstance(out, list) else [out]
        except Stop as stop:
            self.stopped = self.call.verdict(stop.verdict)
        except BROKEN as error:
            report_broken(error)
            self.stopped = failure(error)
        return []

    def verdicts(self) -> Json:
        if self.cut and self.stopped:  # the state may contain text that was not passed
            return {"verdicts": [{"type": "continue", "violations": self.call.violations}], "ms": [0]}
        return {"verdicts": [self.stopped or self.call.verdict(None)], "ms": [0]}


class Session:
    def __init__(self, service: Service, request: Json, stream: Stream) -> None:
        self.service, self.id, self.stream = service, request["session"], stream
        self.out = f"{service.prefix}.out.{request['orchestrator']}.{self.id}"
        self.next_in = self.next_out = self.received = self.processed = 0
        self.heard = time.monotonic()
        self.batches: asyncio.Queue[Json] = asyncio.Queue()
        self.stopping = self.full = False

    async def send(self, chunks: Iterable[Json] = (), **more: Any) -> None:
        head = {"session": self.id, "processed": self.processed}
        chunks = list(chunks)
        while self.is_own():
            some: list[Json] = []
            size = 0
            while chunks and (not some or size + len(dump(chunks[0])) < MAX_BATCH_BYTES):
                size += len(dump(chunks[0]))
                some.append(chunks.pop(0))
            last = {} if chunks else more
            batch = self.service.packed({**head, "sequence": self.next_out, "chunks": some, **last})
            self.next_out += 1  # counts sent batches only
            await self.service.nc.publish(self.out, batch)
            if not chunks:
                return

    def is_own(self) -> bool:
        """Returns whether no later session has this id: both would answer on one subject."""
        return self.service.sessions.get(self.id) is self

    def receive(self, batch: Json) -> None:
        if self.full:
            return
        self.heard, self.stopping = time.monotonic(), self.stopping or bool(batch.get("tell"))
        self.received += len(batch["chunks"]) if isinstance(batch.get("chunks"), list) else 0
        self.full = max(self.received - self.processed, self.batches.qsize()) > WINDOW_CHUNKS
        self.batches.put_nowait(batch)

    async def run(self) -> None:
        heartbeat = asyncio.create_task(self.send_heartbeats())
        try:
            await self.process_batches()
        except Exception as error:  # an invalid batch, or output that is too large or not JSON
            await self.send(verdicts=[failure(error)], ms=[0])
        finally:
            heartbeat.cancel()
            if self.is_own():
                del self.service.sessions[self.id]

    async def process_batches(self) -> None:
        while not (batch := await self.batches.get()).get("drop"):
            if self.full:
                more = f"More than {WINDOW_CHUNKS} chunks are in flight. Send more when `processed` has advanced."
                return await self.send(verdicts=[failure(more, "message-invalid", False)], ms=[0])
            if batch["sequence"] != self.next_in:
                return await self.send(verdicts=[failure("A batch was lost.", "session-lost")], ms=[0])
            self.next_in += 1
            if batch.get("tell"):
                await self.stream.cut_off()
                return await self.send(**self.stream.verdicts())
            out: list[Json] = []
            for chunk in batch["chunks"]:
                if self.stopping:
                    break
                out += await self.stream.through(chunk)
                self.processed += 1
                if self.stream.stopped and not self.stopping:
                    return await self.send(out, **self.stream.verdicts())
            if batch.get("end") and not self.stopping:
                return await self.send(out, **self.stream.verdicts())
            if batch["chunks"] and not self.stopping:
                await self.send(out)

    async def send_heartbeats(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            if time.monotonic() - self.heard > SILENCE_S:
                return self.batches.put_nowait({"drop": True})
            await self.send()


class Answers:
    """Numbers the answers of one call. Progress that cannot be sent raises in the processor and is not counted."""

    def __init__(self, service: Service, message: Msg, **always: Any) -> None:
        self.service, self.message, self.always, self.sequence = service, message, always, 0

    def progress(self, chunks: list[Json]) -> None:
        self.service.keep(self.numbered({"progress": chunks, **self.always}))

    def numbered(self, value: Json) -> Coroutine[Any, Any, None]:
        packed = self.service.packed({"sequence": self.sequence, **value})
        self.sequence += 1
        return self.service.post(self.message, packed)


Served = type[Processor] | type[Tool]


class Service:
    def __init__(self, nc: Client, name: str, served: Sequence[Served], version: str, prefix: str) -> None:
        self.nc, self.name, self.version, self.prefix, self.replica = nc, name, version, prefix, secrets.token_hex(8)
        self.processors = {one.id: one for one in served if issubclass(one, Processor)}
        self.tools = {one.name: one for one in served if issubclass(one, Tool)}
        self.sessions: dict[str, Session] = {}
        self.calls: dict[str, asyncio.Future[Any]] = {}
        self.tasks: set[asyncio.Future[Any]] = set()
        self.requests: dict[str, int] = {}
        self.shared: list[Subscription] = []

    def subject(self, stage: str, processor: type[Processor]) -> str:
        return f"{self.prefix}.stage.{stage}.{self.name}.{processor.id}"

    def tool_subject(self, tool: str) -> str:
        return f"{self.prefix}.tool.{self.name}.{tool}"

    async def start(self) -> None:
        endpoints = [(stage, processor) for processor in self.processors.values() for stage in processor.stages()]
        await self.on(f"{self.prefix}.session.{self.name}.{self.replica}.*", self.to_session)
        await self.on(f"{self.prefix}.cancel.{self.name}", self.cancel)
        for stage, processor in endpoints:
            await self.on(f"{self.subject(stage, processor)}.{self.replica}", self.asked)
        self.shared = [await self.on(self.subject(s, p), self.asked, p.id) for s, p in endpoints]
        self.shared += [await self.on(self.tool_subject(tool), self.tool_asked, tool) for tool in self.tools]
        for verb in ("PING", "INFO", "STATS"):
            for tail in ("", f".{self.name}", f".{self.name}.{self.replica}"):
                await self.on(f"$SRV.{verb}{tail}", self.describer(verb, endpoints))
        await self.nc.flush()

    async def stop(self) -> None:
        """Takes no further calls and finishes those in progress. A connection that is lost cannot be drained."""
        if self.nc.is_connected:
            for subscription in self.shared:
                await subscription.drain()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=GRACE_S)
        await (self.nc.drain() if self.nc.is_connected else self.nc.close())

    def on(self, subject: str, handle: Callable[[Any, Msg], Any], queue: str = "") -> Awaitable[Subscription]:
        """Handles each message in its own task, so that a slow handler does not delay the others."""

        async def received(message: Msg) -> None:
            try:
                body = json.loads(message.data or b"{}")
            except (ValueError, RecursionError):
                body = {}
            handled = handle(body, message)
            if inspect.isawaitable(handled):
                self.keep(handled)

        subscribed: Awaitable[Subscription] = self.nc.subscribe(subject, queue=queue, cb=received)
        return subscribed

    def keep(self, coroutine: Awaitable[Any]) -> asyncio.Future[Any]:
        task = asyncio.ensure_future(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def reply(self, message: Msg, value: Json) -> Coroutine[Any, Any, None]:
        return self.post(message, self.packed(value))

    def packed(self, value: Json) -> bytes:
        data = dump(value)
        if len(data) > self.nc.max_payload:
            raise ValueError(f"A message of {len(data)} bytes is over the limit of {self.nc.max_payload}.")
        return data

    async def post(self, message: Msg, data: bytes) -> None:
        if INBOX.fullmatch(message.reply):
            await self.nc.publish(message.reply, data)

    def to_session(self, batch: Any, _message: Msg) -> None:
        if isinstance(batch, dict) and batch.get("session") in self.sessions:
            self.sessions[batch["session"]].receive(batch)

    def cancel(self, body: Any, _message: Msg) -> None:
        for call_id in body.get("callIds", []) if isinstance(body, dict) else []:
            if call_id in self.calls:  # the orchestrator has abandoned the call and ignores its answer
                self.calls.pop(call_id).cancel()

    async def is_full(self, message: Msg) -> bool:
        self.requests[message.subject] = self.requests.get(message.subject, 0) + 1
        if len(self.calls) < MAX_CALLS:
            return False
        full = {"code": "replica-busy", "message": "This replica is full.", "path": self.replica, "retryAfterMs": 100}
        await self.reply(message, {"error": full})
        return True

    async def asked(self, request: Json, message: Msg) -> None:
        try:
            entry, stage = request["entries"][0], request["stage"]
            if await self.is_full(message):
                return
            if problem := self.mislabelled(request, message):
                return await self.reply(message, {"error": {"code": "message-invalid", "message": problem}})
            processor = self.processors[entry["processor"]](entry.get("options", {}))
            await (self.open(request, message, processor) if stage == STREAM else self.judge(request, message, processor))
        except (Exception, SystemExit) as error:
            report_broken(error)
            await self.reply(message, {"error": {"code": "processor-failed", "message": f"{type(error).__name__}: {error}"}})

    def mislabelled(self, request: Json, message: Msg) -> str | None:
        """Returns the difference between the processors of the entries and those in the subject and the header, which a tap sees."""
        names = [entry["processor"] for entry in request["entries"]]
        listed = (message.headers or {}).get(PROCESSORS)
        tokens = message.subject[len(self.prefix) + 1 :].split(".")
        if names[0] != tokens[3]:
            return "The subject names another processor than the first entry."
        if listed != ",".join(names) and (listed is not None or len(names) > 1):
            return f"The header {PROCESSORS} does not list the processor of each entry."
        return None

    async def judge(self, request: Json, message: Msg, processor: Processor) -> None:
        started, answers = time.monotonic(), Answers(self, message, replica=self.replica)
        call = Call(request, answers.progress)
        work = asyncio.ensure_future(self.verdict(call, getattr(processor, method_name(call.stage))))
        self.calls[call.id] = work
        try:
            done, _ = await asyncio.wait({work}, timeout=QUIET_S)
            while not done and time.monotonic() - started < request["timeoutMs"] / 1000:
                answers.progress([])
                done, _ = await asyncio.wait({work}, timeout=HEARTBEAT_S)
            if not done or call.id not in self.calls:
                work.cancel()
                return
            ms = round((time.monotonic() - started) * 1000, 3)
            await answers.numbered({"verdicts": [work.result()], "ms": [ms], "replica": self.replica})
        finally:
            self.calls.pop(call.id, None)

    async def verdict(self, call: Call, method: Callable[[Call], Any]) -> Json:
        try:
            return call.verdict(await settled(method(call)))
        except Stop as stop:
            return call.verdict(stop.verdict)
        except BROKEN as error:
            report_broken(error)
            return failure(error)

    async def tool_asked(self, request: Json, message: Msg) -> None:
        answers = Answers(self, message)
        try:
            if await self.is_full(message):
                return
            call, tool = ToolCall(request, answers.progress), self.tools[message.subject.rsplit(".", 1)[-1]]
            work = asyncio.ensure_future(self.execute(tool, request["toolCall"]["args"], call))
            self.calls[call.id] = work
            try:
                done, _ = await asyncio.wait({work}, timeout=request["timeoutMs"] / 1000)
                if not done or call.id not in self.calls:
                    work.cancel()
                    return
            finally:
                self.calls.pop(call.id, None)
            await answers.numbered({**work.result(), "replica": self.replica})
        except Exception as error:  # an invalid request, or a result that cannot be sent
            await answers.numbered({**tool_failed(error), "replica": self.replica})

    async def execute(self, tool: type[Tool], args: Any, call: ToolCall) -> Json:
        try:
            return {"result": await settled(tool().execute(args, call))}
        except Stop as stop:
            if stop.verdict["type"] != "suspend":
                return tool_failed(stop)
            return {"suspended": {key: value for key, value in stop.verdict.items() if key != "type"}}
        except BROKEN as error:
            report_broken(error)
            return tool_failed(error)

    async def open(self, request: Json, message: Msg, processor: Processor) -> None:
        stream = Stream(processor, request)
        opened = {"opened": True, "service": self.name, "replica": self.replica, "served": 1}
        if request.get("end"):
            chunks: list[Json] = []
            for chunk in request.get("chunks", []):
                chunks += await stream.through(chunk)
                if stream.stopped:
                    break
            return await self.reply(message, {**opened, "output": {"chunks": chunks, **stream.verdicts()}})
        if former := self.sessions.get(request["session"]):
            former.receive({"drop": True})
        session = self.sessions[request["session"]] = Session(self, request, stream)
        task = self.keep(session.run())
        self.calls[request["callId"]] = task
        task.add_done_callback(lambda _: self.calls.pop(request["callId"], None))
        await self.reply(message, opened)

    def describer(self, verb: str, endpoints: list[tuple[str, type[Processor]]]) -> Callable[[Any, Msg], Any]:
        return lambda _, message: self.reply(message, self.describe(verb, endpoints))

    def describe(self, verb: str, endpoints: list[tuple[str, type[Processor]]]) -> Json:
        kind = {"PING": "ping", "INFO": "info", "STATS": "stats"}[verb]
        limits = {"millrace": json.dumps({"maxCalls": MAX_CALLS})}
        answer: Json = {"type": f"io.nats.micro.v1.{kind}_response", "name": self.name, "id": self.replica, "version": self.version, "metadata": limits}
        rows = [(f"{s}-{p.id}", self.subject(s, p), p.id, {"kind": "processor", "protocol": PROTOCOL, "stage": s, "descriptor": p.descriptor()}) for s, p in endpoints]
        for name, tool in self.tools.items():
            subject = self.tool_subject(name)
            rows.append((f"tool-{name}", subject, name, {"kind": "tool", "protocol": PROTOCOL, "tool": tool.definition(subject)}))
        if verb == "INFO":
            answer |= {"description": "In Python.", "endpoints": []}
        if verb == "STATS":
            answer |= {"started": STARTED, "endpoints": []}
        for name, subject, queue, described in rows if verb != "PING" else ():
            endpoint = {"name": name, "subject": subject, "queue_group": queue}
            zero = {"num_errors": 0, "last_error": "", "processing_time": 0, "average_processing_time": 0}
            more = {"metadata": {"millrace": json.dumps(described)}} if verb == "INFO" else {"num_requests": self.requests.get(subject, 0), **zero}
            answer["endpoints"].append({**endpoint, **more})
        return answer


STARTED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def dump(value: Json) -> bytes:
    return json.dumps(value, allow_nan=False).encode()


Env = Mapping[str, str]


class Connection(Client):
    """A connection that sends nothing without TLS if TLS is required: nats-py itself falls back to plain text."""

    async def _process_info(self, info: Json, initial_connection: bool = False) -> None:
        if self.options.get("tls") is not None and not info.get("tls_required"):
            raise nats.errors.Error("nats: the server does not offer TLS, and this connection requires it")
        await super()._process_info(info, initial_connection)


def connection_options(name: str, env: Env) -> Json:
    """Returns the options of `connect` from NATS_USER and NATS_PASSWORD, NATS_NKEY_FILE, NATS_NKEY, NATS_CREDS_FILE, NATS_TLS,
    NATS_TLS_CA_FILE, NATS_TLS_CERT_FILE, NATS_TLS_KEY_FILE and NATS_INBOX_PREFIX. Ends the process if they are wrong."""
    given: Callable[[str], str | None] = lambda key: env.get(key) or None
    user, file, seed, creds = map(given, ("NATS_USER", "NATS_NKEY_FILE", "NATS_NKEY", "NATS_CREDS_FILE"))
    if sum(one is not None for one in (user, file, seed, creds)) > 1:
        raise SystemExit("Set one of NATS_USER, NATS_NKEY_FILE, NATS_NKEY and NATS_CREDS_FILE.")
    options: Json = {"name": name}
    owner = user if user and TOKEN.fullmatch(user) else name
    if user:
        options.update(user=user, password=env.get("NATS_PASSWORD", ""))
    if file or seed or creds:
        seed, owner = read_seed(file or creds, seed)
        options.update({"user_credentials": creds} if creds else {"nkeys_seed_str": seed})
    authority, cert, key = map(given, ("NATS_TLS_CA_FILE", "NATS_TLS_CERT_FILE", "NATS_TLS_KEY_FILE"))
    if authority or cert or given("NATS_TLS") or given("NATS_URL") and env["NATS_URL"].startswith("tls://"):
        try:
            options["tls"] = context = ssl.create_default_context(cafile=authority)
            if cert:
                context.load_cert_chain(cert, key)
        except OSError as error:
            raise SystemExit(f"NATS_TLS_CA_FILE, NATS_TLS_CERT_FILE or NATS_TLS_KEY_FILE cannot be read: {error}")
    return {**options, "inbox_prefix": given("NATS_INBOX_PREFIX") or f"_INBOX.{owner}"}


def read_seed(file: str | None, seed: str | None) -> tuple[str, str]:
    """Returns the seed of a NATS user and its public key. Errors do not contain the seed."""
    where = f"The file {file}" if file else "NATS_NKEY"
    try:
        with open(file or os.devnull) as opened:
            found = SEED.search(opened.read(65536) if file else seed or "")
    except OSError as error:
        raise SystemExit(f"{where} cannot be read: {error.strerror}.")
    if not found:
        raise SystemExit(f"{where} contains no seed of a NATS user, which starts with SU.")
    try:
        import nkeys

        return found[1], nkeys.from_seed(bytearray(found[1].encode())).public_key.decode()
    except ImportError:
        raise SystemExit("A NATS key needs the package nkeys: pip install nkeys")
    except Exception:
        raise SystemExit(f"{where} contains no valid seed of a NATS user.")


def with_stack(name: str, env: Env) -> Env:
    """Adds the address and the key of the stack that `npm start` runs in this folder or one above it: the key of the service, or that
    of a developer. Variables that are set stay as they are."""
    for folder in (os.path.join(os.getcwd(), *[".."] * depth) for depth in range(32)):
        try:
            with open(os.path.join(folder, ".millrace", "stack.json")) as opened:
                stack = json.load(opened)
        except (OSError, ValueError):
            continue
        if env.get("NATS_URL") not in (None, "", stack.get("natsUrl")):
            break
        found = {**env, "NATS_URL": stack["natsUrl"]}
        files = [os.path.join(stack.get("keys") or "", role, "user.nk") for role in (name, "developer")]
        key = next(filter(os.path.exists, files), None)
        named = any(env.get(variable) for variable in ("NATS_USER", "NATS_NKEY_FILE", "NATS_NKEY", "NATS_CREDS_FILE"))
        return found if named or not key else {**found, "NATS_NKEY_FILE": key}
    return env


async def connected(name: str, env: Env) -> Client:
    """Connects to NATS_URL. Refused credentials end the process at its start; later they are tried again forever."""
    env = with_stack(name, env)
    options, nc, ready = connection_options(name, env), Connection(), asyncio.Event()

    async def report(error: Exception) -> None:
        print(f"{name}: {error}", file=sys.stderr, flush=True)
        if not ready.is_set() and "authorization violation" in str(error).lower():
            raise SystemExit(f"{name}: NATS refuses the credentials. Add the user to its configuration, or set NATS_NKEY_FILE.")

    await nc.connect(env.get("NATS_URL") or "nats://127.0.0.1:4222", error_cb=report, max_reconnect_attempts=-1, **options)
    ready.set()
    return nc


async def run(name: str, served: Sequence[Served], version: str = "1.0.0") -> None:
    """Serves processors and tools until SIGTERM or SIGINT, and then finishes calls in progress. Reads NATS_URL, MILLRACE_PREFIX and the
    variables of connection_options."""
    nc = await connected(name, os.environ)
    service = Service(nc, name, served, version, os.environ.get("MILLRACE_PREFIX") or "mr.v1")
    await service.start()
    stopped = asyncio.Event()
    for which in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(which, stopped.set)
    await stopped.wait()
    await service.stop()


def serve(name: str, served: Sequence[Served], version: str = "1.0.0") -> None:
    asyncio.run(run(name, served, version))
