// The position at which a request continues a run: a repetition of the request reads from there again.
import type { Client, Run } from '@millrace/client';
import { toHttpError } from '../http/error-status.ts';
import { MillraceError, type JsonValue, type Position, type Usage } from '@millrace/contracts';

/** `answered`: the client has its answer. Otherwise a repetition joins the run, for a minute after the first failure or the loss of the connection. */
export type Outcome = 'answered' | 'failed' | 'broken';
/** A request that waits for its answer. */
export type OpenRequest = {
  settle(outcome: Outcome): Promise<void>;
};
/** A remembered request. `value`: the id of its run, or the mark of its calls; `until`: the end of the record of a failed run, ms since 1970. */
export type Found = { value: string; until?: number | undefined };
/** Keeps the mark of a request for its repetitions. */
export type CallMark = {
  /** Returns it if the request is a repetition: a part of its answers may have arrived. */
  find(): Promise<Found | undefined>;
  open(value: string, found?: Found): Promise<OpenRequest>;
};
/** For a protocol without repetitions. */
export const NO_MARK: CallMark = {
  find: async () => undefined,
  open: async () => ({ settle: async () => undefined }),
};

export type Mark = {
  /** Position behind the calls, or behind the question. */
  from: Position;
  /** Usage up to there. */
  before: Usage;
  /** The run and the id of a question that a text answers. */
  question?: { runId: string; id: string };
};
export type Decision = { token: string; data: JsonValue };
export type MarkedRun = { run: Run; before: Usage };
type GivenAnswers = { client: Client; runId: string; answers: readonly Decision[]; left: AbortSignal };

/**
 * Continues a run behind its mark, which is kept first: a gateway that is killed in between leaves a trace.
 * @param found of the request that this one repeats
 */
export async function openAndContinue(
  mark: CallMark,
  marked: Mark,
  parts: GivenAnswers,
  found?: Found,
): Promise<MarkedRun & { opened: OpenRequest }> {
  const opened = await mark.open(found?.value ?? writeMark(marked), found);
  const continued = await continueAt(marked, parts).catch((error: unknown) => settleFailed(opened, error));
  return { ...continued, opened };
}

/** After an error of the server the request may have been accepted: its repetition joins the run. */
export async function settleFailed(opened: OpenRequest, error: unknown): Promise<never> {
  await opened.settle(toHttpError(error).status >= 500 ? 'broken' : 'answered');
  throw error;
}

/** A result that has arrived with an earlier request counts. */
async function continueAt({ from, before }: Mark, parts: GivenAnswers): Promise<MarkedRun> {
  const { client, runId, answers, left } = parts;
  for (const [at, { token, data }] of answers.entries())
    await client.runs.answer(runId, token, data, { hold: at < answers.length - 1 }).catch(ignoreUsed);
  return { run: await client.follow(runId, { from, answeredTo: from.epoch, signal: left }), before };
}

function ignoreUsed(error: unknown): void {
  if (!MillraceError.isInstance(error) || error.code !== 'resume-token-used') throw error;
}

/** Reads to the end. Returns the position behind it. */
export async function readEnd(run: Run): Promise<Position> {
  let end: Position = { epoch: 1, index: 1 };
  for await (const { epoch, index } of run.positions) end = { epoch, index: index + 1 };
  return end;
}

const writeMark = (mark: Mark): string => JSON.stringify(mark);

/** The gateway itself has written the mark. */
export function readMark(text: string): Mark {
  const mark: Mark = JSON.parse(text);
  return mark;
}
