// An observer of a step's stream follows it as it goes: by a session of its own, which begins with the first chunk that comes to its place.
// Nobody waits for it, and nothing that comes out of it is looked at. Where it falls too far behind, its session is ended and an event says
// so: a text with a gap would be another text.
import type { Chunk, PlanEntry, StageInput } from '@millrace/contracts';
import { unlessStopped } from '../state/unless-stopped.ts';
import type { Run } from '../state/run-context.ts';
import { askWithPolicy, type Target } from './ask-with-policy.ts';
import type { Link } from './linked-sessions.ts';
import { createObservedBatches } from './observed-batches.ts';
import { enqueue, tellDropped } from './observe.ts';
import { openSession, type Session } from './open-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { judgedAtEnd } from './session-verdicts.ts';
import { judge, type Judged } from './verdict-fold.ts';

const stage = 'processOutputStream';

export type ObservedStream = {
  /** Chunks have come to its place. */
  see(chunks: readonly Chunk[]): void;
  /** The stream is over: its session ends when it has seen all of it. */
  end(): void;
  /** What it has seen does not count: the stream begins anew. */
  drop(): void;
};

export function observeStream(run: Run, entry: PlanEntry, input: StageInput): ObservedStream {
  const waiting = createObservedBatches();
  const stopped = new AbortController();
  let client: Session['connection']['client'] | undefined;
  let isBegun = false;
  let isEnding = false;
  let isEndSent = false;
  /** What became of it is said, or is nobody's business any more. */
  let isTold = false;
  /** One batch at a time: what waits behind it can still become less. */
  const feed = () => {
    if (!client || isEndSent || stopped.signal.aborted) return;
    if (client.waiting() === 0) {
      const batch = waiting.take();
      if (batch) client.push(batch);
    }
    if (!isEnding || !waiting.isEmpty()) return;
    isEndSent = true;
    client.end();
  };
  const follow = async function* (own: Run): AsyncGenerator<Judged, void, void> {
    const signal = AbortSignal.any([own.signal, stopped.signal]);
    const open = (group: PlanEntry[], to: Target) => openSession(own, group, to, input, { isObserver: true });
    for await (const opening of askWithPolicy({ ...own, signal }, [entry], open, { stage })) {
      if ('answer' in opening) yield* seeAll({ ...opening, ...opening.answer }, signal);
      else yield { ...judge(stage, input, entry, opening.failure), ms: opening.ms, attempts: opening.attempts };
    }
  };
  const seeAll = async function* (link: Link, signal: AbortSignal): AsyncGenerator<Judged, void, void> {
    const { promise, resolve } = Promise.withResolvers<SessionEnd>();
    const quiet = () => undefined;
    link.connection.start({ output: quiet, advanced: feed, ended: resolve });
    client = link.connection.client;
    feed();
    const end = await unlessStopped(promise, signal);
    client.drop();
    // Over for it, whatever still comes.
    stopped.abort();
    if (end) yield* judgedAtEnd(link, end, input, 0);
  };
  const begin = () => {
    isBegun = true;
    if (!enqueue(run, entry, stage, follow, () => isTold)) stopped.abort();
  };
  return {
    see(chunks) {
      if (stopped.signal.aborted || isEnding || chunks.length === 0) return;
      if (!isBegun) begin();
      if (!stopped.signal.aborted && waiting.add(chunks)) return feed();
      if (stopped.signal.aborted) return;
      isTold = true;
      stopped.abort();
      tellDropped(run, entry, stage);
    },
    end() {
      isEnding = true;
      feed();
    },
    drop() {
      isTold = true;
      stopped.abort();
    },
  };
}
