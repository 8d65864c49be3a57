// The orchestrator's end of one stream session. What comes back is in order or the session is lost: silence, a gap, a count that does
// not advance and whatever else the protocol does not allow are one failure, at once, that says which.
import {
  MillraceError,
  SESSION_LIMITS,
  mayBeDropped,
  passedChunks,
  type Chunk,
  type ErrorCode,
  type SessionOpened,
  type SessionOutput,
  type Verdict,
} from '@millrace/contracts';
import { hasLeft, publishInBatches, type Bus } from '@millrace/bus';
import type { SessionInbox, SessionListener } from '../peers/session-inbox.ts';
import { createSentChunks } from './sent-chunks.ts';
import { createSessionOutbox } from './session-outbox.ts';
import { createUnchangedOutput, hasChanged, type UnchangedOutput } from './unchanged-output.ts';

export type SessionEnd = { verdicts: Verdict[]; ms: number[] } | { lost: { code: ErrorCode; message: string } };

type SessionClient = {
  push(chunks: readonly Chunk[]): void;
  /** Nothing more comes; the session ends when what was pushed is done. */
  end(): void;
  /** Whether all that was pushed is done; what is not is sent without waiting for more. */
  drained(): boolean;
  /** Chunks that are waiting to be sent, because the window is full. */
  waiting(): number;
  /** Chunks that the replica is done with. */
  processed(): number;
  /** Ends it as lost. */
  lose(message: string): void;
  /** The stream was stopped: asks for the verdicts as they stand. What still comes out goes nowhere, and no event is told of its end. */
  tell(): Promise<SessionEnd>;
  /** Ends it at both ends; nothing more comes out. */
  drop(): void;
};

type SessionEvents = {
  output: (chunks: readonly Chunk[]) => void;
  /** Called once: by its end, or by its loss. */
  ended: (end: SessionEnd) => void;
  /** The window has moved. */
  advanced: () => void;
  /** The replica is stopping; it serves the session on for a while. Called once. */
  closing: () => void;
};

export type OpenedSession = Extract<SessionOpened, { opened: true }>;

export type SessionClientOptions = {
  bus: Bus;
  inbox: SessionInbox;
  runId: string;
  /** How long chunks may be in flight without the count advancing, ms. */
  timeoutMs: number;
  /** Of each entry that it is asked for, whether it may change chunks; absent: all may. */
  mayChange?: readonly boolean[];
  /** Nothing that comes out of it is looked at, and nothing has to. */
  isObserver?: boolean;
};

/** A session that is being opened: it listens under `session` before the open request is sent, so that no answer is missed. */
export type SessionConnection = {
  client: SessionClient;
  session: string;
  /** The replica has opened it: from here on both ends show that they live. */
  opened(answer: OpenedSession): void;
  /** From here on batches go out. */
  start(events: SessionEvents): void;
};

/** All that may come out of a session, as JSON: the longest answer in single characters fits in, a flood does not. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const mustComeOut = (chunk: Chunk): boolean => !mayBeDropped(chunk);

/** A replica that has been silent for so long is looked for: one that has left the bus is not waited for. */
const LOOK_AFTER_MS = 1_000;
const PING_MS = 250;

