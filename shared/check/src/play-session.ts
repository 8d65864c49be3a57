// Plays the orchestrator's end of a stream session and validates each message by docs/wire.md.
import {
  SESSION_LIMITS,
  passedChunks,
  sessionOutputSchema,
  type Chunk,
  type SessionOutput,
  type Verdict,
} from '@millrace/contracts';
import { listen, publish } from '@millrace/bus';
import { BrokenError, fail } from './broken.ts';
import { holdVerdict } from './judge.ts';
import { createPartOrder } from './open-parts.ts';
import { STREAM, sendOpen, buildSessionOpen, type SentOpen, type SessionGiven } from './session-open.ts';
import { waitMs, type CheckTarget } from './target.ts';

export type CheckedSession = {
  opened: SentOpen;
  callId: string;
  /** Sends one batch. @param skip omits a number */
  send(chunks: readonly Chunk[], more?: { end?: boolean; skip?: boolean }): void;
  /** Stops the stream: later output is ignored, and the verdicts end the session. */
  tell(): void;
  drop(): void;
  /** Stops all messages to the replica. */
  fallSilent(): void;
  /** Returns the output so far with resolved ranges. */
  chunks(): readonly Chunk[];
  countProcessed(): number;
  /** Arrival times of the messages, as of performance.now(). */
  times(): readonly number[];
  /** Resolves with the final verdicts. @throws BrokenError for earlier violations */
  waitForEnd(): Promise<Verdict[]>;
  /** Resolves when the test is true, or after the timeout. @throws BrokenError for earlier violations */
  waitUntil(test: () => boolean, timeoutMs: number): Promise<boolean>;
};

const HEARTBEAT_MS = SESSION_LIMITS.heartbeatMs / 2;

/** The session is cancelled after `play`. */
export async function withSession<T>(
  target: CheckTarget,
  given: SessionGiven,
  play: (session: CheckedSession) => Promise<T>,
): Promise<T> {
  const { bus } = target;
  const open = buildSessionOpen(target, given);
  const { session, run, input } = open;
  const sent: Chunk[] = [];
  const out: Chunk[] = [];
  const times: number[] = [];
  const partProblem = createPartOrder();
  const changed = new Set<() => void>();
  let wrong: BrokenError | undefined;
  let verdicts: Verdict[] | undefined;
  let [nextIn, nextOut, processed, named, received] = [0, 0, 0, 0, 0];
  let [endSent, silent, told] = [false, false, false];
  let opened: SentOpen | undefined;

  const hold = (output: SessionOutput, bytes: number) => {
    if (output.session !== session) fail('a batch of another session arrived', output);
    if (output.sequence !== nextIn)
      fail(`the batches are not numbered densely: ${output.sequence} arrived instead of ${nextIn}`, output);
    nextIn += 1;
    if (verdicts) fail('a batch arrived after the one with the verdicts', output);
    if (output.processed < processed) fail(`"processed" went back from ${processed} to ${output.processed}`, output);
    if (output.chunks.length > 1 && bytes > SESSION_LIMITS.maxBatchBytes + BATCH_HEAD_BYTES)
      fail(`a batch of ${bytes} bytes exceeds the limit of ${SESSION_LIMITS.maxBatchBytes}`);
    received += bytes;
    if (received > MAX_SESSION_BYTES) fail(`the session sent more than ${MAX_SESSION_BYTES} bytes`);
    const before = processed;
    processed = Math.min(output.processed, sent.length);
    const come = [...namedBy(output, before), ...output.chunks];
    if (come.length > 0 && sent.length === 0) fail('chunks were sent before any input', output);
    const passed = passedChunks(run.runId, [], output.chunks);
    if ('refused' in passed) fail(passed.refused, output);
    for (const chunk of come) {
      const problem = partProblem(chunk);
      if (problem !== undefined) fail(problem, output);
    }
    out.push(...come);
    if (output.verdicts) conclude(output, output.verdicts);
  };
  const namedBy = ({ same, ...output }: SessionOutput, before: number): Chunk[] => {
    if (!same) return [];
    const { from, count } = same;
    if (given.same !== true) fail('chunks are sent as ranges, but the request did not set "same"', output);
    if (from < named) fail(`the chunks from ${from} on were named before, or are out of order`, { same });
    if (from < before) fail(`chunk ${from} is named after the batch that reported it as processed`, { same });
    if (from + count > sent.length) fail(`chunk ${from + count - 1} is named and was not sent`, { same });
    named = from + count;
    return sent.slice(from, from + count);
  };
  const conclude = (output: SessionOutput, given: Verdict[]) => {
    if (given.length > (opened?.served ?? 0))
      fail(`${given.length} verdicts for ${opened?.served ?? 0} entries`, output);
    if (told && given.length < (opened?.served ?? 0)) fail('a verdict is missing in the answer to "tell"', output);
    if (!told && given.every(({ type }) => type === 'continue')) {
      if (!endSent) fail('the session ended with "continue" before its end was sent', output);
      if (output.processed < sent.length)
        fail(`the session ended after ${output.processed} of ${sent.length} chunks`, output);
      if (given.length < (opened?.served ?? 0)) fail('the session ended well, with a verdict missing', output);
    }
    verdicts = given;
  };
  const take = (check: () => void) => {
    times.push(performance.now());
    try {
      check();
    } catch (error) {
      if (!(error instanceof BrokenError)) throw error;
      wrong ??= error;
    }
    changed.forEach((look) => look());
  };
  const listening = listen(
    bus,
    bus.subjects.out(bus.id, session),
    sessionOutputSchema,
    (output, _subject, bytes) => take(() => hold(output, bytes)),
    (error) => take(() => fail(`the output does not fit session-output: ${error.message}`)),
  );
  const post = (message: object) => {
    if (opened && !silent)
      publish(bus, bus.subjects.session(opened.service, opened.replica, session), {
        session,
        sequence: nextOut++,
        processed: 0,
        chunks: [],
        ...message,
      });
  };
  const until = async (test: () => boolean, timeoutMs: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const look = () => {
      if (wrong || test()) resolve(true);
    };
    changed.add(look);
    const timer = setTimeout(() => resolve(false), timeoutMs);
    look();
    const held = await promise;
    clearTimeout(timer);
    changed.delete(look);
    if (wrong) throw wrong;
    return held;
  };

  try {
    opened = await sendOpen(target, open, given.replica);
    const heartbeat = setInterval(() => post({}), HEARTBEAT_MS);
    try {
      return await play({
        opened,
        callId: open.callId,
        send(chunks, { end, skip } = {}) {
          sent.push(...chunks);
          if (skip === true) nextOut += 1;
          endSent ||= end === true;
          post({ chunks, ...(end === true && { end }) });
        },
        tell() {
          told = true;
          post({ tell: true });
        },
        drop: () => post({ drop: true }),
        fallSilent: () => (silent = true),
        chunks: () => out,
        countProcessed: () => processed,
        times: () => times,
        async waitForEnd() {
          if (!(await until(() => verdicts !== undefined, waitMs(target))))
            fail(`the session did not end within ${waitMs(target)} ms: ${processed} of ${sent.length} chunks`);
          for (const verdict of verdicts ?? []) holdVerdict(target, STREAM, input, verdict);
          return verdicts ?? [];
        },
        waitUntil: until,
      });
    } finally {
      clearInterval(heartbeat);
      post({ drop: true });
    }
  } finally {
    listening.stop();
  }
}

/** Allowance for the members of a batch other than its chunks. */
const BATCH_HEAD_BYTES = 4_096;
/** Exceeds the output of every session of a check. */
const MAX_SESSION_BYTES = 64 * 1024 * 1024;
