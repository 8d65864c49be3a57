// Records all messages on the live subject by run and epoch: a client could have received them, even if they were
// retracted.
import { chunkBatchSchema, chunkSchema, endsRun, type Chunk } from '@millrace/contracts';
import { z } from 'zod';
import type { Bus } from '@millrace/testkit/bench';

type SeenEpoch = {
  /** Chunks by index, in their first version. */
  chunks: Map<number, Chunk>;
  /** Indexes with two different chunks. */
  changed: number[];
};

export type SeenRun = {
  epochs: Map<number, SeenEpoch>;
  /** Positions of chunks that end a run, "epoch.index", each once. */
  endings: Set<string>;
  /** The longest gap between two messages so far, ms, since the first request for it. */
  longestGapMs: number;
  lastAt: number;
  /** Time of the first message of a second owner. */
  epochStartedAt?: number;
};

export type LiveWatch = {
  readSeen(runId: string): SeenRun;
  forget(runId: string): void;
  stop(): void;
};

const batchSchema = chunkBatchSchema.extend({ chunks: z.array(chunkSchema) });
const nothing = (): SeenRun => ({ epochs: new Map(), endings: new Set(), longestGapMs: 0, lastAt: 0 });

export function watchLive(bus: Bus): LiveWatch {
  const runs = new Map<string, SeenRun>();
  const findSeen = (runId: string) => {
    const run = runs.get(runId) ?? nothing();
    runs.set(runId, run);
    return run;
  };
  const listening = bus.nc.subscribe(bus.subjects.chunksOfAnyCaller('default', 'run').replace(/run$/, '*'), {
    callback: (_error, message) => {
      const batch = batchSchema.parse(message.json());
      const run = findSeen(message.subject.split('.').at(-1) ?? '');
      const epoch = run.epochs.get(batch.epoch) ?? { chunks: new Map<number, Chunk>(), changed: [] };
      run.epochs.set(batch.epoch, epoch);
      const now = performance.now();
      if (run.lastAt > 0) run.longestGapMs = Math.max(run.longestGapMs, now - run.lastAt);
      run.lastAt = now;
      if (batch.epoch > 1) run.epochStartedAt ??= now;
      for (const [offset, chunk] of batch.chunks.entries())
        note(run, epoch, { ...batch, index: batch.index + offset }, chunk);
    },
  });
  return {
    readSeen: findSeen,
    forget: (runId) => void runs.delete(runId),
    stop: () => listening.unsubscribe(),
  };
}

function note(run: SeenRun, epoch: SeenEpoch, at: { epoch: number; index: number }, chunk: Chunk): void {
  const before = epoch.chunks.get(at.index);
  if (!before) epoch.chunks.set(at.index, chunk);
  else if (JSON.stringify(before) !== JSON.stringify(chunk)) epoch.changed.push(at.index);
  if (endsRun(chunk) && chunk.type !== 'suspended') run.endings.add(`${at.epoch}.${at.index}`);
}
