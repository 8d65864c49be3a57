// What may come out of processOutputStream, for chunks that went in. Both ends look: the replica can name the processor, and the
// orchestrator does not trust the replica.
import { mayBeDropped, passesChain, type Chunk } from './chunk.ts';
import { MAX_NESTING, isNestedDeeper } from './json.ts';

/** The chunks as chunks of this run, whatever run and sender they name; or what is wrong with them. */
export function passedChunks(
  runId: string,
  given: readonly Chunk[],
  out: readonly Chunk[],
): { chunks: readonly Chunk[] } | { refused: string } {
  let foreign = false;
  for (const chunk of out) {
    if (!passesChain(chunk)) {
      return { refused: `A "${chunk.type}" chunk came out of processOutputStream: only the orchestrator makes those.` };
    }
    if (isNestedDeeper(chunk)) {
      return { refused: `A "${chunk.type}" chunk that is nested deeper than ${MAX_NESTING} came out.` };
    }
    foreign ||= chunk.runId !== runId || chunk.from !== 'AGENT';
  }
  const refused = refusedCount(given, out);
  if (refused !== undefined) return { refused };
  return { chunks: foreign ? out.map((chunk) => ({ ...chunk, runId, from: 'AGENT' as const })) : out };
}

/** Chunks that may not be dropped come out as often as they went in: they end a run, or say why it failed. */
function refusedCount(given: readonly Chunk[], out: readonly Chunk[]): string | undefined {
  const inside = given.filter((chunk) => !mayBeDropped(chunk));
  const outside = out.filter((chunk) => !mayBeDropped(chunk));
  for (const { type } of [...inside, ...outside]) {
    const came = outside.filter((chunk) => chunk.type === type).length;
    const went = inside.filter((chunk) => chunk.type === type).length;
    if (came < went)
      return `The "${type}" chunk did not come out of processOutputStream: it may be changed, not dropped.`;
    if (came > went) return `A "${type}" chunk that did not go in came out of processOutputStream.`;
  }
  return undefined;
}
