// The position at which a request continues a run: a repetition of the request reads from there again.
import type { Client, Run } from '@millrace/client';
import { MillraceError, usageSchema, type JsonValue, type Position, type Usage } from '@millrace/contracts';
import { z } from 'zod';
import { parseStored } from '../recent/request-record.ts';
import { type CallMark, type FoundRecord, type OpenedRequest, endRefused } from '../recent/open-request.ts';

const markSchema = z.object({
  /** Position behind the calls, or behind the question. */
  from: z.object({ epoch: z.int().min(1), index: z.int().min(0) }),
  /** Usage up to there. */
  before: usageSchema,
  /** The run and the id of a question that a text answers. */
  question: z.object({ runId: z.string(), id: z.string() }).optional(),
});
export type Mark = z.output<typeof markSchema>;
export type Decision = { token: string; data: JsonValue };
export type MarkedRun = { run: Run; before: Usage };
type GivenAnswers = {
  client: Client;
  runId: string;
  answers: readonly Decision[];
  left: AbortSignal;
  /** An answer of another request that has arrived first is an error, unless this request is a repetition. */
  isExclusive?: boolean;
};

/**
 * Continues a run behind its mark, which is kept first: a gateway that is killed in between leaves a trace.
 * @param found of the request that this one repeats
 */
export async function openAndContinue(
  mark: CallMark,
  marked: Mark,
  parts: GivenAnswers,
  found?: FoundRecord,
): Promise<MarkedRun & { opened: OpenedRequest }> {
  const opened = await mark.open(found?.value ?? writeMark(marked), found);
  const isExclusive = parts.isExclusive === true && found === undefined;
  const continued = await continueAt(marked, { ...parts, isExclusive }).catch((error: unknown) =>
    endRefused(opened, error),
  );
  return { ...continued, opened };
}

/**
 * Gives all answers, and reads the run from its mark on. @throws resume-token-used after the last answer if the answers are exclusive
 */
export async function continueAt({ from, before }: Mark, parts: GivenAnswers): Promise<MarkedRun> {
  const { client, runId, answers, left, isExclusive } = parts;
  const used = await giveAnswers(parts);
  if (isExclusive && used.length > 0) throw used[0];
  const answered = { answeredTo: from.epoch, answeredTokens: answers.map(({ token }) => token) };
  return { run: await client.follow(runId, { from, ...answered, signal: left }), before };
}

/**
 * Gives all answers. The run continues with the last one, so that a reader finds no suspension in between. An answer that another request has
 * given keeps no other one from the run: if that request ended before its last answer, the run would wait until its expiry. Returns the errors of
 * the answers that were given before.
 */
export async function giveAnswers({
  client,
  runId,
  answers,
}: Pick<GivenAnswers, 'client' | 'runId' | 'answers'>): Promise<MillraceError[]> {
  const used: MillraceError[] = [];
  for (const [at, { token, data }] of answers.entries())
    await client.runs.answer(runId, token, data, { hold: at < answers.length - 1 }).catch((error: unknown) => {
      if (!MillraceError.isInstance(error) || error.code !== 'resume-token-used') throw error;
      used.push(error);
    });
  return used;
}

/** Reads to the end. Returns the position behind it. */
export async function readEnd(run: Run): Promise<Position> {
  let end: Position = { epoch: 1, index: 1 };
  for await (const { epoch, index } of run.positions) end = { epoch, index: index + 1 };
  return end;
}

const writeMark = (mark: Mark): string => JSON.stringify(mark);

/** A remembered request with its mark. */
export type FoundMark = { found: FoundRecord; marked: Mark };

/** Returns undefined for a request that is no repetition, and for a damaged mark. */
export async function findMark(mark: CallMark): Promise<FoundMark | undefined> {
  const found = await mark.find();
  const marked = parseStored(markSchema, found?.value);
  return found && marked && { found, marked };
}
