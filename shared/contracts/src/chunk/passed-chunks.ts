// Validates the output of processOutputStream for its input. Both ends validate: the replica can name the processor,
// and the orchestrator does not trust the replica.
import { findTypeProblem, mayBeDropped, passesChain, type Chunk } from './chunk.ts';
import { MAX_NESTING, isNestedDeeper } from '../base/json.ts';

/** Returns the chunks with run id and sender of this run, or the problem. */
export function checkPassedChunks(
  runId: string,
  given: readonly Chunk[],
  out: readonly Chunk[],
): { chunks: readonly Chunk[] } | { refused: string } {
  let foreign = false;
  for (const chunk of out) {
    if (!passesChain(chunk)) {
      return { refused: `processOutputStream returned a "${chunk.type}" chunk: only the orchestrator creates those.` };
    }
    const problem = findTypeProblem(chunk.type);
    if (problem !== undefined)
      return { refused: `processOutputStream returned a chunk of an invalid type: ${problem}.` };
    if (isNestedDeeper(chunk)) {
      return {
        refused: `processOutputStream returned a "${chunk.type}" chunk that is nested deeper than ${MAX_NESTING} levels.`,
      };
    }
    foreign ||= chunk.runId !== runId || chunk.from !== 'AGENT';
  }
  const refused = findRefusedCount(given, out);
  if (refused !== undefined) return { refused };
  return { chunks: foreign ? out.map((chunk) => ({ ...chunk, runId, from: 'AGENT' as const })) : out };
}

/** Undroppable chunks must be in the output as often as in the input: they end a run, or carry its error. */
function findRefusedCount(given: readonly Chunk[], out: readonly Chunk[]): string | undefined {
  const inside = given.filter((chunk) => !mayBeDropped(chunk));
  const outside = out.filter((chunk) => !mayBeDropped(chunk));
  for (const { type } of [...inside, ...outside]) {
    const received = outside.filter((chunk) => chunk.type === type).length;
    const went = inside.filter((chunk) => chunk.type === type).length;
    if (received < went) return `processOutputStream dropped the "${type}" chunk: it may be changed, not dropped.`;
    if (received > went) return `processOutputStream returned a "${type}" chunk that was not in its input.`;
  }
  return undefined;
}