export function connectSession(options: SessionClientOptions): SessionConnection {
  const { bus, inbox, runId, timeoutMs, mayChange = [true], isObserver = false } = options;
  const session = crypto.randomUUID();
  let events: SessionEvents | undefined;
  let subject: string | undefined;
  let replica = '';
  let served = 0;
  let isLooking = false;
  let isClosing = false;
  let isFlushAwaited = false;
  let outputBytes = 0;
  let nextOut = 0;
  let nextIn = 0;
  let over = false;
  let ended: SessionEnd | undefined;
  let told: ((end: SessionEnd) => void) | undefined;
  let lastIn = performance.now();
  let lastOut = lastIn;

  const finish = (end: SessionEnd) => {
    if (over) return;
    over = true;
    ended = end;
    inbox.close(session);
    if (told) told(end);
    else events?.ended(end);
  };
  const lose = (code: ErrorCode, message: string) => {
    post({ drop: true });
    finish({ lost: { code, message } });
  };
  const post = (rest: { end?: boolean; drop?: boolean; tell?: boolean }, chunks: readonly Chunk[] = []) => {
    if (subject === undefined || over) return;
    lastOut = performance.now();
    const head = (last: boolean) => ({ session, sequence: nextOut++, processed: 0, ...(last && rest) });
    publishInBatches(bus, subject, chunks, SESSION_LIMITS.maxBatchBytes, head);
  };
  const sentChunks = createSentChunks();
  /** Where none of its entries may change anything: what came out is held against what went in. */
  let unchanged: UnchangedOutput | undefined;
  /** Chunks that may not be dropped and have not come out. */
  let due: readonly Chunk[] = [];
  const outbox = createSessionOutbox((rest, chunks) => {
    if (!isObserver) {
      sentChunks.sent(chunks);
      unchanged?.given(chunks);
    }
    post(rest, chunks);
  });
  /** A chunk that no message can hold must not break the reading of what comes. */
  const flush = () => {
    if (!events || over || told) return;
    try {
      outbox.flush();
    } catch (error) {
      const code = MillraceError.isInstance(error) ? error.code : 'internal';
      lose(code, error instanceof Error ? error.message : String(error));
    }
  };
  /** What the model says in one read comes piece by piece: it goes out together, when all of that is done. */
  const flushGathered = () => {
    isFlushAwaited = false;
    flush();
  };
  const conclude = ({ ms = [] }: SessionOutput, verdicts: Verdict[]) => {
    const stopped = told !== undefined || verdicts.some(({ type }) => type !== 'continue');
    if (verdicts.length > served)
      return lose('processor-verdict-refused', `${verdicts.length} verdicts came for ${served} entries.`);
    if (!stopped && !outbox.endSent())
      return lose('session-lost', 'The replica ended the session before its end was sent.');
    const [processed, sent] = [outbox.processed(), outbox.sent()];
    if (!stopped && processed < sent)
      return lose('session-lost', `The replica ended the session after ${processed} of ${sent} chunks.`);
    if (!stopped && due.length > 0)
      return lose('processor-failed', `The "${due[0]?.type}" chunk did not come out of the session.`);
    const missing = stopped ? undefined : unchanged?.missing();
    if (missing !== undefined) return lose('processor-verdict-refused', hasChanged(missing));
    return finish({ verdicts, ms });
  };
  /** Those of them that had to come out, as they went in. */
  const settle = (chunks: readonly Chunk[]): readonly Chunk[] => {
    if (due.length === 0) return [];
    const count = chunks.filter(mustComeOut).length;
    const settled = due.slice(0, count);
    due = due.slice(count);
    return settled;
  };
  /** @returns why it may not come out */
  const take = ({ same, chunks }: SessionOutput): { code: ErrorCode; message: string } | undefined => {
    const failed = (message: string) => ({ code: 'processor-failed' as const, message });
    const named = same && sentChunks.named(same);
    sentChunks.done(outbox.processed());
    if (same && !named) return failed(`The chunks ${same.from} to ${same.from + same.count - 1} cannot be named.`);
    settle(named ?? []);
    const passed = passedChunks(runId, settle(chunks), chunks);
    if ('refused' in passed) return failed(passed.refused);
    if (chunks.length > 0 && outbox.sent() === 0) return failed('Chunks came out of the session before any went in.');
    const changed = (named && unchanged?.named(same.from, named)) ?? unchanged?.came(passed.chunks);
    if (changed !== undefined) return { code: 'processor-verdict-refused', message: hasChanged(changed) };
    const out = named ? [...named, ...passed.chunks] : passed.chunks;
    if (out.length > 0) events?.output(out);
    return undefined;
  };
  /** Of what comes after the stream was stopped the verdicts alone count. */
  const takeTold = (output: SessionOutput, bytes: number) => {
    if (!output.verdicts) return;
    if (bytes <= SESSION_LIMITS.maxToldBytes) return conclude(output, output.verdicts);
    lose('message-too-large', `What it keeps are ${bytes} bytes: at most ${SESSION_LIMITS.maxToldBytes} are taken.`);
  };
  const listener: SessionListener = {
    receive(output, bytes) {
      if (over) return;
      outputBytes += bytes;
      if (outputBytes > MAX_OUTPUT_BYTES)
        return lose('processor-failed', `More than ${MAX_OUTPUT_BYTES} bytes came out of the session.`);
      if (output.sequence !== nextIn)
        return lose('session-lost', `Batch ${nextIn} of the session's answers was lost, ${output.sequence} came.`);
      nextIn += 1;
      lastIn = performance.now();
      if (told) return takeTold(output, bytes);
      outbox.advance(output.processed);
      const refused = isObserver ? undefined : take(output);
      if (refused) return lose(refused.code, refused.message);
      if (output.verdicts) return conclude(output, output.verdicts);
      flush();
      events?.advanced();
      if (output.closing === true) close();
    },
    refuse: (why) => over || lose('processor-failed', `What came out of the session does not fit: ${why}`),
    heartbeat(now) {
      if (subject === undefined || over) return;
      if (now - lastIn > SESSION_LIMITS.silenceMs)
        return lose('session-lost', `The replica was silent for ${SESSION_LIMITS.silenceMs} ms.`);
      if (outbox.stalledMs(now) > timeoutMs)
        return lose('processor-timeout', `No chunk was processed within ${timeoutMs} ms.`);
      if (now - lastOut >= SESSION_LIMITS.heartbeatMs / 2) post({});
      if (now - lastIn > LOOK_AFTER_MS && !isLooking) void look();
    },
  };
  /** A replica that was killed is noticed by its absence: the server says at once that nobody is there. */
  const look = async () => {
    isLooking = true;
    const heardAt = lastIn;
    const hasGone = await hasLeft(bus, replica, PING_MS).catch(() => false);
    isLooking = false;
    if (hasGone && !over && lastIn === heardAt) lose('session-lost', 'The replica went away.');
  };
  const close = () => {
    if (isClosing || over) return;
    isClosing = true;
    events?.closing();
  };
  inbox.open(session, listener);
  const client: SessionClient = {
    push(chunks) {
      const kept = isObserver ? [] : chunks.filter(mustComeOut);
      if (kept.length > 0) due = [...due, ...kept];
      outbox.push(chunks);
      if (isFlushAwaited) return;
      isFlushAwaited = true;
      process.nextTick(flushGathered);
    },
    end() {
      outbox.end();
      flush();
    },
    drained() {
      outbox.hurry();
      flush();
      return outbox.waiting() === 0 && outbox.processed() === outbox.sent();
    },
    waiting: outbox.waiting,
    processed: outbox.processed,
    lose: (message) => over || lose('session-lost', message),
    tell() {
      const { promise, resolve } = Promise.withResolvers<SessionEnd>();
      told = resolve;
      if (ended) resolve(ended);
      else post({ tell: true });
      return promise;
    },
    drop() {
      post({ drop: true });
      over = true;
      inbox.close(session);
    },
  };
  return {
    client,
    session,
    opened(answer) {
      // Derived, never taken from the message: an answer must not choose what we publish to.
      subject = bus.subjects.session(answer.service, answer.replica, session);
      replica = `${answer.service}.${answer.replica}`;
      served = answer.served;
      if (!mayChange.slice(0, served).includes(true)) unchanged = createUnchangedOutput();
      lastIn = performance.now();
    },
    start(listening) {
      events = listening;
      // It may have been lost while the step's other sessions were still being opened.
      if (ended) listening.ended(ended);
      else if (isClosing) listening.closing();
      flush();
    },
  };
}
