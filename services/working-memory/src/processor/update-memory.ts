// Extraction and the write, as a loop of compare-and-set: what another run has written meanwhile is never lost. An update that
// can be made on any memory is made again on theirs; one that was a whole memory, or whole lists, is extracted again from it.
import { isDeepStrictEqual } from 'node:util';
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { saveSuperseded, throughShortOutage } from '@millrace/stores';
import type { MemoryOwner, MemoryRecord, RunMark, WorkingMemoryStore } from '../store/memory-store.ts';
import { bytesOf, fitted, isFull } from './memory-bound.ts';
import type { Options } from './options.ts';

/** Each lost round means that another run has won it, so this many runs at once on one memory all get through. */
export const MAX_ROUNDS = 64;

/** `add`: what the run said. `condense`: the memory is full, and the model is asked what of it can go. */
export type Asked = 'add' | 'condense';

export type MemoryUpdate = {
  store: WorkingMemoryStore;
  owner: MemoryOwner;
  run: RunMark;
  options: Pick<Options, 'strategy' | 'arrays'>;
  extract(memory: JsonObject, asked: Asked): Promise<JsonObject>;
  /** Told, with the fields where there are any, when something is not remembered because the memory is full. */
  onFull(leftOut: readonly string[]): void;
  signal: AbortSignal;
};

/**
 * Once for each owner of a run: repeated, it asks nobody and writes nothing.
 * @throws what `extract` and the store throw; save-superseded; state-conflict after MAX_ROUNDS
 */
export async function updateMemory(given: MemoryUpdate): Promise<void> {
  const { store, owner, run, signal } = given;
  const { writtenEpoch, ...read } = await store.readForRun(owner, run.runId, signal);
  if (writtenEpoch === run.epoch) return;
  if (writtenEpoch > run.epoch) throw saveSuperseded(run, writtenEpoch);
  if (!isFull(read.memory)) return write(given, read, 'add');

  given.onFull([]);
  const mark = condensed(read);
  const { writtenEpoch: hasTried } = await store.readForRun(owner, mark.runId, signal);
  if (hasTried > 0) return store.markRun(owner, run, signal);
  // Before it is tried: whatever becomes of it, it costs one call.
  await store.markRun(owner, mark, signal);
  await write(given, read, 'condense');
}

async function write(given: MemoryUpdate, read: MemoryRecord, asked: Asked): Promise<void> {
  const { store, owner, run, extract, onFull, signal } = given;
  const options = asked === 'condense' ? CONDENSING : given.options;
  let current = read;
  let update = await extract(current.memory ?? {}, asked);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current.memory ?? {};
    const { memory, leftOut } = fitted(before, update, options);
    if (leftOut.length > 0) onFull(leftOut);
    const isSmaller = bytesOf(memory) < bytesOf(before);
    if (isDeepStrictEqual(memory, before) || (asked === 'condense' && !isSmaller)) {
      return store.markRun(owner, run, signal);
    }
    const next = { owner, run, version: current.version, memory };
    const result = await throughShortOutage(() => store.compareAndSet(next, signal), signal);
    if (result.outcome === 'superseded') throw saveSuperseded(run, result.epoch);
    if (result.outcome !== 'conflict') return;
    current = result;
    if (!holdsOnAny(options)) update = await extract(current.memory ?? {}, asked);
  }
  throw new MillraceError('state-conflict', `The memory was written ${MAX_ROUNDS} times by others meanwhile.`, {
    remedy: 'Ask again; if it lasts, many runs update one memory at once: use scope "thread".',
  });
}

/** Lists cannot become shorter by what is appended to them. */
const CONDENSING = { strategy: 'merge', arrays: 'replace' } as const;

/** That a full memory was tried to be condensed is remembered as if a run had done it. No run's id has a dot. */
function condensed({ version }: Pick<MemoryRecord, 'version'>): RunMark {
  return { runId: `condensed.${version}`, epoch: 1 };
}

function holdsOnAny({ strategy, arrays }: MemoryUpdate['options']): boolean {
  return strategy === 'merge' && arrays === 'append';
}
