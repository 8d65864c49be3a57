// Derives the verdict of each entry from the end of its session.
import { SESSION_LIMITS, type PlanEntry, type StageInput } from '@millrace/contracts';
import { raceAbort } from '../streams/unless-stopped.ts';
import type { SessionLink, StoppedLink } from './linked-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { createEntryFailure, judge, type JudgedEntry } from '../calls/verdict-fold.ts';

const stage = 'processOutputStream';

/** @param moves number of times that the step's sessions were opened again before */
export function judgeAtEnd(link: SessionLink, end: SessionEnd, input: StageInput, moves: number): JudgedEntry[] {
  return judgeEnd(link, end, input, moves).slice(0, countJudged(link.entries, end));
}

function judgeEnd(
  { entries, attempts, opened }: SessionLink,
  end: SessionEnd,
  input: StageInput,
  moves: number,
): JudgedEntry[] {
  const common = { attempts: attempts + moves, replica: opened.replica };
  return entries.map((entry, at): JudgedEntry => {
    if ('lost' in end) return { ...judgeImmediateLoss(entry, input, end.lost), ...common };
    const verdict = end.verdicts[at];
    if (!verdict) return { ...judgeImmediateLoss(entry, input, unjudged), ...common };
    return { ...judge(stage, input, entry, verdict), ...common, ms: end.ms[at] ?? 0 };
  });
}

/** Entries after the one that stopped may be missing, as in a stage call: they have not failed. */
function countJudged(entries: readonly PlanEntry[], end: SessionEnd): number {
  if ('lost' in end || end.verdicts.every(({ type }) => type === 'continue')) return entries.length;
  return end.verdicts.length;
}

type SessionLoss = Extract<SessionEnd, { lost: unknown }>['lost'];
const unjudged: SessionLoss = { code: 'session-lost', message: 'The session ended without its verdict.' };
const cancelled: SessionLoss = { code: 'cancelled', message: 'The run was stopped before its session was opened.' };

function judgeImmediateLoss(entry: PlanEntry, input: StageInput, loss: SessionLoss): JudgedEntry {
  return judge(stage, input, entry, createEntryFailure(entry, loss));
}

/** The run was stopped before the entry was called: nothing passes, whatever its policy is. */
export function failNotOpened(entry: PlanEntry, input: StageInput): JudgedEntry {
  return judgeImmediateLoss({ ...entry, onFailure: 'fail' }, input, cancelled);
}

const silent: SessionLoss = {
  code: 'session-lost',
  message: `It did not return its state within ${SESSION_LIMITS.verdictsMs} ms.`,
};

/** Collects the states of a stopped stream's sessions, entry by entry, within `verdictsMs`. */
export async function collectReported(
  stoppedLinks: readonly StoppedLink[],
  input: StageInput,
  moves: number,
): Promise<JudgedEntry[]> {
  const isLate = AbortSignal.timeout(SESSION_LIMITS.verdictsMs);
  const reported = stoppedLinks.map(async ({ link, sessionEnd }) => {
    const end = (await raceAbort(sessionEnd, isLate)) ?? { lost: silent };
    link.connection.client.drop();
    return judgeEnd(link, end, input, moves);
  });
  return (await Promise.all(reported)).flat();
}
