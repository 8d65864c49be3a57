// A request that waits for its answer, so that a repetition of the request joins its run. It ends when the client has the answer, or has lost
// the connection.
import { toHttpError } from '../http/error-status.ts';
import type { StreamDelivery } from '../http/event-stream.ts';
import type { RequestEnd } from './request-record.ts';

export type OpenedRequest = {
  /** Never rejects: a record that cannot be changed expires. */
  end(end: RequestEnd): Promise<void>;
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
  open: async () => ({ end: async () => undefined }),
};

/** Ends a request with an answer of a run that does not end with its client. */
export const endAnswered = async (opened: OpenedRequest | undefined, end: StreamDelivery): Promise<void> =>
  opened?.end(end === 'sent' ? 'sent' : 'cut');

/** Ends a request without an accepted run. If the server has failed, it may accept the run later: a repetition joins it. */
export async function endRefused(opened: OpenedRequest, error: unknown): Promise<never> {
  await opened.end(toHttpError(error).status < 500 ? 'sent' : 'cut');
  throw error;
}
