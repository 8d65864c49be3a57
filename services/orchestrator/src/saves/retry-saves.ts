// Retries deferred saves. Each orchestrator looks for saves that are due, the first of each thread; the one that writes
// the entry makes the save. The wait grows with each failure; a save that has waited too long or cannot succeed becomes
// a dead letter.
import {
  listEntries,
  toWireError,
  type EntryOutcome,
  type KeptSave,
  type PutOffSave,
  type WireError,
} from '@millrace/contracts';
import { publishDurably } from '@millrace/bus';
import { callProcessors } from '../calls/call-processors.ts';
import { createFold, foldVerdict } from '../calls/verdict-fold.ts';
import { startDueAttempts } from '../streams/attempt-due.ts';
import { SHARD } from '../state/event-log.ts';
import { keepDeadLetter } from './dead-letters.ts';
import type { DeferredSaves, WaitingSave } from './deferred-saves.ts';
import { createRun, type Deps, type Run } from '../state/run-context.ts';
import { isAway } from './defer-saves.ts';

const CHECK_EVERY_MS = 1_000;
/** Concurrent attempts. */
const MAX_SAVES_AT_ONCE = 8;
/**
 * Time limit of one attempt, whatever timeouts its memories have. If its orchestrator is lost, the attempt is repeated
 * after it.
 */
const TRY_MS = 120_000;
/** Wait after the first attempt; doubles with each further one. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Number of timeouts after which a save becomes a dead letter: its text may block the memory for all runs. */
const MAX_TIMEOUTS = 6;
/**
 * Wait after the second timeout; doubles with each further one, so that the last attempt starts about half an hour
 * after the first.
 */
const TIMEOUT_WAIT_MS = 60_000;

type SaverDeps = Deps & { saves: DeferredSaves };

export type SaverOptions = {
  /** Maximum wait of a save before it becomes a dead letter. */
  giveUpAfterMs: number;
  /** Number of timeouts after which a save becomes a dead letter. */
  maxTimeouts?: number;
  checkEveryMs?: number;
  /** Returns the wait between two attempts, ms. */
  waitMs?: typeof computeWaitMs;
};

/** Returns a function that stops the saver: saves in progress are released to another orchestrator. */
export function startSaver(
  deps: SaverDeps,
  { checkEveryMs = CHECK_EVERY_MS, maxTimeouts = MAX_TIMEOUTS, waitMs = computeWaitMs, giveUpAfterMs }: SaverOptions,
): () => Promise<void> {
  const { saves, access, log } = deps;
  const limits = { giveUpAfterMs, maxTimeouts, waitMs };
  return startDueAttempts<WaitingSave>({
    listDue: () => saves.listDue(access.clock.now()),
    getKey: ({ value: { tenant, runId } }) => `${tenant}.${runId}`,
    // When a save was made or abandoned, the next one of its thread is due.
    attempt: (waiting, stopping) => tryOnce(deps, waiting, limits, stopping),
    onError(error, { value: { tenant, runId } }) {
      log.warn({ tenant, runId, error: toWireError(error).message }, 'deferred save failed, retrying later');
    },
    pollEveryMs: checkEveryMs,
    maxAtOnce: MAX_SAVES_AT_ONCE,
  });
}

/** Returns whether the save was made or abandoned. */
async function tryOnce(
  deps: SaverDeps,
  found: WaitingSave,
  { giveUpAfterMs, maxTimeouts, waitMs }: Required<Omit<SaverOptions, 'checkEveryMs'>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { saves } = deps;
  const { clock } = deps.access;
  const waiting = await saves.change(found, { tries: found.value.tries + 1, nextAt: clock.now() + TRY_MS });
  if (!waiting) return false;
  const { value: save } = waiting;
  const kept = await saves.readKept(save);
  if (!kept) return giveUp(deps, waiting, expired);
  const failed = (await askMemories(deps, save, kept, signal)).filter(hasNotSaved);
  // The saver is stopping: another orchestrator may retry at once.
  if (signal.aborted) return (await saves.change(waiting, { nextAt: clock.now() }), false);
  const [first] = failed;
  if (!first) {
    await reportSave(deps, save, kept, 'saved');
    await saves.remove(waiting, true);
    return true;
  }
  const error = first.error ?? expired;
  const entries = failed.map(({ entry }) => entry);
  const isHopeless = failed.every((one) => one.error && !isAway(one.error.code));
  const timeouts = save.timeouts + (failed.some((one) => one.error?.code === 'processor-timeout') ? 1 : 0);
  if (isHopeless || timeouts >= maxTimeouts || clock.now() - save.since > giveUpAfterMs) {
    await reportSave(deps, save, kept, 'given-up', error);
    return giveUp(deps, waiting, error);
  }
  await saves.change(waiting, { entries, error, timeouts, nextAt: clock.now() + waitMs(save.tries, timeouts) });
  return false;
}

