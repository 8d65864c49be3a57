// Checks the output of a session, chunk by chunk as it arrives: chunks that the replica names by their places, chunks that may not be
// dropped, and, if no entry of the session may change anything, all of it.
import { mayBeDropped, passedChunks, type Chunk, type Loss, type SessionOutput } from '@millrace/contracts';
import { createSentChunks } from './sent-chunks.ts';
import { createUnchangedOutput, hasChanged, type UnchangedOutput } from './unchanged-output.ts';

export type OutputCheck = {
  /** From here on nothing may change: no entry that the replica serves may. */
  forbidChanges(): void;
  /** Chunks that are pushed into the session, before they are sent. */
  pushed(chunks: readonly Chunk[]): void;
  sent(chunks: readonly Chunk[]): void;
  /** @param processed chunks that the replica is done with */
  take(output: SessionOutput, processed: number): { out: readonly Chunk[] } | { refused: Loss };
  /** A chunk that the session had to pass on and did not. */
  missing(): Loss | undefined;
};

const failed = (message: string): { refused: Loss } => ({ refused: { code: 'processor-failed', message } });
const changedBy = (type: string): Loss => ({ code: 'processor-verdict-refused', message: hasChanged(type) });
const mustComeOut = (chunk: Chunk): boolean => !mayBeDropped(chunk);

export function createOutputCheck(runId: string): OutputCheck {
  const sentChunks = createSentChunks();
  let unchanged: UnchangedOutput | undefined;
  let sent = 0;
  /** Chunks that may not be dropped and have not arrived back. */
  let due: readonly Chunk[] = [];
  /** Returns the chunks that may not be dropped as they were sent, one for each that arrived. */
  const settle = (chunks: readonly Chunk[]): readonly Chunk[] => {
    if (due.length === 0) return [];
    const count = chunks.filter(mustComeOut).length;
    const settled = due.slice(0, count);
    due = due.slice(count);
    return settled;
  };
  return {
    forbidChanges: () => void (unchanged = createUnchangedOutput()),
    pushed(chunks) {
      const kept = chunks.filter(mustComeOut);
      if (kept.length > 0) due = [...due, ...kept];
    },
    sent(chunks) {
      sent += chunks.length;
      sentChunks.sent(chunks);
      unchanged?.given(chunks);
    },
    take({ same, chunks }, processed) {
      const named = same && sentChunks.named(same);
      sentChunks.done(processed);
      if (same && !named) return failed(`The chunks ${same.from} to ${same.from + same.count - 1} cannot be named.`);
      settle(named ?? []);
      const passed = passedChunks(runId, settle(chunks), chunks);
      if ('refused' in passed) return failed(passed.refused);
      if (chunks.length > 0 && sent === 0) return failed('The session sent chunks before it received any.');
      const changed = (named && same && unchanged?.named(same.from, named)) ?? unchanged?.came(passed.chunks);
      if (changed !== undefined) return { refused: changedBy(changed) };
      return { out: named ? [...named, ...passed.chunks] : passed.chunks };
    },
    missing() {
      const [first] = due;
      if (first) return failed(`The session did not pass on the "${first.type}" chunk.`).refused;
      const type = unchanged?.missing();
      return type === undefined ? undefined : changedBy(type);
    },
  };
}

/** For observers: their output is ignored. */
export const NO_CHECK: OutputCheck = {
  forbidChanges: () => undefined,
  pushed: () => undefined,
  sent: () => undefined,
  take: () => ({ out: [] }),
  missing: () => undefined,
};
