// A run of the scripted stand-in: its owner publishes chunks live, into the log, or into only one of the two.
import {
  isFinal,
  type Chunk,
  type ChunkBatch,
  type RunEvent,
  type RunRequest,
  type RunResult,
  type RunStatus,
} from '@millrace/contracts';
import { publish, type Bus } from '@millrace/bus';
import type { Position } from '@millrace/client';

export type ScriptedRun = {
  request: RunRequest;
  status(): RunStatus;
  result(): RunResult | undefined;
  events: RunEvent[];
  /** Live and logged. */
  say(...chunks: Chunk[]): void;
  /** Logged; the live message was lost. */
  lose(...chunks: Chunk[]): void;
  text(words: string): Chunk;
  /** A new owner continues at `base`, after a retract of it. */
  takeOver(base: number): void;
  /** State first, then the last chunk. */
  end(status: RunStatus, last: Chunk, result?: Partial<RunResult>): void;
  finish(text: string): void;
  /** Resolves when a cancel is requested; the run does not end by itself. */
  cancelAsked: Promise<void>;
  cancel(): void;
  /** The log from a position on, as api.replay answers it. */
  replay(from: Position, page: number): { epoch: number; nextIndex: number; batches: ChunkBatch[]; complete: boolean };
};

export function scriptedRun(bus: Bus, request: RunRequest, caller: string): ScriptedRun {
  const { tenant, runId } = request;
  const asked = Promise.withResolvers<void>();
  const log: ChunkBatch[] = [];
  let next: Position = { epoch: 1, index: 0 };
  let status: RunStatus = 'running';
  let result: RunResult | undefined;

  const add = (chunks: Chunk[]): ChunkBatch => {
    const batch = { ...next, chunks };
    log.push(...chunks.map((chunk, at) => ({ epoch: next.epoch, index: next.index + at, chunks: [chunk] })));
    next = { epoch: next.epoch, index: next.index + chunks.length };
    return batch;
  };
  const say = (...chunks: Chunk[]) => publish(bus, bus.subjects.chunks(tenant, caller, runId), add(chunks));
  const end: ScriptedRun['end'] = (ended, last, more = {}) => {
    const bare = { runId, status: ended, text: '', finishReason: 'stop', usage: {}, messages: [], steps: [] };
    result = { ...bare, violations: [], ...more };
    status = ended;
    say(last);
  };
  return {
    request,
    status: () => status,
    result: () => result,
    events: [],
    say,
    lose: (...chunks) => void add(chunks),
    text: (words) => ({ type: 'text-delta', runId, from: 'AGENT', payload: { id: 'text-1', text: words } }),
    takeOver(base) {
      next = { epoch: next.epoch + 1, index: base };
      say({ type: 'retract', runId, from: 'SYSTEM', payload: { index: base } });
    },
    end,
    finish: (text) => end('finished', finishChunk(runId), { text }),
    cancelAsked: asked.promise,
    cancel: () => asked.resolve(),
    replay(from, page) {
      const rest = log.filter(
        ({ epoch, index }) => epoch > from.epoch || (epoch === from.epoch && index >= from.index),
      );
      const batches = rest.slice(0, page);
      const last = batches.at(-1);
      const end = last
        ? { epoch: last.epoch, nextIndex: last.index + 1 }
        : { epoch: from.epoch, nextIndex: from.index };
      return { ...end, batches, complete: isFinal(status) && batches.length === rest.length };
    },
  };
}

const finishChunk = (runId: string): Chunk => ({
  type: 'finish',
  runId,
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
});
