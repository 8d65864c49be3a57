// The record of a request that waits for its answer, so that a repetition of the request joins its run.

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
