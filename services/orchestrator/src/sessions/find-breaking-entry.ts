// Finds the first entry of the output stream that breaks a condition on chunks: passes the chunks again through one
// entry after the other, each with the output of the one before it. Verdicts and states are ignored: the run has judged
// the chunks before.
import { listJudges, type Chunk, type PlanEntry } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { askWithPolicy, type CallTarget } from '../calls/ask-with-policy.ts';
import { guardOnce } from './guard-batch.ts';
import { buildStreamInput } from './guard-chunks.ts';

/** A run that fails anyway waits no longer than this for the entry's name, ms. */
const FIND_MS = 2_000;

/** Returns undefined if the condition holds this time, or if no replica answers. */
export async function findBreakingEntry(
  run: Run,
  chunks: readonly Chunk[],
  holds: (passed: readonly Chunk[]) => boolean,
): Promise<PlanEntry | undefined> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(FIND_MS)]);
  const finding: Run = { ...run, signal };
  let passed = chunks;
  for (const entry of listJudges(run.plan, 'processOutputStream')) {
    const next = await passOne(finding, entry, passed);
    if (next && !holds(next)) return entry;
    passed = next ?? passed;
  }
  return undefined;
}

/** Returns undefined if the entry failed or stopped the stream, which it did not do before. */
async function passOne(run: Run, entry: PlanEntry, chunks: readonly Chunk[]): Promise<readonly Chunk[] | undefined> {
  const ask = (group: PlanEntry[], to: CallTarget) => guardOnce(run, group, to, chunks, buildStreamInput(run));
  const [outcome] = await Array.fromAsync(askWithPolicy(run, [entry], ask, { stage: 'processOutputStream' }));
  if (!outcome || 'failure' in outcome) return undefined;
  const isPassed = outcome.answer.judged.every(({ verdict }) => verdict.type === 'continue');
  return isPassed ? outcome.answer.chunks : undefined;
}
