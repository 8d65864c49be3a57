// One batch through adjacent processors of one replica: no session is kept, the open request carries the chunks and its reply the output and
// the state.
import { mayChange, passedChunks, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import type { Asked, Target } from './ask-with-policy.ts';
import { failedOf } from './call-processors.ts';
import { askReplica } from './open-sessions.ts';
import { changedType, hasChanged } from './unchanged-output.ts';
import { judge, judgeAll, type Judged } from './verdict-fold.ts';

const stage = 'processOutputStream';

/** `told`: behind the one that stopped, what the others keep and have found. */
export type GuardedBatch = { judged: Judged[]; chunks: readonly Chunk[]; told?: Judged[] };

/** The output of a merged request in which one broke has not been seen by all: its members are then asked one by one. */
export async function guardOnce(
  run: Run,
  group: PlanEntry[],
  to: Target,
  given: readonly Chunk[],
  input: StageInput,
): Promise<Asked<GuardedBatch>> {
  const asked = await askReplica(run, group, to, { input, session: crypto.randomUUID(), batch: given });
  if (!asked.answer) return { ...asked, answer: undefined };
  const { served, replica } = asked;
  const { output } = asked.answer;
  const failed = (message: string) => ({ ...failedOf(group, { code: 'processor-failed', message }), replica });
  if (!output) return failed('It answered a batch without its output.');
  if (output.verdicts.length > served) return failed(`${output.verdicts.length} verdicts came for ${served} entries.`);
  const judged = judgeAll(stage, input, group.slice(0, served), { ...output, replica });
  const last = judged.at(-1)?.verdict;
  if (last?.type === 'failure') {
    const of = group.length > 1 ? ('group' as const) : ('member' as const);
    return { served: 0, failure: { verdict: last, of }, replica };
  }
  if (last && last.type !== 'continue') {
    const told = output.verdicts.flatMap((verdict, at) => {
      const entry = at < judged.length ? undefined : group[at];
      return entry ? [{ ...judge(stage, input, entry, verdict), ms: output.ms[at] ?? 0, replica }] : [];
    });
    return { answer: { judged, chunks: [], told }, served, replica };
  }
  if (judged.length < served) return failed(`It gave ${judged.length} verdicts for ${served} entries.`);
  const passed = passedChunks(run.ref.runId, given, output.chunks);
  if ('refused' in passed) return failed(passed.refused);
  const mayAny = group.slice(0, served).some(({ changes }) => mayChange(changes, stage));
  const changed = mayAny ? undefined : changedType(given, passed.chunks);
  if (changed !== undefined) {
    const error = { code: 'processor-verdict-refused' as const, message: hasChanged(changed) };
    return { ...failedOf(group, error), replica };
  }
  return { answer: { judged, chunks: passed.chunks }, served, replica };
}
