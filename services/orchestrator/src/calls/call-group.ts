// Calls the members of a parallel group concurrently, each by its own policy, so that the group takes as long as its
// slowest member. Verdicts arrive by time. If the caller stops reading, the remaining calls are cancelled, at their
// replicas too. Members must not change anything: all of them received the same input, and no member would see
// another's changes.
import { createFailure, type Changes, type PlanEntry, type Verdict, type VerdictType } from '@millrace/contracts';
import { callProcessors, type StageRequest } from './call-processors.ts';
import type { Run } from '../state/run-context.ts';
import type { JudgedEntry } from './verdict-fold.ts';

/** Verdicts that a member may return: a suspension, an answer or a retry would decide for all members. */
const ALLOWED: readonly VerdictType[] = ['continue', 'abort', 'halt', 'deny', 'failure'];

export async function* callGroup(
  run: Run,
  members: readonly PlanEntry[],
  request: StageRequest,
): AsyncGenerator<JudgedEntry, void, void> {
  const giveUp = new AbortController();
  const own: Run = { ...run, signal: AbortSignal.any([run.signal, giveUp.signal]) };
  const calls = new Map(members.map((member) => [member.entry, askMember(own, member, request)]));
  const all = [...calls.values()];
  try {
    while (calls.size > 0) {
      const { member, judged } = await Promise.race(calls.values());
      calls.delete(member.entry);
      // The run was stopped before this member was called.
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

function asMember({ stage, input }: StageRequest, judged: JudgedEntry): JudgedEntry {
  const problem = findGroupProblem(judged.verdict);
  if (problem === undefined) return judged;
  const message = `"${judged.entry.entry}" ${problem} in a parallel group (${stage}).`;
  return { ...judged, input, verdict: createFailure('processor-verdict-refused', message) };
}

function findGroupProblem(verdict: Verdict): string | undefined {
  if (!ALLOWED.includes(verdict.type)) return `returned the verdict "${verdict.type}", which is not allowed`;
  return 'changes' in verdict && verdict.changes && isChange(verdict.changes)
    ? 'returned changes, which are not allowed'
    : undefined;
}

const isChange = ({ ops = [], ...members }: Changes): boolean =>
  ops.length > 0 || Object.values(members).some((value) => value !== undefined);
