"""Serves a processor in Python from docs/wire.md alone: it blocks input in capitals and masks a word of the answer.

    pip install -r requirements.txt
    NATS_URL=nats://127.0.0.1:4222 python processor.py
"""

import asyncio, inspect, json, os, re, secrets, signal, time  # noqa: E401

import nats

PREFIX, REPLICA = os.environ.get("MILLRACE_PREFIX") or "mr.v1", secrets.token_hex(8)
PROCESSOR, SERVICE, STAGES = "py-guard", "py-service", ("processInput", "processOutputStream")
MAX_CAPITALS, WORD = {"type": "integer", "default": 20}, {"type": "string", "minLength": 1, "default": "secret"}
DESCRIPTOR = {
    **{"id": PROCESSOR, "description": "Blocks input in capitals, masks a word of the answer.", "version": "1.0.0"},
    **{"stages": STAGES, "lists": ["input", "output"], "reads": ["input"], "processDataParts": False},
    "optionsSchema": {"type": "object", "properties": {"maxCapitals": MAX_CAPITALS, "word": WORD}},
    "policy": {"timeoutMs": 5000, "attempts": 2, "onFailure": "fail"},
}
INBOX = re.compile(r"(?=.{1,512}$)(_INBOX|_R_|_GR_)(\.[^\s.*>]+)+")  # an answer on any other subject is not sent
CONTINUE = {"verdicts": [{"type": "continue"}], "ms": [0]}
sessions = {}


def failure(code, message):
    return {"verdicts": [{"type": "failure", "code": code, "message": message, "retryable": True}], "ms": [0]}


def process_input(call):  # returns one verdict, for the first entry: the orchestrator sends the later entries again
    entries, options = call["input"].get("conversation", {}).get("entries", []), call["entries"][0]["options"]
    text = "".join(part.get("text", "") for entry in entries for part in entry["message"]["content"]["parts"])
    shouts = len(re.findall("[A-Z]", text)) > options.get("maxCapitals", MAX_CAPITALS["default"])
    stop = {"verdicts": [{"type": "abort", "reason": "Please do not shout."}], "ms": [0]}
    return {"sequence": 0, "replica": REPLICA, **(stop if shouts else CONTINUE)}


def mask(word, held, chunk):  # buffers a possible beginning of the word, by part, until the next piece or the end of the part
    if chunk["type"] not in ("text-delta", "text-end"):
        return [chunk]
    part, cut_off = chunk["payload"]["id"], chunk["payload"].get("complete") is False
    text = (held.pop(part, "") + chunk["payload"].get("text", "")).replace(word, "***")
    delta = lambda out: [{**chunk, "type": "text-delta", "payload": {"id": part, "text": out}}] if out else []
    if chunk["type"] == "text-end":
        return [*([] if cut_off else delta(text)), chunk]
    keep = next(n for n in range(len(word) - 1, -1, -1) if text.endswith(word[:n]))
    held[part] = text[len(text) - keep :]
    return delta(text[: len(text) - keep])


class Session:
    def __init__(self, nc, call):
        self.nc, self.id, self.out = nc, call["session"], f"{PREFIX}.out.{call['orchestrator']}.{call['session']}"
        self.word, self.held = call["entries"][0]["options"].get("word", WORD["default"]), {}
        self.next_in, self.next_out, self.processed, self.heard = 0, 0, 0, time.monotonic()

    async def send(self, chunks=(), **more):
        batch = {"session": self.id, "sequence": self.next_out, "processed": self.processed, "chunks": list(chunks)}
        self.next_out += 1
        await self.nc.publish(self.out, dump({**batch, **more}))

    async def receive(self, batch):
        self.heard = time.monotonic()
        try:
            answer = {} if batch.get("drop") else self.judge(batch)
        except Exception as error:  # an invalid batch: without its chunks the answer would be incomplete
            answer = failure("processor-failed", repr(error))
        if "verdicts" in answer or batch.get("drop"):
            del sessions[self.id]
        if answer:
            await self.send(**answer)

    def judge(self, batch):
        if batch["sequence"] != self.next_in:
            return failure("session-lost", "A batch was lost.")
        self.next_in += 1
        if batch.get("tell"):  # another entry has stopped the stream: buffered text is dropped
            return CONTINUE
        out = [o for chunk in batch["chunks"] for o in mask(self.word, self.held, chunk)]
        self.processed += len(batch["chunks"])
        if batch.get("end"):
            return {"chunks": out, **CONTINUE}
        return {"chunks": out} if batch["chunks"] else {}

    async def send_heartbeats(self):  # twice a second; an orchestrator that is silent for 3 s counts as lost
        while self.id in sessions:
            await (self.send() if time.monotonic() - self.heard < 3 else self.receive({"drop": True, "sequence": 0}))
            await asyncio.sleep(0.5)