const expired: WireError = { code: 'store-unavailable', message: 'The input of the save has expired.' };
export const computeWaitMs = (tries: number, timeouts: number): number =>
  timeouts > 1
    ? TIMEOUT_WAIT_MS * 2 ** (timeouts - 2)
    : Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 16), MAX_WAIT_MS);
/** Returns false if a later owner of the run has saved: no save is left to make. */
const hasNotSaved = ({ error }: EntryOutcome): boolean => error !== undefined && error.code !== 'save-superseded';

async function giveUp(deps: SaverDeps, waiting: WaitingSave, error: WireError): Promise<boolean> {
  const { tenant, runId, agent } = waiting.value;
  deps.log.error({ tenant, runId, error: error.message }, 'deferred save abandoned: stored as a dead letter');
  const at = new Date().toISOString();
  await keepDeadLetter(deps.access, { what: 'save', tenant, runId, agent, at, error, save: waiting.value });
  await deps.saves.remove(waiting, false);
  return true;
}

/** Calls processOutputResult of the memories that have not saved, on the stored run. Their verdicts change nothing. */
async function askMemories(
  deps: SaverDeps,
  { entries }: PutOffSave,
  kept: KeptSave,
  signal: AbortSignal,
): Promise<EntryOutcome[]> {
  const { conversation, steps } = kept.state;
  const input = { ...kept.input, conversation, steps };
  const run = createSilentRun(deps, kept, AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]));
  const plan = listEntries(run.plan, 'processOutputResult').filter(({ entry }) => entries.includes(entry));
  const asked = callProcessors(run, plan, { stage: 'processOutputResult', input, receiveData: () => undefined });
  const judged = await Array.fromAsync(asked);
  const outcomes = judged.reduce(foldVerdict, createFold(input)).outcomes;
  const left = plan.slice(outcomes.length);
  return [...outcomes, ...left.map((entry) => ({ ...notAsked, entry: entry.entry, processor: entry.processor }))];
}

const notAsked = {
  verdict: 'failure',
  ms: 0,
  attempts: 1,
  error: { code: 'timeout' as const, message: 'The memory was not called in time.' },
};

/** Returns a run that has ended: nothing is published or stored through it. */
function createSilentRun(deps: SaverDeps, { ref, state }: KeptSave, signal: AbortSignal): Run {
  const rejectAsOver = () => Promise.reject(new Error('the run is over'));
  const doNothing = async () => undefined;
  return createRun({
    ref,
    deadlineAt: performance.now() + TRY_MS,
    deps,
    chunks: {
      getNextIndex: () => 0,
      publish: () => undefined,
      publishLast: () => undefined,
      flush: doNothing,
      close: () => undefined,
    },
    events: { record: () => undefined, flush: doNothing, close: () => undefined },
    signal,
    isLeaving: () => false,
    store: {
      getHead: () => {
        throw new Error('the run is over');
      },
      write: rejectAsOver,
      record: rejectAsOver,
      keepEnd: rejectAsOver,
    },
    first: state,
  });
}

async function reportSave(
  { access }: Deps,
  save: PutOffSave,
  { ref, state }: KeptSave,
  outcome: 'saved' | 'given-up',
  error?: WireError,
) {
  const { tenant, runId, entries, since, tries } = save;
  const { epoch } = ref;
  const at = new Date().toISOString();
  const event = {
    event: 'save',
    at,
    epoch,
    step: state.steps.length,
    outcome,
    memories: entries,
    ...(error && { error }),
  };
  const subject = access.bus.subjects.events(SHARD, tenant, runId);
  await publishDurably(access, subject, { events: [event] }, `${tenant}.${runId}.${epoch}.save-${since}-${tries}`);
}
