// A parallel group at one stage: its members are asked at once, each by its own policy, so that the group takes as long as its slowest
// member. Verdicts come by time. Whoever stops reading them cancels who is still at work: where they run, too. Members judge and change
// nothing: they were all given the same, and what one of them changed the others would not have seen.
import { failureOf, type Changes, type PlanEntry, type Verdict, type VerdictType } from '@millrace/contracts';
import { callProcessors, type StageRequest } from './call-processors.ts';
import type { Run } from '../state/run-context.ts';
import type { Judged } from './verdict-fold.ts';

/** What a member may say: who suspends, answers or asks for another try speaks for all of them. */
const ALLOWED: readonly VerdictType[] = ['continue', 'abort', 'halt', 'deny', 'failure'];

export async function* callGroup(
  run: Run,
  members: readonly PlanEntry[],
  request: StageRequest,
): AsyncGenerator<Judged, void, void> {
  const giveUp = new AbortController();
  const own: Run = { ...run, signal: AbortSignal.any([run.signal, giveUp.signal]) };
  const calls = new Map(members.map((member) => [member.entry, askMember(own, member, request)]));
  const all = [...calls.values()];
  try {
    while (calls.size > 0) {
      const { member, judged } = await Promise.race(calls.values());
      calls.delete(member.entry);
      // The run was stopped before it was asked.
      if (judged) yield asMember(request, judged);
    }
  } finally {
    giveUp.abort();
    await Promise.allSettled(all);
  }
}

async function askMember(run: Run, member: PlanEntry, request: StageRequest) {
  const [judged] = await Array.fromAsync(callProcessors(run, [member], request));
  return { member, judged };
}

function asMember({ stage, input }: StageRequest, judged: Judged): Judged {
  const problem = problemOf(judged.verdict);
  if (problem === undefined) return judged;
  const message = `"${judged.entry.entry}" ${problem} in a parallel group (${stage}).`;
  return { ...judged, input, verdict: failureOf('processor-verdict-refused', message) };
}

function problemOf(verdict: Verdict): string | undefined {
  if (!ALLOWED.includes(verdict.type)) return `gave the verdict "${verdict.type}", which it may not`;
  return 'changes' in verdict && verdict.changes && isChange(verdict.changes)
    ? 'changed something, which nobody may'
    : undefined;
}

const isChange = ({ ops = [], ...members }: Changes): boolean =>
  ops.length > 0 || Object.values(members).some((value) => value !== undefined);
