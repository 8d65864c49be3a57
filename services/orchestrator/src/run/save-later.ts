// Makes the saves that were put off: each orchestrator looks for those that are due, the first of each thread, and whoever writes its entry
// is at it. What fails again waits longer; what has waited too long, or will never do, is a dead letter.
import {
  entriesOf,
  toWireError,
  type EntryOutcome,
  type KeptSave,
  type PutOffSave,
  type WireError,
} from '@millrace/contracts';
import { publishDurably } from '@millrace/bus';
import { callProcessors } from '../stages/call-processors.ts';
import { emptyFold, foldVerdict } from '../stages/verdict-fold.ts';
import { SHARD } from '../state/event-log.ts';
import { keepDeadLetter } from '../state/dead-letters.ts';
import type { Waiting } from '../state/put-off-saves.ts';
import { createRun, type Deps, type Run } from '../state/run-context.ts';
import { isAway } from './put-off.ts';

const LOOK_EVERY_MS = 1_000;
/** Saves that are tried at once. */
const MAX_SAVES_AT_ONCE = 8;
/** One try at most, whatever its memories may take. A try that was lost with its orchestrator is repeated after it. */
const TRY_MS = 120_000;
/** Between two tries: doubled from the first on. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Tries without an answer in time, after which a save is a dead letter: its text may block the memory for all runs. */
const MAX_TIMEOUTS = 6;
/** Between tries from the second timeout on: doubled with each, so that the last one starts about half an hour after the first. */
const TIMEOUT_WAIT_MS = 60_000;

export type SaverOptions = {
  /** A save that has waited longer becomes a dead letter. */
  giveUpAfterMs: number;
  /** A save that timed out so often becomes a dead letter. */
  maxTimeouts?: number;
  lookEveryMs?: number;
  /** Between two tries, ms. */
  waitMs?: typeof nextWaitMs;
};

/** Returns what stops it: saves under way are given up, and made by somebody else. */
export function startSaver(
  deps: Deps,
  { lookEveryMs = LOOK_EVERY_MS, maxTimeouts = MAX_TIMEOUTS, waitMs = nextWaitMs, giveUpAfterMs }: SaverOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const look = () => {
    for (const waiting of deps.saves.due(deps.access.clock.now())) {
      const { tenant, runId } = waiting.value;
      const key = `${tenant}.${runId}`;
      if (stopping.signal.aborted || underWay.size >= MAX_SAVES_AT_ONCE) return;
      if (underWay.has(key)) continue;
      const trying = tryOnce(deps, waiting, { giveUpAfterMs, maxTimeouts, waitMs }, stopping.signal)
        .catch((error: unknown) => {
          deps.log.warn(
            { tenant, runId, error: toWireError(error).message },
            'a save that was put off cannot be made now',
          );
          return false;
        })
        .then((isMade) => {
          underWay.delete(key);
          // The next one of the thread need not wait.
          if (isMade) look();
        });
      underWay.set(key, trying);
    }
  };
  const looking = setInterval(look, lookEveryMs);
  return async () => {
    clearInterval(looking);
    stopping.abort();
    await Promise.all(underWay.values());
  };
}

/** Whether it no longer waits. */
async function tryOnce(
  deps: Deps,
  found: Waiting,
  { giveUpAfterMs, maxTimeouts, waitMs }: Required<Omit<SaverOptions, 'lookEveryMs'>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { saves } = deps;
  const { clock } = deps.access;
  const waiting = await saves.change(found, { tries: found.value.tries + 1, nextAt: clock.now() + TRY_MS });
  if (!waiting) return false;
  const { value: save } = waiting;
  const kept = await saves.read(save);
  if (!kept) return giveUp(deps, waiting, gone);
  const failed = (await askMemories(deps, save, kept, signal)).filter(hasNotSaved);
  // It was stopped: whoever is there tries again at once.
  if (signal.aborted) return (await saves.change(waiting, { nextAt: clock.now() }), false);
  const [first] = failed;
  if (!first) {
    await tell(deps, save, kept, 'saved');
    await saves.remove(waiting, true);
    return true;
  }
  const error = first.error ?? gone;
  const entries = failed.map(({ entry }) => entry);
  const isHopeless = failed.every((one) => one.error && !isAway(one.error.code));
  const timeouts = save.timeouts + (failed.some((one) => one.error?.code === 'processor-timeout') ? 1 : 0);
  if (isHopeless || timeouts >= maxTimeouts || clock.now() - save.since > giveUpAfterMs) {
    await tell(deps, save, kept, 'given-up', error);
    return giveUp(deps, waiting, error);
  }
  await saves.change(waiting, { entries, error, timeouts, nextAt: clock.now() + waitMs(save.tries, timeouts) });
  return false;
}

const gone: WireError = { code: 'store-unavailable', message: 'What was to be saved is no longer kept.' };
export const nextWaitMs = (tries: number, timeouts: number): number =>
  timeouts > 1
    ? TIMEOUT_WAIT_MS * 2 ** (timeouts - 2)
    : Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 16), MAX_WAIT_MS);
/** A later owner of the run has saved: nothing is left to do. */
const hasNotSaved = ({ error }: EntryOutcome): boolean => error !== undefined && error.code !== 'save-superseded';

async function giveUp(deps: Deps, waiting: Waiting, error: WireError): Promise<boolean> {
  const { tenant, runId, agent } = waiting.value;
  deps.log.error({ tenant, runId, error: error.message }, 'a save that was put off is given up: it is a dead letter');
  const at = new Date().toISOString();
  await keepDeadLetter(deps.access, { what: 'save', tenant, runId, agent, at, error, save: waiting.value });
  await deps.saves.remove(waiting, false);
  return true;
}

/** processOutputResult of the memories that have not saved, on the run as it was. What they say of it now changes nothing. */
async function askMemories(
  deps: Deps,
  { entries }: PutOffSave,
  kept: KeptSave,
  signal: AbortSignal,
): Promise<EntryOutcome[]> {
  const { conversation, steps } = kept.state;
  const input = { ...kept.input, conversation, steps };
  const run = silentRun(deps, kept, AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]));
  const plan = entriesOf(run.plan, 'processOutputResult').filter(({ entry }) => entries.includes(entry));
  const asked = callProcessors(run, plan, { stage: 'processOutputResult', input, onData: () => undefined });
  const judged = await Array.fromAsync(asked);
  const outcomes = judged.reduce(foldVerdict, emptyFold(input)).outcomes;
  const left = plan.slice(outcomes.length);
  return [...outcomes, ...left.map((entry) => ({ ...notAsked, entry: entry.entry, processor: entry.processor }))];
}

const notAsked = {
  verdict: 'failure',
  ms: 0,
  attempts: 1,
  error: { code: 'timeout' as const, message: 'It was not asked in time.' },
};

/** A run that is over: nothing of it is published or stored any more. */
function silentRun(deps: Deps, { ref, state }: KeptSave, signal: AbortSignal): Run {
  const over = () => Promise.reject(new Error('the run is over'));
  const nothing = async () => undefined;
  return createRun({
    ref,
    deadlineAt: performance.now() + TRY_MS,
    deps,
    chunks: {
      nextIndex: () => 0,
      publish: () => undefined,
      publishLast: () => undefined,
      flush: nothing,
      close: () => undefined,
    },
    events: { record: () => undefined, flush: nothing, close: () => undefined },
    signal,
    isLeaving: () => false,
    store: {
      head: () => {
        throw new Error('the run is over');
      },
      write: over,
      record: over,
      keepEnd: over,
    },
    first: state,
  });
}

async function tell(
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
