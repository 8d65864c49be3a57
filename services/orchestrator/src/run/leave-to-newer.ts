// A run that a newer version of the orchestrator has written is left to that version: its command is handed back until an orchestrator that can
// read it pulls it. Only after the run's deadline does this version end it.
import { MillraceError, type Command } from '@millrace/contracts';
import type { Asked } from './end-in-epoch.ts';

/** Time for an orchestrator of the newer version to pull the command, ms. */
const WAIT_MS = 2_000;

/** Hands the command back if a newer version wrote the run. @returns whether it did */
export function leaveToNewer({ deps, delivery }: Asked, error: unknown): boolean {
  const { command } = delivery;
  if (!MillraceError.isInstance(error) || error.code !== 'stored-by-newer') return false;
  if (isPastDeadline(command, deps.access.clock.now())) return false;
  const { tenant, runId } = command.request;
  deps.log.warn({ tenant, runId, error: error.message }, 'a run of a newer version is left to that version');
  delivery.putOff(WAIT_MS);
  return true;
}

const isPastDeadline = ({ submittedAt, request }: Command, now: number): boolean =>
  now > submittedAt + request.deadlineMs;
