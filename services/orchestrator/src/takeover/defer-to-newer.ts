// A run that a newer version of the orchestrator has written is left to that version: its command is handed back until an orchestrator that can
// read it pulls it. Only after the run's deadline does this version end it.
import { MillraceError, timings, type Command } from '@millrace/contracts';
import type { EpochRequest } from './end-in-epoch.ts';

/** Hands the command back if a newer version wrote the run. @returns whether it did */
export function deferIfNewer({ deps, delivery }: EpochRequest, error: unknown): boolean {
  const { command } = delivery;
  if (!MillraceError.isInstance(error) || error.code !== 'stored-by-newer') return false;
  if (isPastDeadline(command, deps.access.clock.now())) return false;
  const { tenant, runId } = command.request;
  deps.log.warn({ tenant, runId, error: error.message }, 'a run of a newer version is left to that version');
  delivery.putOff(timings.newerVersionMs);
  return true;
}

const isPastDeadline = ({ submittedAt, request }: Command, now: number): boolean =>
  now > submittedAt + request.deadlineMs;
