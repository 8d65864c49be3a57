// Memory's save: shielded from what stops the run, beside the checkpoint that it was begun. What fails because its store is away is put
// off. A crash before the checkpoint is there has at most saved what will be judged again.
import { entriesOf } from '@millrace/contracts';
import { endWith, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import type { Finish } from './finish-chunks.ts';
import { judgeResult, resultInput, type JudgedResult } from './judge-result.ts';
import { behindOthers, putOff, unsavedOf } from './put-off.ts';
import { shieldRun } from '../state/shield-run.ts';

/** How long a save under way may still take when the run is stopped, ms. */
export const SAVE_GRACE_MS = 750;

/** @param saving the entries of processOutputResult from memory's first on */
export async function saveResult(run: Run, saving: readonly string[], finish: Finish): Promise<Interrupt> {
  const isRepeated = run.saving.begun;
  run.saving.begun = true;
  // Accepted with the answer, it stands in that checkpoint.
  const isNew = run.state().finish === undefined;
  if (isNew) run.dispatch({ action: 'result-judged', finish });
  const saved = { state: run.state(), input: resultInput(run, finish) };
  const waiting = behindOthers(run, saving);
  const asked = saving.filter((name) => !waiting.some(({ entry }) => entry === name));
  const judged = await judgeShielded(run, asked, finish, { isRepeated, isNew });
  if ('interrupt' in judged) return judged.interrupt;
  const unsaved = [...waiting, ...unsavedOf(run, judged.skipped ?? [])];
  return endWith({ form: 'finish', finish: judged.finish, unsaved: await putOff(run, inOrder(run, unsaved), saved) });
}

async function judgeShielded(
  run: Run,
  names: readonly string[],
  finish: Finish,
  { isRepeated, isNew }: { isRepeated: boolean; isNew: boolean },
): Promise<JudgedResult> {
  const shield = shieldRun(run, { graceMs: SAVE_GRACE_MS, evenStopped: isRepeated });
  try {
    const [saved, stored] = await Promise.allSettled([
      judgeResult(shield.run, names, finish),
      isNew ? run.checkpoint() : undefined,
    ]);
    if (saved.status === 'rejected') throw saved.reason;
    // What the checkpoint says of a cancel comes too late; that it could not be written does not.
    if (stored.status === 'rejected') throw stored.reason;
    return saved.value;
  } finally {
    shield.release();
  }
}

/** As the agent's list has them: they will be asked in this order. */
function inOrder<U extends { entry: string }>(run: Run, unsaved: readonly U[]): U[] {
  return entriesOf(run.plan, 'processOutputResult').flatMap(({ entry }) =>
    unsaved.filter((one) => one.entry === entry),
  );
}
