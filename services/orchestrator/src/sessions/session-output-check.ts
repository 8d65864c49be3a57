// Checks the output of a session, chunk by chunk as it arrives: chunks that the replica names by their places, chunks that may not be
// dropped, and, if no entry of the session may change anything, all of it.
import { mayBeDropped, checkPassedChunks, type Chunk, type Loss, type SessionOutput } from '@millrace/contracts';
import type { SessionChunks } from './session-chunks.ts';
import { createUnchangedOutput, hasChanged, type UnchangedOutput } from './unchanged-output.ts';

export type OutputCheck = {
  /** From here on nothing may change: no entry that the replica serves may. */
  forbidChanges(): void;
  /** Chunks that are pushed into the session, before they are sent. */
  recordPushed(chunks: readonly Chunk[]): void;
  take(output: SessionOutput): { out: readonly Chunk[] } | { refused: Loss };
  /** Returns the position of the first sent chunk that the check still compares. */
  getNeeded(): number;
  /** A chunk that the session had to pass on and did not. */
  findMissing(): Loss | undefined;
};

const refuseOutput = (message: string): { refused: Loss } => ({ refused: { code: 'processor-failed', message } });
const createChangeLoss = (type: string): Loss => ({ code: 'processor-verdict-refused', message: hasChanged(type) });
const mustReturn = (chunk: Chunk): boolean => !mayBeDropped(chunk);

export function createOutputCheck(runId: string, input: SessionChunks): OutputCheck {
  let unchanged: UnchangedOutput | undefined;
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
    forbidChanges: () => void (unchanged = createUnchangedOutput(input)),
    recordPushed(chunks) {
      const kept = chunks.filter(mustReturn);
      if (kept.length > 0) due = [...due, ...kept];
    },
    take({ same, chunks }) {
      const named = same && input.resolveRange(same);
      if (same && !named)
        return refuseOutput(`The chunks ${same.from} to ${same.from + same.count - 1} cannot be named.`);
      settle(named ?? []);
      const passed = checkPassedChunks(runId, settle(chunks), chunks);
      if ('refused' in passed) return refuseOutput(passed.refused);
      if (chunks.length > 0 && input.countSent() === 0)
        return refuseOutput('The session sent chunks before it received any.');
      const changed = (named && same && unchanged?.compareNamed(same.from, named)) ?? unchanged?.compare(passed.chunks);
      if (changed !== undefined) return { refused: createChangeLoss(changed) };
      return { out: named ? [...named, ...passed.chunks] : passed.chunks };
    },
    getNeeded: () => unchanged?.getFirst() ?? Infinity,
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
  take: () => ({ out: [] }),
  getNeeded: () => Infinity,
  findMissing: () => undefined,
};
