// The chunks of a run that count for a reader of its live batches.
import type { Chunk, ChunkBatch } from '@millrace/contracts';

/** A retract, and the first batch of a later owner, drop everything from their index on. */
export function listShown(live: readonly ChunkBatch[]): Chunk[] {
  const shown: (Chunk | undefined)[] = [];
  let current = 0;
  for (const { epoch, index, chunks } of live) {
    if (epoch < current) continue;
    if (epoch > current) shown.length = Math.min(shown.length, index);
    current = epoch;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- chunks that the orchestrator published
    for (const [at, one] of (chunks as Chunk[]).entries()) {
      const isRetract = one.type === 'retract';
      if (isRetract) shown.length = Math.min(shown.length, one.payload.index);
      shown[index + at] = isRetract ? undefined : one;
    }
  }
  return shown.filter((one) => one !== undefined);
}