def dump(value):
    return json.dumps(value).encode()


def discovery():
    names = [{"name": f"{s}-{PROCESSOR}", "subject": f"{PREFIX}.stage.{s}.{SERVICE}.{PROCESSOR}", "queue_group": PROCESSOR} for s in STAGES]
    metadata = [{"millrace": dump({"kind": "processor", "protocol": 2, "stage": s, "descriptor": DESCRIPTOR}).decode()} for s in STAGES]
    zero = {"num_requests": 0, "num_errors": 0, "last_error": "", "processing_time": 0, "average_processing_time": 0}
    info = {"description": "A guard in Python.", "endpoints": [{**n, "metadata": m} for n, m in zip(names, metadata)]}
    stats = {"started": "2026-01-01T00:00:00.000Z", "endpoints": [{**n, **zero} for n in names]}
    identity = {"name": SERVICE, "id": REPLICA, "version": "1.0.0", "metadata": {}}
    kind = lambda verb: {"type": f"io.nats.micro.v1.{verb}_response"}
    return {"PING": {**kind("ping"), **identity}, "INFO": {**kind("info"), **identity, **info}, "STATS": {**kind("stats"), **identity, **stats}}


async def main():
    nc = await nats.connect(os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), max_reconnect_attempts=-1, nkeys_seed=os.environ.get("NATS_NKEY_FILE"))

    def on(subject, handle, queue=""):  # sends the returned value as the answer, and an exception as an error
        async def answered(message):
            try:
                answer = handle(json.loads(message.data or b"{}"))
                answer = await answer if inspect.isawaitable(answer) else answer
            except Exception as error:
                answer = {"error": {"code": "processor-failed", "message": repr(error)}}
            if answer is not None and INBOX.fullmatch(message.reply):
                await nc.publish(message.reply, dump(answer))

        return nc.subscribe(subject, queue=queue, cb=answered)

    def open_session(call):
        session, opened = Session(nc, call), {"opened": True, "service": SERVICE, "replica": REPLICA, "served": 1}
        if call.get("end"):  # the open request contains the whole stream: no session is opened
            chunks = [out for chunk in call.get("chunks", []) for out in mask(session.word, {}, chunk)]
            return {**opened, "output": {"chunks": chunks, **CONTINUE}}
        sessions[session.id] = session
        session.task = asyncio.create_task(session.send_heartbeats())
        return opened

    def to_session(batch):
        return sessions[batch["session"]].receive(batch) if batch["session"] in sessions else None

    await on(f"{PREFIX}.session.{SERVICE}.{REPLICA}.*", to_session)
    await on(f"{PREFIX}.cancel.{SERVICE}", lambda _: None)  # a call ends at once: there is nothing to cancel
    handlers = [(f"{PREFIX}.stage.{s}.{SERVICE}.{PROCESSOR}", h) for s, h in zip(STAGES, (process_input, open_session))]
    for subject, handle in handlers:
        await on(f"{subject}.{REPLICA}", handle)
    shared = [await on(subject, handle, PROCESSOR) for subject, handle in handlers]
    for verb, answer in discovery().items():
        for tail in ("", f".{SERVICE}", f".{SERVICE}.{REPLICA}"):
            await on(f"$SRV.{verb}{tail}", lambda _, answer=answer: answer)

    stopped = asyncio.Event()
    for which in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(which, stopped.set)
    await stopped.wait()
    for subscription in shared:  # stops new calls; open sessions end before the connection closes
        await subscription.drain()
    until = time.monotonic() + 10
    while sessions and time.monotonic() < until:
        await asyncio.sleep(0.05)
    await nc.drain()


asyncio.run(main())
