// Ends a run that nobody can go on with: in an epoch of its own, as failed, with its reason kept as a dead letter.
import type { Command, RunHead, RunState, WireError } from '@millrace/contracts';
import type { Delivery } from '@millrace/bus';
import { keepDeadLetter } from '../state/dead-letters.ts';
import { failedRun } from '../state/ended-run.ts';
import type { Deps } from '../state/run-context.ts';
import type { RunStop } from '../state/run-stop.ts';
import { openRunStore } from '../state/run-store.ts';
import { storeEnding } from '../state/store-ending.ts';
import { openEpoch } from './open-epoch.ts';

export type Asked<C extends Command = Command> = { deps: Deps; delivery: Delivery<C>; stop: RunStop };
type GivenUp = { error: WireError; state?: RunState | undefined };

export async function endInEpoch(
  { deps, delivery, stop }: Asked,
  next: RunHead,
  revision: number,
  { error, state }: GivenUp,
): Promise<undefined> {
  const { access } = deps;
  const store = await openRunStore(access, next, revision);
  // Another orchestrator was faster: what it wrote is read when the command comes again.
  if (!store) return undefined;
  const { tenant, runId, agent } = next;
  const { command } = delivery;
  const request = command.command === 'start' ? command.request : state?.request;
  // Without its request nobody could repeat it.
  if (request) await keepDeadLetter(access, { what: 'run', tenant, runId, agent, at: now(), error, request });
  const { chunks, events, close } = openEpoch(access, store, stop);
  try {
    await storeEnding({ access, delivery, store, chunks, events, fenced: stop.fenced }, failedRun(runId, error));
  } finally {
    close();
  }
  return undefined;
}

const now = (): string => new Date().toISOString();
