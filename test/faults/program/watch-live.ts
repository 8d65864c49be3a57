// What was ever on the live subject, by run and epoch: what a client could have seen, whether it counted in the end or not.
import { chunkBatchSchema, chunkSchema, endsRun, type Chunk } from '@millrace/contracts';
import { z } from 'zod';
import type { Bus } from '@millrace/testkit/bench';

type SeenEpoch = {
  /** Chunks by index, as they were first seen. */
  chunks: Map<number, Chunk>;
  /** Indexes at which two different chunks were seen. */
  changed: number[];
};

export type SeenRun = {
  epochs: Map<number, SeenEpoch>;
  /** Positions of chunks that end a run, "epoch.index", each once. */
  endings: Set<string>;
  /** The longest silence between two messages so far, ms, from the moment that somebody asked for it. */
  longestGapMs: number;
  lastAt: number;
  /** When a second owner was first heard. */
  epochStartedAt?: number;
};

export type LiveWatch = {
  seen(runId: string): SeenRun;
  forget(runId: string): void;
  stop(): void;
};

const batchSchema = chunkBatchSchema.extend({ chunks: z.array(chunkSchema) });
const nothing = (): SeenRun => ({ epochs: new Map(), endings: new Set(), longestGapMs: 0, lastAt: 0 });

export function watchLive(bus: Bus): LiveWatch {
  const runs = new Map<string, SeenRun>();
  const of = (runId: string) => {
    const run = runs.get(runId) ?? nothing();
    runs.set(runId, run);
    return run;
  };
  const listening = bus.nc.subscribe(bus.subjects.chunks('default', 'run').replace(/run$/, '*'), {
    callback: (_error, message) => {
      const batch = batchSchema.parse(message.json());
      const run = of(message.subject.split('.').at(-1) ?? '');
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
    seen: of,
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
