// Which of the output stream's entries first makes something of chunks that does not hold: they are given the chunks again, one entry
// after the other, each what the one before it has let through. Nothing that they say or keep counts: the run has judged them before.
import { judgesOf, type Chunk, type PlanEntry } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { askWithPolicy, type Target } from './ask-with-policy.ts';
import { guardOnce } from './guard-batch.ts';
import { streamInput } from './guard-chunks.ts';

/** A run that fails anyway does not wait longer to say by whom, ms. */
const FIND_MS = 2_000;

/** undefined: the second time it holds all the way, or nobody can be asked. */
export async function firstToBreak(
  run: Run,
  chunks: readonly Chunk[],
  holds: (passed: readonly Chunk[]) => boolean,
): Promise<PlanEntry | undefined> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(FIND_MS)]);
  const finding: Run = { ...run, signal };
  let passed = chunks;
  for (const entry of judgesOf(run.plan, 'processOutputStream')) {
    const next = await passOne(finding, entry, passed);
    if (next && !holds(next)) return entry;
    passed = next ?? passed;
  }
  return undefined;
}

/** undefined: it failed, or stopped the stream, which it did not do before. */
async function passOne(run: Run, entry: PlanEntry, chunks: readonly Chunk[]): Promise<readonly Chunk[] | undefined> {
  const ask = (group: PlanEntry[], to: Target) => guardOnce(run, group, to, chunks, streamInput(run));
  const [outcome] = await Array.fromAsync(askWithPolicy(run, [entry], ask, { stage: 'processOutputStream' }));
  if (!outcome || 'failure' in outcome) return undefined;
  const isPassed = outcome.answer.judged.every(({ verdict }) => verdict.type === 'continue');
  return isPassed ? outcome.answer.chunks : undefined;
}
