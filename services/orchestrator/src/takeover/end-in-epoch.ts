// Ends a run that cannot continue: as failed, in an epoch of its own, with its reason stored as a dead letter.
import type { Command, RunHead, RunState, WireError } from '@millrace/contracts';
import type { Delivery } from '@millrace/bus';
import { keepDeadLetter } from '../saves/dead-letters.ts';
import { createFailedRun } from '../state/failed-run.ts';
import type { Deps } from '../state/run-context.ts';
import type { RunStop } from '../state/run-stop.ts';
import { openRunStore } from '../state/run-store.ts';
import { storeEnding } from './store-ending.ts';
import { openEpoch } from './open-epoch.ts';

export type EpochRequest<C extends Command = Command> = { deps: Deps; delivery: Delivery<C>; stop: RunStop };
type GivenUp = { error: WireError; state?: RunState | undefined };

export async function endInEpoch(
  { deps, delivery, stop }: EpochRequest,
  next: RunHead,
  revision: number,
  { error, state }: GivenUp,
): Promise<undefined> {
  const { access } = deps;
  const store = await openRunStore(access, next, revision);
  // Another orchestrator was faster: the redelivered command reads the head that it wrote.
  if (!store) return undefined;
  const { tenant, runId, agent } = next;
  const { command } = delivery;
  const request = command.command === 'start' ? command.request : state?.request;
  // A dead letter is stored only if the request is known: without it a retry is impossible.
  if (request) await keepDeadLetter(access, { what: 'run', tenant, runId, agent, at: formatNow(), error, request });
  const { chunks, events, close } = openEpoch(access, store, stop);
  try {
    await storeEnding({ access, delivery, store, chunks, events, fenced: stop.fenced }, createFailedRun(runId, error));
  } finally {
    close();
  }
  return undefined;
}

const formatNow = (): string => new Date().toISOString();
