// Plays the orchestrator's end of a stream session and validates each message by docs/wire.md.
import { SESSION_LIMITS, sessionOutputSchema, type Chunk, type Verdict } from '@millrace/contracts';
import { listen, publish } from '@millrace/bus';
import { BrokenError, fail, failLate } from './rule-error.ts';
import { holdVerdict } from './judge.ts';
import { STREAM, sendOpen, buildSessionOpen, type SentOpen, type SessionGiven } from './session-open.ts';
import { createSessionRules, type CheckedSessionInput, type SessionRules } from './session-rules.ts';
import { waitMs, type CheckTarget } from './target.ts';

export type CheckedSession = {
  opened: SentOpen;
  callId: string;
  /** Sends one batch. @param skip omits a number */
  send(chunks: readonly Chunk[], more?: { end?: boolean; skip?: boolean }): void;
  /** Stops the stream: later output is ignored, and the verdicts end the session. */
  requestVerdicts(): void;
  drop(): void;
  /** Stops all messages to the replica. */
  stopAnswering(): void;
  /** Returns the output so far with resolved ranges. */
  listChunks(): readonly Chunk[];
  countProcessed(): number;
  /** Arrival times of the messages, as of performance.now(). */
  listTimes(): readonly number[];
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
  const { session, run } = open;
  const input: CheckedSessionInput = {
    session,
    runId: run.runId,
    allowsRanges: given.same === true,
    sent: [],
    served: 0,
    isEndSent: false,
    isStopped: false,
  };
  const rules = createSessionRules(input);
  const watch = createWatch();
  const listening = listen(
    bus,
    bus.subjects.out(bus.id, session),
    sessionOutputSchema,
    (output, _subject, bytes) => watch.take(() => rules.hold(output, bytes)),
    (error) => watch.take(() => fail(`the output does not fit session-output: ${error.message}`)),
  );
  try {
    const opened = await sendOpen(target, open, given.replica);
    input.served = opened.served;
    const sender = createSender(bus, session, opened);
    const heartbeat = setInterval(() => sender.post({}), HEARTBEAT_MS);
    try {
      return await play(createCheckedSession({ target, open, opened, input, rules, watch, sender }));
    } finally {
      clearInterval(heartbeat);
      sender.post({ drop: true });
    }
  } finally {
    listening.stop();
  }
}

type SessionParts = {
  target: CheckTarget;
  open: ReturnType<typeof buildSessionOpen>;
  opened: SentOpen;
  input: CheckedSessionInput;
  rules: SessionRules;
  watch: SessionWatch;
  sender: SessionSender;
};

function createCheckedSession({ target, open, opened, input, rules, watch, sender }: SessionParts): CheckedSession {
  return {
    opened,
    callId: open.callId,
    send(chunks, { end, skip } = {}) {
      input.sent.push(...chunks);
      if (skip === true) sender.skipNumber();
      input.isEndSent ||= end === true;
      sender.post({ chunks, ...(end === true && { end }) });
    },
    requestVerdicts() {
      input.isStopped = true;
      sender.post({ tell: true });
    },
    drop: () => sender.post({ drop: true }),
    stopAnswering: () => sender.stopAnswering(),
    listChunks: () => rules.chunks,
    countProcessed: () => rules.countProcessed(),
    listTimes: () => watch.times,
    async waitForEnd() {
      const limitMs = waitMs(target);
      if (!(await watch.waitUntil(() => rules.readVerdicts() !== undefined, limitMs)))
        failLate(
          `the session did not end within ${limitMs} ms: ${rules.countProcessed()} of ${input.sent.length} chunks`,
          limitMs,
        );
      const verdicts = rules.readVerdicts() ?? [];
      for (const verdict of verdicts) holdVerdict(target, STREAM, open.input, verdict);
      return verdicts;
    },
    waitUntil: (test, timeoutMs) => watch.waitUntil(test, timeoutMs),
  };
}

type SessionSender = { post(message: object): void; skipNumber(): void; stopAnswering(): void };

function createSender(bus: CheckTarget['bus'], session: string, { service, replica }: SentOpen): SessionSender {
  const subject = bus.subjects.session(service, replica, session);
  let [sequence, isSilent] = [0, false];
  return {
    post(message) {
      if (!isSilent) publish(bus, subject, { session, sequence: sequence++, processed: 0, chunks: [], ...message });
    },
    skipNumber: () => void (sequence += 1),
    stopAnswering: () => void (isSilent = true),
  };
}

type SessionWatch = {
  times: readonly number[];
  /** Records the arrival of a message and its violation. */
  take(check: () => void): void;
  waitUntil: CheckedSession['waitUntil'];
};

function createWatch(): SessionWatch {
  const times: number[] = [];
  const waiting = new Set<() => void>();
  let violation: BrokenError | undefined;
  return {
    times,
    take(check) {
      times.push(performance.now());
      try {
        check();
      } catch (error) {
        if (!(error instanceof BrokenError)) throw error;
        violation ??= error;
      }
      waiting.forEach((checkCondition) => checkCondition());
    },
    async waitUntil(test, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const checkCondition = () => {
        if (violation || test()) resolve(true);
      };
      waiting.add(checkCondition);
      const timer = setTimeout(() => resolve(false), timeoutMs);
      checkCondition();
      const isTrue = await promise;
      clearTimeout(timer);
      waiting.delete(checkCondition);
      if (violation) throw violation;
      return isTrue;
    },
  };
}
