// Implements a caller's run: its chunks for any number of readers, its result, and cancel, resume and release.
import type {
  Chunk,
  ErrorCode,
  JsonObject,
  JsonValue,
  MillraceError,
  RunResult,
  RunStatus,
  Position,
} from '@millrace/contracts';
import { answerPending, releaseRun, resumePending } from './answer-pending.ts';
import type { PositionedChunk } from './chunk-merge.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { AskApi, ClientConnection } from './connection.ts';
import { learnResult } from './run-result.ts';
import { retryRequest } from './retry-request.ts';

export type Run = {
  runId: string;
  /**
   * Every chunk in order, for each reader from the first. A `retract` chunk {index} voids the chunks from that index
   * on; a late replay omits them. Throws coded errors if it cannot continue: the result may still be available. A slow
   * reader gets a `CutOffError` with the position for `follow`.
   */
  fullStream: AsyncIterable<Chunk>;
  /** The same with each chunk's position, which is the unit of `retract` and the start of `follow`. */
  positions: AsyncIterable<PositionedChunk>;
  /** The same in groups of all chunks that have arrived, for readers that write each group at once. */
  batches: AsyncIterable<readonly PositionedChunk[]>;
  /** The text of the answer as a stream. It includes text that is retracted later: only `result` is exact. */
  textStream: AsyncIterable<string>;
  /** Resolves after the last chunk for every status of the run; rejects only if the result is unavailable. */
  result(): Promise<RunResult>;
  /** Resolves with the previous status; the run ends with an `abort` chunk. */
  cancel(): Promise<RunStatus>;
  status(): Promise<RunStatus>;
  /**
   * Answers any pending item of the suspended run: operators only. Returns the resumed run from the current end of the
   * stream. @throws resume-token-invalid, resume-token-used, run-not-suspended, suspension-expired
   */
  resume(token: string, data: JsonValue, options?: ReadOnOptions & EditOptions): Promise<Run>;
  /** Answers a question for the caller with the token of the `suspended` chunk. */
  answer(token: string, data: JsonValue, options?: ReadOnOptions): Promise<Run>;
  /** Releases a suspended run: it ends as `released`. Idempotent. @throws run-not-suspended */
  release(): Promise<RunStatus>;
};

/** `signal`: stops reading the resumed run, which continues. */
type ReadOnOptions = { signal?: AbortSignal | undefined };

/** `args`: approves the call with these arguments instead of the model's; every guard of the call judges them. */
export type EditOptions = { args?: JsonObject | undefined };

/** `answeredTo`: the epoch up to which suspensions have been answered. `token`: of the answered question. */
type FollowedAnswer = { answeredTo: number | undefined; token: string; signal: AbortSignal | undefined };
export type ReadOn = (from: Position | undefined, answer: FollowedAnswer) => Promise<Run>;

export function createRun(
  runId: string,
  log: ChunkLog,
  connection: ClientConnection,
  closed: AbortSignal,
  readOn: ReadOn,
): Run {
  const { ask, bus } = connection;
  let result: Promise<RunResult> | undefined;
  const toIterable = <T>(read: () => AsyncIterator<T>): AsyncIterable<T> => ({ [Symbol.asyncIterator]: read });
  return {
    runId,
    positions: toIterable(log.read),
    batches: toIterable(log.readBatches),
    fullStream: toIterable(() => streamChunks(log)),
    textStream: toIterable(() => streamText(log)),
    result: () => (result ??= awaitResult(runId, log, ask, closed)),
    async cancel() {
      const sendCancel = () => ask('cancel', {}, { run: runId, signal: closed });
      return (await retryRequest(`cancelling ${runId}`, bus.log, closed, sendCancel)).status;
    },
    status: async () => (await ask('run', {}, { run: runId })).status,
    async resume(token, data, { signal, args } = {}) {
      const { epoch: answeredTo } = await resumePending(connection, { runId, token, data, args }, closed);
      return readOn(toPosition(log.getLast()), { answeredTo, token, signal });
    },
    async answer(token, data, { signal } = {}) {
      const { epoch: answeredTo } = await answerPending(connection, { runId, token, data }, closed);
      return readOn(toPosition(log.getLast()), { answeredTo, token, signal });
    },
    release: () => releaseRun(connection, runId, closed),
  };
}

const toPosition = (last: PositionedChunk | undefined): Position | undefined =>
  last && { epoch: last.epoch, index: last.index + 1 };

async function* streamChunks(log: ChunkLog): AsyncGenerator<Chunk, void, undefined> {
  for await (const { chunk } of log.read()) yield chunk;
}

async function* streamText(log: ChunkLog): AsyncGenerator<string, void, undefined> {
  for await (const { chunk } of log.read()) if (chunk.type === 'text-delta') yield chunk.payload.text;
}

/** Errors of a reader that was stopped from outside, or may not read: it needs no result. One that failed does. */
const STOPPED: ReadonlySet<ErrorCode> = new Set(['cancelled', 'credentials-refused']);

async function awaitResult(runId: string, log: ChunkLog, ask: AskApi, closed: AbortSignal): Promise<RunResult> {
  const broken: MillraceError | undefined = await log.outcome;
  if (broken && STOPPED.has(broken.code)) throw broken;
  return learnResult((signal) => ask('run', {}, { run: runId, signal }), runId, closed);
}
