// Defers the save of a memory with an unavailable store: the save is stored with the run's state, and the run ends. If
// a thread has a deferred save, later runs of the thread defer theirs too, because saves of a thread are made in the
// order of its runs.
import type { EntryOutcome, ErrorCode, RunState, StageInput, WireError } from '@millrace/contracts';
import { listEntries, toWireError } from '@millrace/contracts';
import { isDeferrable } from '../calls/call-request.ts';
import type { Run } from '../state/run-context.ts';

/** Codes of failures that a retry can cure: the store, the memory's service or its embedding model is unavailable. */
const AWAY: ReadonlySet<string> = new Set<ErrorCode>([
  'store-unavailable',
  'bus-unreachable',
  'nobody-there',
  'timeout',
  'processor-not-there',
  'processor-timeout',
  'replica-busy',
  'service-failed',
  'session-lost',
  'too-many-requests',
  'model-call-failed',
  'model-idle',
]);
export const isAway = (code: string): boolean => AWAY.has(code);

/** Input of a deferred save: the run's state and the arguments of the stage. */
export type SaveInput = { state: RunState; input: Omit<StageInput, 'conversation' | 'steps'> };
export type UnsavedEntry = { entry: string; error: WireError };

/**
 * Returns the memories that have to wait for an earlier save of the thread. A memory that may not fail is called now.
 */
export function findBlocked(run: Run, names: readonly string[]): UnsavedEntry[] {
  const { tenant, threadId } = run.ref;
  if (!run.deps.saves.isWaiting(tenant, threadId)) return [];
  const entries = listEntries(run.plan, 'processOutputResult').filter(({ entry }) => names.includes(entry));
  return entries.filter(isDeferrable).map(({ entry }) => ({ entry, error: earlier }));
}

const earlier: WireError = {
  code: 'store-unavailable',
  message: 'An earlier run of the thread has not been saved yet.',
};

/** Returns the memories that were skipped and may save later. */
export function listUnsaved(run: Run, skipped: readonly EntryOutcome[]): UnsavedEntry[] {
  return skipped.flatMap(({ entry, error }) =>
    error && isAway(error.code) && run.plan.entries[entry]?.memory ? [{ entry, error }] : [],
  );
}

/**
 * Drops members that memories never read: they are most of a long run's state, and the entry might exceed one message.
 */
function pickMemoryState({ open: _, finish: __, passed: ___, ...state }: RunState): RunState {
  return state;
}

/** Defers the saves and returns their entries. A save that cannot be deferred is lost; its event reports that. */
export async function deferSaves(
  run: Run,
  unsaved: readonly UnsavedEntry[],
  { state, input }: SaveInput,
): Promise<string[]> {
  const [first] = unsaved;
  if (!first) return [];
  const { deps, ref } = run;
  const { tenant, runId, agent, threadId, resourceId } = ref;
  const entries = unsaved.map(({ entry }) => entry);
  const { error } = first;
  const save = {
    tenant,
    runId,
    agent,
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
    entries,
    error,
  };
  try {
    if (!(await deps.saves.add(save, { ref, state: pickMemoryState(state), input }))) {
      deps.log.error({ tenant, runId }, 'save lost: too many deferred saves');
      return [];
    }
  } catch (cause) {
    deps.log.error({ tenant, runId, error: toWireError(cause).message }, 'save lost: could not be deferred');
    return [];
  }
  run.events.record({ event: 'save', outcome: 'put-off', step: state.steps.length, memories: entries, error });
  return entries;
}
