// What the end of a session says of each of its entries.
import { SESSION_LIMITS, type PlanEntry, type StageInput } from '@millrace/contracts';
import { unlessStopped } from '../state/unless-stopped.ts';
import type { Link, Telling } from './linked-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { entryFailure, judge, type Judged } from './verdict-fold.ts';

const stage = 'processOutputStream';

/** @param moves how often the step's sessions were opened again before */
export function judgedAtEnd(link: Link, end: SessionEnd, input: StageInput, moves: number): Judged[] {
  return judgedBy(link, end, input, moves).slice(0, judgedCount(link.entries, end));
}

function judgedBy({ entries, attempts, opened }: Link, end: SessionEnd, input: StageInput, moves: number): Judged[] {
  const common = { attempts: attempts + moves, replica: opened.replica };
  return entries.map((entry, at): Judged => {
    if ('lost' in end) return { ...lostAtOnce(entry, input, end.lost), ...common };
    const verdict = end.verdicts[at];
    if (!verdict) return { ...lostAtOnce(entry, input, unjudged), ...common };
    return { ...judge(stage, input, entry, verdict), ...common, ms: end.ms[at] ?? 0 };
  });
}

/** As in a stage call, those after the one that stopped may be left out: they have not failed. */
function judgedCount(entries: readonly PlanEntry[], end: SessionEnd): number {
  if ('lost' in end || end.verdicts.every(({ type }) => type === 'continue')) return entries.length;
  return end.verdicts.length;
}

type Loss = Extract<SessionEnd, { lost: unknown }>['lost'];
const unjudged: Loss = { code: 'session-lost', message: 'The session ended without its verdict.' };
const cancelled: Loss = { code: 'cancelled', message: 'The run was stopped before its session was opened.' };

function lostAtOnce(entry: PlanEntry, input: StageInput, loss: Loss): Judged {
  return judge(stage, input, entry, entryFailure(entry, loss));
}

/** The run was stopped before the entry was asked: nothing passes, whatever its policy. */
export function notOpened(entry: PlanEntry, input: StageInput): Judged {
  return lostAtOnce({ ...entry, onFailure: 'fail' }, input, cancelled);
}

const silent: Loss = {
  code: 'session-lost',
  message: `It did not tell what it keeps within ${SESSION_LIMITS.tellMs} ms.`,
};

/** What sessions of a stream that was stopped have told, entry by entry: no later than `tellMs` from now. */
export async function toldOf(telling: readonly Telling[], input: StageInput, moves: number): Promise<Judged[]> {
  const isLate = AbortSignal.timeout(SESSION_LIMITS.tellMs);
  const told = telling.map(async ({ link, said }) => {
    const end = (await unlessStopped(said, isLate)) ?? { lost: silent };
    link.connection.client.drop();
    return judgedBy(link, end, input, moves);
  });
  return (await Promise.all(told)).flat();
}
