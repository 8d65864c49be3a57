// Follows a step's stream for an observer in a session of its own, which begins with the first chunk at its position.
// The run does not wait for it and ignores its output. If it lags too far, its session is ended and an event reports
// that: a text with a gap would be another text.
import type { Chunk, PlanEntry, StageInput } from '@millrace/contracts';
import { raceAbort } from '../streams/unless-stopped.ts';
import type { Run } from '../state/run-context.ts';
import { askWithPolicy, type CallTarget } from '../calls/ask-with-policy.ts';
import type { SessionLink } from './linked-sessions.ts';
import { createObservedBatches } from './observed-batches.ts';
import { canEnqueue, reportDropped } from './observe.ts';
import { openSession, type OpenSession } from './open-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { judgeAtEnd } from './session-verdicts.ts';
import { judge, type JudgedEntry } from '../calls/verdict-fold.ts';

const stage = 'processOutputStream';

export type ObservedStream = {
  /** Receives the chunks that have reached its position. */
  observe(chunks: readonly Chunk[]): void;
  /** Ends the session when it has received the whole stream. */
  end(): void;
  /** Discards the session: the stream restarts. */
  drop(): void;
};

export function observeStream(run: Run, entry: PlanEntry, input: StageInput): ObservedStream {
  const waiting = createObservedBatches();
  const stopped = new AbortController();
  let client: OpenSession['connection']['client'] | undefined;
  let isBegun = false;
  let isEnding = false;
  let isEndSent = false;
  /** The outcome was reported, or does not matter any more. */
  let isReported = false;
  /** One batch at a time: waiting pieces can still be joined. */
  const feed = () => {
    if (!client || isEndSent || stopped.signal.aborted) return;
    if (client.countWaiting() === 0) {
      const batch = waiting.take();
      if (batch) client.push(batch);
    }
    if (!isEnding || !waiting.isEmpty()) return;
    isEndSent = true;
    client.end();
  };
  const follow = async function* (own: Run): AsyncGenerator<JudgedEntry, void, void> {
    const signal = AbortSignal.any([own.signal, stopped.signal]);
    const openObserved = (group: PlanEntry[], to: CallTarget) =>
      openSession(own, group, to, input, { isObserver: true });
    for await (const opening of askWithPolicy({ ...own, signal }, [entry], openObserved, { stage })) {
      if ('answer' in opening) yield* observeAll({ ...opening, ...opening.answer }, signal);
      else yield { ...judge(stage, input, entry, opening.failure), ms: opening.ms, attempts: opening.attempts };
    }
  };
  const observeAll = async function* (link: SessionLink, signal: AbortSignal): AsyncGenerator<JudgedEntry, void, void> {
    const { promise, resolve } = Promise.withResolvers<SessionEnd>();
    const doNothing = () => undefined;
    link.connection.start({ output: doNothing, onAdvanced: feed, onEnded: resolve });
    client = link.connection.client;
    feed();
    const end = await raceAbort(promise, signal);
    client.drop();
    // The observer has ended, whatever follows.
    stopped.abort();
    if (end) yield* judgeAtEnd(link, end, input, 0);
  };
  const begin = () => {
    isBegun = true;
    if (!canEnqueue(run, entry, stage, follow, () => isReported)) stopped.abort();
  };
  return {
    observe(chunks) {
      if (stopped.signal.aborted || isEnding || chunks.length === 0) return;
      if (!isBegun) begin();
      if (!stopped.signal.aborted && waiting.tryAdd(chunks)) return feed();
      if (stopped.signal.aborted) return;
      isReported = true;
      stopped.abort();
      reportDropped(run, entry, stage);
    },
    end() {
      isEnding = true;
      feed();
    },
    drop() {
      isReported = true;
      stopped.abort();
    },
  };
}
