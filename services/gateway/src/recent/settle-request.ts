// Settles the record of a request when its client has the answer, or has lost the connection.
import { toHttpError } from '../http/error-status.ts';
import type { OpenedRequest, RequestOutcome } from './open-request.ts';

/**
 * The end of an answer. `isSent`: the client was sent all of it; `isGiven`: no repetition needs the run, although the
 * client has lost its connection; `error`: the accepted run has failed, with the status of the answer.
 */
export type RequestEnd = { isSent: boolean; isGiven?: boolean } | { isLost: boolean; status: number };

/** Statuses below 500 after which clients repeat a request by themselves. */
const REPEATED: ReadonlySet<number> = new Set([408, 409, 429]);

/** Never rejects. */
export const settleRequest = async (opened: OpenedRequest | undefined, end: RequestEnd): Promise<void> =>
  opened?.settle(chooseOutcome(end));

/** Clients that count no attempts repeat their request after some statuses. */
function chooseOutcome(end: RequestEnd): RequestOutcome {
  if ('isSent' in end) return end.isSent || end.isGiven === true ? 'answered' : 'broken';
  if (end.isLost) return 'broken';
  return end.status >= 500 || REPEATED.has(end.status) ? 'failed' : 'answered';
}

/** Settles a request without an accepted run. If the server has failed, it may accept the run later: a repetition joins it. */
export async function settleFailed(opened: OpenedRequest, error: unknown): Promise<never> {
  await settleRequest(opened, { isSent: toHttpError(error).status < 500 });
  throw error;
}
