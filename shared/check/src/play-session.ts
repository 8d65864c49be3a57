// The orchestrator's end of a stream session, played: what comes out is held against docs/wire.md message by message.
import {
  SESSION_LIMITS,
  passedChunks,
  sessionOutputSchema,
  type Chunk,
  type SessionOutput,
  type Verdict,
} from '@millrace/contracts';
import { listen, publish } from '@millrace/bus';
import { BrokenError, broken } from './broken.ts';
import { holdVerdict } from './judge.ts';
import { createPartOrder } from './open-parts.ts';
import { STREAM, openOf, sessionOpenOf, type Opened, type SessionGiven } from './session-open.ts';
import { waitMs, type Target } from './target.ts';

export type PlayedSession = {
  opened: Opened;
  callId: string;
  /** One batch. @param skip leaves a number out */
  send(chunks: readonly Chunk[], more?: { end?: boolean; skip?: boolean }): void;
  /** The stream was stopped: from here on nothing that comes out counts, and the verdicts end it whatever was sent. */
  tell(): void;
  drop(): void;
  /** From here on nothing is said to the replica. */
  fallSilent(): void;
  /** All that came out so far, ranges resolved. */
  chunks(): readonly Chunk[];
  processed(): number;
  /** The times at which messages came, as of performance.now(). */
  times(): readonly number[];
  /** The verdicts that ended it. @throws BrokenError for whatever was wrong until then */
  ended(): Promise<Verdict[]>;
  /** Resolves when the test holds, or the time is over. @throws BrokenError for whatever was wrong until then */
  until(test: () => boolean, timeoutMs: number): Promise<boolean>;
};

const HEARTBEAT_MS = SESSION_LIMITS.heartbeatMs / 2;

/** The session is given up when `play` is over. */
export async function withSession<T>(
  target: Target,
  given: SessionGiven,
  play: (session: PlayedSession) => Promise<T>,
): Promise<T> {
  const { bus } = target;
  const open = sessionOpenOf(target, given);
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
  let opened: Opened | undefined;

  const hold = (output: SessionOutput, bytes: number) => {
    if (output.session !== session) broken('another session’s batch came', output);
    if (output.sequence !== nextIn)
      broken(`the batches are not numbered densely: ${output.sequence} came, not ${nextIn}`, output);
    nextIn += 1;
    if (verdicts) broken('a batch came after the one with the verdicts', output);
    if (output.processed < processed) broken(`"processed" went back from ${processed} to ${output.processed}`, output);
    if (output.chunks.length > 1 && bytes > SESSION_LIMITS.maxBatchBytes + BATCH_HEAD_BYTES)
      broken(`a batch of ${bytes} bytes came; ${SESSION_LIMITS.maxBatchBytes} is the most`);
    received += bytes;
    if (received > MAX_SESSION_BYTES) broken(`more than ${MAX_SESSION_BYTES} bytes came out of the session`);
    const before = processed;
    processed = Math.min(output.processed, sent.length);
    const come = [...namedBy(output, before), ...output.chunks];
    if (come.length > 0 && sent.length === 0) broken('chunks came out before any went in', output);
    const passed = passedChunks(run.runId, [], output.chunks);
    if ('refused' in passed) broken(passed.refused, output);
    for (const chunk of come) {
      const problem = partProblem(chunk);
      if (problem !== undefined) broken(problem, output);
    }
    out.push(...come);
    if (output.verdicts) conclude(output, output.verdicts);
  };
  const namedBy = ({ same, ...output }: SessionOutput, before: number): Chunk[] => {
    if (!same) return [];
    const { from, count } = same;
    if (given.same !== true) broken('chunks are named by their places, and the request did not say "same"', output);
    if (from < named) broken(`the chunks from ${from} on were named before, or are out of order`, { same });
    if (from < before) broken(`chunk ${from} is named after the batch that told it as processed`, { same });
    if (from + count > sent.length) broken(`chunk ${from + count - 1} is named and was not sent`, { same });
    named = from + count;
    return sent.slice(from, from + count);
  };
  const conclude = (output: SessionOutput, given: Verdict[]) => {
    if (given.length > (opened?.served ?? 0))
      broken(`${given.length} verdicts came for ${opened?.served ?? 0} entries`, output);
    if (told && given.length < (opened?.served ?? 0)) broken('it told what it keeps, with a verdict missing', output);
    if (!told && given.every(({ type }) => type === 'continue')) {
      if (!endSent) broken('the session ended with "continue" before its end was sent', output);
      if (output.processed < sent.length)
        broken(`the session ended after ${output.processed} of ${sent.length} chunks`, output);
      if (given.length < (opened?.served ?? 0)) broken('the session ended well, with a verdict missing', output);
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
    (error) => take(() => broken(`what came out does not fit session-output: ${error.message}`)),
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
    opened = await openOf(target, open, given.replica);
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
        processed: () => processed,
        times: () => times,
        async ended() {
          if (!(await until(() => verdicts !== undefined, waitMs(target))))
            broken(`the session did not end within ${waitMs(target)} ms: ${processed} of ${sent.length} chunks`);
          for (const verdict of verdicts ?? []) holdVerdict(target, STREAM, input, verdict);
          return verdicts ?? [];
        },
        until,
      });
    } finally {
      clearInterval(heartbeat);
      post({ drop: true });
    }
  } finally {
    listening.stop();
  }
}

/** What a batch has beside its chunks. */
const BATCH_HEAD_BYTES = 4_096;
/** More than any session of a check has to say. */
const MAX_SESSION_BYTES = 64 * 1024 * 1024;
