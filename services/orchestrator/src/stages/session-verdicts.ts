// What the end of a session says of each of its entries.
import { type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Link } from './linked-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { entryFailure, judge, type Judged } from './verdict-fold.ts';

const stage = 'processOutputStream';

/** @param moves how often the step's sessions were opened again before */
export function judgedAtEnd(
  { entries, attempts, opened }: Link,
  end: SessionEnd,
  input: StageInput,
  moves: number,
): Judged[] {
  const { replica } = opened;
  const common = { attempts: attempts + moves, replica };
  return entries.slice(0, judgedCount(entries, end)).map((entry, at): Judged => {
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
