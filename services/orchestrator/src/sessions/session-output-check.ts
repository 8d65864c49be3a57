// Checks the output of a session, chunk by chunk as it arrives: chunks that the replica names by their places, chunks that may not be
// dropped, and, if no entry of the session may change anything, all of it.
import { mayBeDropped, checkPassedChunks, type Chunk, type Loss, type SessionOutput } from '@millrace/contracts';
import { createUnchangedOutput, hasChanged, type UnchangedOutput } from './unchanged-output.ts';

export type OutputCheck = {
  /** From here on nothing may change: no entry that the replica serves may. */
  forbidChanges(): void;
  /** Chunks that are pushed into the session, before they are sent. */
  recordPushed(chunks: readonly Chunk[]): void;
  recordSent(chunks: readonly Chunk[]): void;
  /** @param processed chunks that the replica is done with */
  take(output: SessionOutput, processed: number): { out: readonly Chunk[] } | { refused: Loss };
  /** A chunk that the session had to pass on and did not. */
  findMissing(): Loss | undefined;
};

const refuseOutput = (message: string): { refused: Loss } => ({ refused: { code: 'processor-failed', message } });
const createChangeLoss = (type: string): Loss => ({ code: 'processor-verdict-refused', message: hasChanged(type) });
const mustReturn = (chunk: Chunk): boolean => !mayBeDropped(chunk);

export function createOutputCheck(runId: string): OutputCheck {
  const sentChunks = createSentChunks();
  let unchanged: UnchangedOutput | undefined;
  let sent = 0;
  /** Chunks that may not be dropped and have not arrived back. */
  let due: readonly Chunk[] = [];
  /** Returns the chunks that may not be dropped as they were sent, one for each that arrived. */
  const settle = (chunks: readonly Chunk[]): readonly Chunk[] => {
    if (due.length === 0) return [];
    const count = chunks.filter(mustReturn).length;
    const settled = due.slice(0, count);
    due = due.slice(count);
    return settled;
  };
  return {
    forbidChanges: () => void (unchanged = createUnchangedOutput()),
    recordPushed(chunks) {
      const kept = chunks.filter(mustReturn);
      if (kept.length > 0) due = [...due, ...kept];
    },
    recordSent(chunks) {
      sent += chunks.length;
      sentChunks.record(chunks);
      unchanged?.recordGiven(chunks);
    },
    take({ same, chunks }, processed) {
      const named = same && sentChunks.resolveRange(same);
      sentChunks.release(processed);
      if (same && !named)
        return refuseOutput(`The chunks ${same.from} to ${same.from + same.count - 1} cannot be named.`);
      settle(named ?? []);
      const passed = checkPassedChunks(runId, settle(chunks), chunks);
      if ('refused' in passed) return refuseOutput(passed.refused);
      if (chunks.length > 0 && sent === 0) return refuseOutput('The session sent chunks before it received any.');
      const changed = (named && same && unchanged?.compareNamed(same.from, named)) ?? unchanged?.compare(passed.chunks);
      if (changed !== undefined) return { refused: createChangeLoss(changed) };
      return { out: named ? [...named, ...passed.chunks] : passed.chunks };
    },
    findMissing() {
      const [first] = due;
      if (first) return refuseOutput(`The session did not pass on the "${first.type}" chunk.`).refused;
      const type = unchanged?.findMissing();
      return type === undefined ? undefined : createChangeLoss(type);
    },
  };
}

/** For observers: their output is ignored. */
export const NO_CHECK: OutputCheck = {
  forbidChanges: () => undefined,
  recordPushed: () => undefined,
  recordSent: () => undefined,
  take: () => ({ out: [] }),
  findMissing: () => undefined,
};

/** Sent chunks of a session that are not processed yet, by position: a replica names those that it passes unchanged. It may name each once, and in order: a name costs the replica nothing, and must not multiply chunks. */
type SentChunks = {
  record(chunks: readonly Chunk[]): void;
  /** Returns undefined if there are no such chunks, or if they were named before. */
  resolveRange(range: { from: number; count: number }): readonly Chunk[] | undefined;
  /** Releases the chunks before this position: they cannot be named any more. */
  release(place: number): void;
};

export function createSentChunks(): SentChunks {
  let chunks: Chunk[] = [];
  let first = 0;
  let next = 0;
  return {
    record: (more) => void chunks.push(...more),
    resolveRange({ from, count }) {
      if (from < Math.max(next, first) || from + count > first + chunks.length) return undefined;
      next = from + count;
      return chunks.slice(from - first, next - first);
    },
    release(place) {
      if (place <= first) return;
      chunks = chunks.slice(place - first);
      first = place;
    },
  };
}
