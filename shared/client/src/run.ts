// A run as its caller holds it: its chunks for any number of readers, its result, and the ways to end it.
import type { Chunk, JsonValue, MillraceError, RunResult, RunStatus } from '@millrace/contracts';
import { answerPending, releaseRun } from './answer-pending.ts';
import type { Position, PositionedChunk } from './chunk-merge.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { Ask, Connection } from './connection.ts';
import { learnResult } from './run-result.ts';
import { tryAgain } from './try-again.ts';

export type Run = {
  runId: string;
  /**
   * Every chunk, in order, for each reader from the first. A `retract` chunk {index} says that the chunks from that index on no
   * longer count; a late run's replay leaves those out. Throws coded when it cannot go on: the result may still be learnt. A reader
   * that is too slow gets a `CutOffError` with the position from which `follow` goes on.
   */
  fullStream: AsyncIterable<Chunk>;
  /** The same with each chunk's position, which is what a `retract` counts by, and where `follow` can go on from. */
  positions: AsyncIterable<PositionedChunk>;
  /** The text of the answer as it comes. What a retract takes back has been given by then: it is `result` that is exact. */
  textStream: AsyncIterable<string>;
  /** After the last chunk. Whatever the run ended as is a result; it rejects only when it cannot be learnt. */
  result(): Promise<RunResult>;
  /** Resolves with the status at that moment; the run ends with an `abort` chunk. */
  cancel(): Promise<RunStatus>;
  status(): Promise<RunStatus>;
  /**
   * Answers what the suspended run waits for, whatever it is: a verb for operators. Gives the run as it goes on, from where this reading
   * has ended. @throws resume-token-invalid, resume-token-used, run-not-suspended, suspension-expired
   */
  resume(token: string, data: JsonValue): Promise<Run>;
  /** The same for a question to the caller, whose token stood in the `suspended` chunk. */
  answer(token: string, data: JsonValue): Promise<Run>;
  /** Gives up waiting for an answer: the run ends as `released`. Twice is fine. @throws run-not-suspended */
  release(): Promise<RunStatus>;
};

/** @param answeredTo the epoch up to which what the run waited for has been answered */
export type ReadOn = (from: Position | undefined, answeredTo: number | undefined) => Promise<Run>;

export function createRun(
  runId: string,
  log: ChunkLog,
  connection: Connection,
  closed: AbortSignal,
  readOn: ReadOn,
): Run {
  const { ask, bus } = connection;
  let result: Promise<RunResult> | undefined;
  const iterable = <T>(read: () => AsyncIterator<T>): AsyncIterable<T> => ({ [Symbol.asyncIterator]: read });
  return {
    runId,
    positions: iterable(log.read),
    fullStream: iterable(() => chunksOf(log)),
    textStream: iterable(() => textOf(log)),
    result: () => (result ??= resultOf(runId, log, ask, closed)),
    async cancel() {
      const cancelling = () => ask('cancel', {}, { run: runId, signal: closed });
      return (await tryAgain(`cancelling ${runId}`, bus.log, closed, cancelling)).status;
    },
    status: async () => (await ask('run', {}, { run: runId })).status,
    async resume(token, data) {
      const { epoch } = await answerPending(connection, 'resume', { runId, token, data }, closed);
      return readOn(after(log.last()), epoch);
    },
    async answer(token, data) {
      const { epoch } = await answerPending(connection, 'answer', { runId, token, data }, closed);
      return readOn(after(log.last()), epoch);
    },
    release: () => releaseRun(connection, runId, closed),
  };
}

const after = (last: PositionedChunk | undefined): Position | undefined =>
  last && { epoch: last.epoch, index: last.index + 1 };

async function* chunksOf(log: ChunkLog): AsyncGenerator<Chunk, void, undefined> {
  for await (const { chunk } of log.read()) yield chunk;
}

async function* textOf(log: ChunkLog): AsyncGenerator<string, void, undefined> {
  for await (const { chunk } of log.read()) if (chunk.type === 'text-delta') yield chunk.payload.text;
}

async function resultOf(runId: string, log: ChunkLog, ask: Ask, closed: AbortSignal): Promise<RunResult> {
  const broken: MillraceError | undefined = await log.outcome;
  // A reader that was stopped from outside is no longer interested; one that could not go on still wants the result.
  if (broken?.code === 'cancelled') throw broken;
  return learnResult((signal) => ask('run', {}, { run: runId, signal }), runId, closed);
}
