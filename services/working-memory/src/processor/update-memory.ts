// Extracts an update and writes it in a compare-and-set loop, so that no concurrent write is lost. An update that
// applies to any memory is applied to the newer one; a whole memory, or whole lists, are extracted again from it.
import { isDeepStrictEqual } from 'node:util';
import { MillraceError, type JsonObject, type Trust } from '@millrace/contracts';
import { saveSuperseded, retryShortOutage } from '@millrace/stores';
import type { MemoryOwner, MemoryRecord, RunMark, WorkingMemoryStore } from '../store/memory-store.ts';
import { countBytes, fitUpdate, isFull } from './memory-bound.ts';
import type { WorkingMemoryOptions } from './options.ts';

/** Another run wins each lost round, so up to this many concurrent runs on one memory succeed. */
export const MAX_ROUNDS = 64;

/** `add`: extract new facts from the run. `condense`: the memory is full, and the model removes fields. */
export type ExtractionMode = 'add' | 'condense';

export type MemoryUpdate = {
  store: WorkingMemoryStore;
  owner: MemoryOwner;
  run: RunMark;
  options: Pick<WorkingMemoryOptions, 'strategy' | 'arrays'>;
  /** Lowest trust of the texts of the run. */
  trust: Trust;
  extract(memory: JsonObject, mode: ExtractionMode): Promise<JsonObject>;
  /** Called if a full memory drops facts, with the names of the dropped fields if there are any. */
  onFull(leftOut: readonly string[]): void;
  signal: AbortSignal;
};

/**
 * Updates the memory once for each owner of a run: a repeated call makes no model call and no write.
 * @throws errors of `extract` and the store; save-superseded; state-conflict after MAX_ROUNDS
 */
export async function updateMemory(given: MemoryUpdate): Promise<void> {
  const { store, owner, run, signal } = given;
  const { writtenEpoch, ...read } = await store.readForRun(owner, run.runId, signal);
  if (writtenEpoch === run.epoch) return;
  if (writtenEpoch > run.epoch) throw saveSuperseded(run, writtenEpoch);
  if (!isFull(read.memory)) return write(given, read, 'add');

  given.onFull([]);
  const mark = buildCondenseMark(read);
  const { writtenEpoch: hasTried } = await store.readForRun(owner, mark.runId, signal);
  if (hasTried > 0) return store.markRun(owner, run, signal);
  // Marked before the attempt, so that it costs one call with any outcome.
  await store.markRun(owner, mark, signal);
  await write(given, read, 'condense');
}

async function write(given: MemoryUpdate, read: MemoryRecord, asked: ExtractionMode): Promise<void> {
  const { store, owner, run, extract, onFull, signal } = given;
  const options = asked === 'condense' ? CONDENSING : given.options;
  let current = read;
  let update = await extract(current.memory ?? {}, asked);
  /** The memory that the model has read for the update. */
  let source = current;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current.memory ?? {};
    const { memory, leftOut } = fitUpdate(before, update, options);
    if (leftOut.length > 0) onFull(leftOut);
    const isSmaller = countBytes(memory) < countBytes(before);
    if (isDeepStrictEqual(memory, before) || (asked === 'condense' && !isSmaller)) {
      return store.markRun(owner, run, signal);
    }
    const isTrusted = [given, source, current].every(({ trust }) => trust === 'trusted');
    const trust: Trust = isTrusted ? 'trusted' : 'untrusted';
    const next = { owner, run, version: current.version, memory, trust };
    const result = await retryShortOutage(() => store.compareAndSet(next, signal), signal);
    if (result.outcome === 'superseded') throw saveSuperseded(run, result.epoch);
    if (result.outcome !== 'conflict') return;
    current = result;
    if (isIndependentOfMemory(options)) continue;
    update = await extract(current.memory ?? {}, asked);
    source = current;
  }
  throw new MillraceError('state-conflict', `Other runs changed the memory ${MAX_ROUNDS} times during the update.`, {
    remedy: 'Retry. If the error persists, too many concurrent runs update one memory: use scope "thread".',
  });
}

/** Appending cannot make a list shorter. */
const CONDENSING = { strategy: 'merge', arrays: 'replace' } as const;

/** Records an attempt to condense as if a run had written. Ids of runs contain no dot. */
function buildCondenseMark({ version }: Pick<MemoryRecord, 'version'>): RunMark {
  return { runId: `condensed.${version}`, epoch: 1 };
}

function isIndependentOfMemory({ strategy, arrays }: MemoryUpdate['options']): boolean {
  return strategy === 'merge' && arrays === 'append';
}
