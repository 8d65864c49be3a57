// A memory's save whose store is away is not lost: it is put off, with the run's state, and the run ends. A run whose thread has such a save
// waiting puts off its own too: saves of a thread are made in the order of its runs.
import type { EntryOutcome, ErrorCode, RunState, StageInput, WireError } from '@millrace/contracts';
import { entriesOf, toWireError } from '@millrace/contracts';
import { isDeferrable } from '../state/put-off-saves.ts';
import type { Run } from '../state/run-context.ts';

/** The store, the memory or what it embeds with is away. Anything else would be the same later. */
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

/** What a save is made of: the run as memory was to see it, and what else it is told. */
export type Saved = { state: RunState; input: Omit<StageInput, 'conversation' | 'steps'> };
export type Unsaved = { entry: string; error: WireError };

/** The memories among the entries that come after a save that waits; where the agent says that memory may not fail, it is asked now. */
export function behindOthers(run: Run, names: readonly string[]): Unsaved[] {
  const { tenant, threadId } = run.ref;
  if (!run.deps.saves.isWaiting(tenant, threadId)) return [];
  const entries = entriesOf(run.plan, 'processOutputResult').filter(({ entry }) => names.includes(entry));
  return entries.filter(isDeferrable).map(({ entry }) => ({ entry, error: earlier }));
}

const earlier: WireError = {
  code: 'store-unavailable',
  message: 'An earlier run of the thread has not been saved yet.',
};

/** The memories that were skipped and may save later. */
export function unsavedOf(run: Run, skipped: readonly EntryOutcome[]): Unsaved[] {
  return skipped.flatMap(({ entry, error }) =>
    error && isAway(error.code) && run.plan.entries[entry]?.memory ? [{ entry, error }] : [],
  );
}

/** What memories are not shown is most of a long run's state: with it what is kept might be too large for a message. */
function memorysPart({ open: _, finish: __, passed: ___, ...state }: RunState): RunState {
  return state;
}

/** Which of them will save later. What cannot be put off is lost, as its event has said. */
export async function putOff(run: Run, unsaved: readonly Unsaved[], { state, input }: Saved): Promise<string[]> {
  const [first] = unsaved;
  if (!first) return [];
  const { deps, ref } = run;
  const { tenant, runId, agent, threadId } = ref;
  const entries = unsaved.map(({ entry }) => entry);
  const { error } = first;
  const save = { tenant, runId, agent, ...(threadId !== undefined && { threadId }), entries, error };
  try {
    if (!(await deps.saves.add(save, { ref, state: memorysPart(state), input }))) {
      deps.log.error({ tenant, runId }, 'a save is lost: too many are put off already');
      return [];
    }
  } catch (cause) {
    deps.log.error({ tenant, runId, error: toWireError(cause).message }, 'a save is lost: it could not be put off');
    return [];
  }
  run.events.record({ event: 'save', outcome: 'put-off', step: state.steps.length, memories: entries, error });
  return entries;
}
