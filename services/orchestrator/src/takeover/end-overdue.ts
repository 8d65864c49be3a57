// Ends a queued run after its deadline. Its submitter may have been killed between the head and the command, so that no command ever
// starts it; if a command waits, the run would fail with the same code when it is delivered. Readers of the head call this: no scan is needed.
import type { RunHead, WireError } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { endUndriven } from './end-undriven.ts';
import { readHead } from '../state/run-head.ts';

/** The clocks of submitter and reader may differ by this. ms */
const CLOCK_MARGIN_MS = 30_000;

export const isOverdue = ({ status, deadlineAt }: Pick<RunHead, 'status' | 'deadlineAt'>, now: number): boolean =>
  status === 'queued' && now > deadlineAt + CLOCK_MARGIN_MS;

/** @returns the head as it is afterwards. @throws bus-unreachable, store-unavailable */
export async function endIfOverdue(access: JetStreamAccess, head: RunHead): Promise<RunHead> {
  const isMeant = (there: RunHead) => isOverdue(there, access.clock.now());
  if (!isMeant(head)) return head;
  await endUndriven(access, head, { status: 'failed', error: neverBegun }, isMeant);
  return (await readHead(access, head.tenant, head.runId))?.value ?? head;
}

const neverBegun: WireError = {
  code: 'run-deadline-exceeded',
  message: 'No orchestrator began the run before its deadline.',
  remedy: 'Submit the request again under a new run id, with a larger deadlineMs if the queue is long.',
};
