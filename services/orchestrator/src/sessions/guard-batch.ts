// One batch through adjacent processors of one replica: no session is kept, the open request carries the chunks and its reply the output and
// the state.
import { mayChange, checkPassedChunks, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import type { CallAnswer, CallTarget } from '../calls/ask-with-policy.ts';
import { failGroup } from '../calls/call-processors.ts';
import { askReplica } from './open-sessions.ts';
import { findChangedType, hasChanged } from './unchanged-output.ts';
import { judge, judgeAll, type JudgedEntry } from '../calls/verdict-fold.ts';

const stage = 'processOutputStream';

/** `reported`: states and findings of the entries after the one that stopped. */
export type GuardedBatch = { judged: JudgedEntry[]; chunks: readonly Chunk[]; reported?: JudgedEntry[] };

/** If one entry of a merged request broke, not all entries have seen the output: they are asked one by one. */
export async function guardOnce(
  run: Run,
  group: PlanEntry[],
  to: CallTarget,
  given: readonly Chunk[],
  input: StageInput,
): Promise<CallAnswer<GuardedBatch>> {
  const asked = await askReplica(run, group, to, { input, session: crypto.randomUUID(), batch: given });
  if (!asked.answer) return { ...asked, answer: undefined };
  const { served, replica } = asked;
  const { output } = asked.answer;
  const failBatch = (message: string) => ({ ...failGroup(group, { code: 'processor-failed', message }), replica });
  if (!output) return failBatch('It answered a batch without its output.');
  if (output.verdicts.length > served)
    return failBatch(`The answer has ${output.verdicts.length} verdicts for ${served} entries.`);
  const judged = judgeAll(stage, input, group.slice(0, served), { ...output, replica });
  const last = judged.at(-1)?.verdict;
  if (last?.type === 'failure') {
    const of = group.length > 1 ? ('group' as const) : ('member' as const);
    return { served: 0, failure: { verdict: last, of }, replica };
  }
  if (last && last.type !== 'continue') {
    const reported = output.verdicts.flatMap((verdict, listEntry) => {
      const entry = listEntry < judged.length ? undefined : group[listEntry];
      return entry ? [{ ...judge(stage, input, entry, verdict), ms: output.ms[listEntry] ?? 0, replica }] : [];
    });
    return { answer: { judged, chunks: [], reported }, served, replica };
  }
  if (judged.length < served) return failBatch(`It returned ${judged.length} verdicts for ${served} entries.`);
  const passed = checkPassedChunks(run.ref.runId, given, output.chunks);
  if ('refused' in passed) return failBatch(passed.refused);
  const mayAny = group.slice(0, served).some(({ changes }) => mayChange(changes, stage));
  const changed = mayAny ? undefined : findChangedType(given, passed.chunks);
  if (changed !== undefined) {
    const error = { code: 'processor-verdict-refused' as const, message: hasChanged(changed) };
    return { ...failGroup(group, error), replica };
  }
  return { answer: { judged, chunks: passed.chunks }, served, replica };
}
