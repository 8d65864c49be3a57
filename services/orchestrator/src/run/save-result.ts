// Runs memory's save, shielded from a stop, concurrently with the checkpoint that records its start. A save whose store
// is unavailable is deferred. A crash before the checkpoint has at most saved a result that is judged again.
import { listEntries } from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import type { FinishChunk } from '../transcript/finish-chunks.ts';
import { judgeResult, buildResultInput, type JudgedResult } from './judge-result.ts';
import { findBlocked, deferSaves, listUnsaved } from '../saves/defer-saves.ts';
import { SAVE_GRACE_MS } from '../saves/save-history.ts';
import { shieldRun } from '../state/shield-run.ts';
import { withStoredTexts } from '../state/stored-texts.ts';

/** @param saving the entries of processOutputResult from memory's first on */
export async function saveResult(run: Run, saving: readonly string[], finish: FinishChunk): Promise<Interrupt> {
  const isRepeated = run.saving.begun;
  run.saving.begun = true;
  // A finish that was accepted with the answer is in that checkpoint already.
  const isNew = run.getState().finish === undefined;
  if (isNew) run.dispatch({ action: 'result-judged', finish });
  const state = run.getState();
  const conversation = withStoredTexts(run.plan, state.conversation, state.stored);
  const saved = { state: { ...state, conversation }, input: buildResultInput(run, finish) };
  const waiting = findBlocked(run, saving);
  const asked = saving.filter((name) => !waiting.some(({ entry }) => entry === name));
  const judged = await judgeShielded(run, asked, finish, { isRepeated, isNew });
  if ('interrupt' in judged) return judged.interrupt;
  const unsaved = [...waiting, ...listUnsaved(run, judged.skipped ?? [])];
  return {
    form: 'finish',
    finish: judged.finish,
    unsaved: await deferSaves(run, sortByEntry(run, unsaved), saved),
  };
}

async function judgeShielded(
  run: Run,
  names: readonly string[],
  finish: FinishChunk,
  { isRepeated, isNew }: { isRepeated: boolean; isNew: boolean },
): Promise<JudgedResult> {
  const shield = shieldRun(run, { graceMs: SAVE_GRACE_MS, evenStopped: isRepeated });
  try {
    const [saved, stored] = await Promise.allSettled([
      judgeResult(shield.run, names, finish),
      isNew ? run.checkpoint() : undefined,
    ]);
    if (saved.status === 'rejected') throw saved.reason;
    // A cancel that the checkpoint reports is too late; a failure to write it is not.
    if (stored.status === 'rejected') throw stored.reason;
    return saved.value;
  } finally {
    shield.release();
  }
}

/** Sorts by the agent's list: memories are called in this order. */
function sortByEntry<U extends { entry: string }>(run: Run, unsaved: readonly U[]): U[] {
  return listEntries(run.plan, 'processOutputResult').flatMap(({ entry }) =>
    unsaved.filter((one) => one.entry === entry),
  );
}
