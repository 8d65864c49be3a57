// Calls only the history of a run that ends without a result of its model, to store its messages.
import {
  listEntries,
  readMemoryKey,
  type PlanEntry,
  type RunState,
  type StageInput,
  type WireError,
} from '@millrace/contracts';
import { callProcessors } from '../calls/call-processors.ts';
import { createFold, foldVerdict } from '../calls/verdict-fold.ts';
import { deferSaves, findBlocked, listUnsaved, type SaveInput } from './defer-saves.ts';
import type { Run } from '../state/run-context.ts';
import { isGivenAway } from '../state/run-stop.ts';
import { withStoredTexts } from '../state/stored-texts.ts';
import { shieldRun } from '../state/shield-run.ts';

/** Grace period of a save in progress when the run is stopped, ms. */
export const SAVE_GRACE_MS = 750;

const CUT_OFF: WireError = { code: 'store-unavailable', message: 'The run was stopped before its memory had saved.' };
const STAGE = 'processOutputResult';

export const listHistories = ({ plan }: Pick<Run, 'plan'>): PlanEntry[] =>
  listEntries(plan, STAGE).filter((entry) => readMemoryKey(entry.processor, entry) === 'lastMessages');

/**
 * Returns the deferred saves. @param state with the conversation to store
 * @param evenStopped the save begins although the run was stopped
 */
export async function saveHistory(
  run: Run,
  state: RunState,
  answer: SaveInput['input'],
  evenStopped = false,
): Promise<string[]> {
  const { steps } = state;
  const conversation = withStoredTexts(run.plan, state.conversation, state.stored);
  const input: StageInput = { ...answer, steps, conversation };
  const savers = listHistories(run);
  const unsaved = findBlocked(
    run,
    savers.map(({ entry }) => entry),
  );
  const shield = shieldRun(run, { graceMs: SAVE_GRACE_MS, evenStopped });
  for (const saver of savers) {
    if (unsaved.some(({ entry }) => entry === saver.entry)) continue;
    const started = performance.now();
    const saving = callProcessors(shield.run, [saver], { stage: STAGE, input, receiveData: () => undefined });
    const judged = await Array.fromAsync(saving);
    const { outcomes } = judged.reduce(foldVerdict, createFold(input));
    unsaved.push(...listUnsaved(run, outcomes));
    // The grace period of a stopped run is shorter than the retries of a memory: the call is cut off then, without an outcome.
    const isCutOff = outcomes.length === 0 || outcomes.some(({ error }) => error?.code === 'cancelled');
    if (isCutOff && !isGivenAway(run.signal)) unsaved.push({ entry: saver.entry, error: CUT_OFF });
    const ms = performance.now() - started;
    run.events.record({ event: 'stage', stage: STAGE, step: steps.length, ms, entries: outcomes });
  }
  shield.release();
  return deferSaves(run, unsaved, { state: { ...state, conversation }, input: answer });
}
