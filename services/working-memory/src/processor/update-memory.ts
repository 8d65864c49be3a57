// Extraction and the write, as a loop of compare-and-set: what another run has written meanwhile is never lost. An update that
// can be made on any memory is made again on theirs; one that was a whole memory, or whole lists, is extracted again from it.
import { isDeepStrictEqual } from 'node:util';
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { writeSuperseded } from '../store/memory-errors.ts';
import { mergeMemory } from './merge-memory.ts';
import type { MemoryOwner, MemoryRecord, RunMark, WorkingMemoryStore } from '../store/memory-store.ts';
import type { Options } from './options.ts';

/** Each lost round means that another run has won it, so this many runs at once on one memory all get through. */
export const MAX_ROUNDS = 64;
/** A memory stands in every prompt; more than this is no summary any more. Bytes of JSON. */
export const MEMORY_MAX_BYTES = 32_768;

export type MemoryUpdate = {
  store: WorkingMemoryStore;
  owner: MemoryOwner;
  run: RunMark;
  options: Pick<Options, 'strategy' | 'arrays'>;
  extract(memory: JsonObject): Promise<JsonObject>;
  signal: AbortSignal;
};

/**
 * Once for each owner of a run: repeated, it asks nobody and writes nothing.
 * @throws what `extract` and the store throw; save-superseded; state-conflict after MAX_ROUNDS; extraction-failed (too large)
 */
export async function updateMemory({ store, owner, run, options, extract, signal }: MemoryUpdate): Promise<void> {
  const { writtenEpoch, ...read } = await store.readForRun(owner, run.runId, signal);
  if (writtenEpoch === run.epoch) return;
  if (writtenEpoch > run.epoch) throw writeSuperseded(run, writtenEpoch);

  let current: MemoryRecord = read;
  let update = await extract(current.memory ?? {});
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const memory = updated(current.memory ?? {}, update, options);
    if (isDeepStrictEqual(memory, current.memory ?? {})) return;
    const result = await store.compareAndSet({ owner, run, version: current.version, memory }, signal);
    if (result.outcome === 'superseded') throw writeSuperseded(run, result.epoch);
    if (result.outcome !== 'conflict') return;
    current = result;
    if (!holdsOnAny(options)) update = await extract(current.memory ?? {});
  }
  throw new MillraceError('state-conflict', `The memory was written ${MAX_ROUNDS} times by others meanwhile.`, {
    remedy: 'Ask again; if it lasts, many runs update one memory at once: use scope "thread".',
  });
}

function holdsOnAny({ strategy, arrays }: MemoryUpdate['options']): boolean {
  return strategy === 'merge' && arrays === 'append';
}

function updated(memory: JsonObject, update: JsonObject, { strategy, arrays }: MemoryUpdate['options']): JsonObject {
  const next = mergeMemory(strategy === 'merge' ? memory : {}, update, arrays);
  const bytes = Buffer.byteLength(JSON.stringify(next));
  if (bytes <= MEMORY_MAX_BYTES) return next;
  throw new MillraceError(
    'extraction-failed',
    `The memory would have ${bytes} bytes; ${MEMORY_MAX_BYTES} are the most that it may have.`,
    { remedy: 'Use a schema that asks for less, bound its arrays, or the strategy "replace".' },
  );
}
