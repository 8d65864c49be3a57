// The record of a request that waits for its answer, so that a repetition of the request joins its run. It is settled when
// the client has the answer, or has lost the connection.
import { toHttpError } from '../http/error-status.ts';

/** `answered`: the client has its answer. Otherwise a repetition joins the run, for a minute after the first failure or the loss of the connection. */
export type RequestOutcome = 'answered' | 'failed' | 'broken';
export type OpenedRequest = {
  /** Never rejects: a record that cannot be changed expires. */
  settle(outcome: RequestOutcome): Promise<void>;
};
/** A remembered request. `value`: the id of its run, or the mark of its calls; `until`: the end of the record of a failed run, ms since 1970. */
export type FoundRecord = { value: string; until?: number | undefined };
/** Keeps the mark of a request for its repetitions. */
export type CallMark = {
  /** Returns it if the request is a repetition: a part of its answers may have arrived. */
  find(): Promise<FoundRecord | undefined>;
  open(value: string, found?: FoundRecord): Promise<OpenedRequest>;
};
/** For a protocol without repetitions. */
export const NO_MARK: CallMark = {
  find: async () => undefined,
  open: async () => ({ settle: async () => undefined }),
};

/**
 * The end of an answer. `isSent`: the client was sent all of it; `isGiven`: no repetition needs the run, although the
 * client has lost its connection; `error`: the accepted run has failed, with the status of the answer.
 */
type RequestEnd = { isSent: boolean; isGiven?: boolean } | { isLost: boolean; status: number };

/** Statuses below 500 after which clients repeat a request by themselves. */
const REPEATED: ReadonlySet<number> = new Set([408, 409, 429]);

/** Settles the record of a request. Never rejects. */
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
