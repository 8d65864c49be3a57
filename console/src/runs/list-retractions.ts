// Finds retractions in the valid chunks of a run. Pure. A replay has neither retracted chunks nor `retract`, but their indexes are missing.
import type { ChunkAt } from '../api/follow-run.ts';

/** Positions in the list of the chunks that follow a retraction. */
export function listRetractions(chunks: readonly Pick<ChunkAt, 'index'>[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = 1; at < chunks.length; at += 1) {
    const [previous, next] = [chunks[at - 1], chunks[at]];
    if (previous && next && next.index > previous.index + 1) found.add(at);
  }
  return found;
}
