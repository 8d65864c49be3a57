// Submits a run: subscribes before the submission, so that no chunk can be missed.
import { MillraceError, type ApiAnswer, type ErrorCode } from '@millrace/contracts';
import { createChunkLog } from './chunk-log.ts';
import { readChunks, type ReaderOptions } from './chunk-reader.ts';
import { createChunkSource } from './chunk-source.ts';
import { refuseClosed, type ClientConnection } from './connection.ts';
import { createRun, type ReadOn, type Run } from './run.ts';
import { buildRequest, type BuiltRequest, type RunInput, type StartOptions } from './run-request.ts';
import { retryRequest } from './retry-request.ts';

/** An accepted run is known: if it remains unknown for this long, its store lost it. */
const UNKNOWN_MS = 60_000;

/** Resolves when the run is accepted. @throws coded errors */
export async function startRun(
  connection: ClientConnection,
  agent: string,
  input: RunInput,
  options: StartOptions,
  closed: AbortSignal,
): Promise<Run> {
  const request = buildRequest(connection, agent, input, options);
  const { runId } = request;
  const { signal } = options;
  if (signal?.aborted) throw new MillraceError('cancelled', `${runId} was cancelled before it was submitted.`);
  const reading = await openReading(
    connection,
    runId,
    { late: false, unknownForMs: UNKNOWN_MS, leave: options.leave },
    closed,
  );
  /** Names this submission: a later one of the same run is not cancelled with it. */
  const submission = crypto.randomUUID();
  let mayRun = false;
  const noteAttempt = (error: unknown) => void (mayRun ||= mayBeAccepted(error));
  const cancel = () => void reading.run.cancel().catch((error: unknown) => logFailure(connection, runId, error));
  const submitted = { request, submission, signal: signal ? AbortSignal.any([signal, closed]) : closed };
  try {
    const { created } = await submit(connection, submitted, noteAttempt);
    // A run id of the caller may belong to a run that has started.
    if (options.runId !== undefined && created !== true) reading.catchUp();
  } catch (error) {
    reading.stop(new MillraceError('cancelled', `${runId} was not accepted.`));
    noteAttempt(error);
    // An orchestrator may still accept one of the attempts: the cancel of an unknown run is stored until then.
    if (mayRun && !isOfAnother(error)) void giveUp(connection, runId, submission, closed);
    throw error;
  }
  listenForAbort(signal, reading.outcome, cancel);
  return reading.run;
}

type FollowFrom = Pick<ReaderOptions, 'from' | 'answeredTo' | 'answeredTokens'> & { signal?: AbortSignal | undefined };

/** `signal` stops reading, not the run. */
export async function followRun(
  connection: ClientConnection,
  runId: string,
  { from, answeredTo, answeredTokens, signal }: FollowFrom,
  closed: AbortSignal,
): Promise<Run> {
  const reading = { late: true, from, answeredTo, answeredTokens, leave: signal };
  return (await openReading(connection, runId, reading, closed)).run;
}

/** Calls `onAbort` when the signal fires, or at once if it has fired, until the reading has ended. */
function listenForAbort(signal: AbortSignal | undefined, ended: Promise<unknown>, onAbort: () => void): void {
  if (signal?.aborted) return onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  void ended.then(() => signal?.removeEventListener('abort', onAbort));
}

/** `leave` stops reading; the run continues. */
type ReadingOptions = ReaderOptions & { leave: AbortSignal | undefined };

async function openReading(connection: ClientConnection, runId: string, options: ReadingOptions, closed: AbortSignal) {
  const { leave } = options;
  refuseClosed(connection.bus);
  const log = createChunkLog(options.from, connection.kept);
  const source = createChunkSource(connection, runId);
  // A connection that is lost during the subscription is restored as one that is lost later.
  const { stop, catchUp } = await retryRequest(`reading ${runId}`, connection.bus.log, closed, () =>
    readChunks(source, log, options),
  );
  const onClose = () => stop(new MillraceError('cancelled', `The connection was closed before ${runId} had ended.`));
  if (closed.aborted) onClose();
  closed.addEventListener('abort', onClose, { once: true });
  void log.outcome.then(() => closed.removeEventListener('abort', onClose));
  listenForAbort(leave, log.outcome, () => stop(readLeaveError(leave, runId)));
  // A run that is answered again before it has published anything continues at the position of this reading.
  const readOn: ReadOn = (from = options.from, { answeredTo, token, signal }) => {
    const answeredTokens = [...(options.answeredTokens ?? []), token];
    return followRun(connection, runId, { from, answeredTo, answeredTokens, signal }, closed);
  };
  return { run: createRun(runId, log, connection, closed, readOn), stop, catchUp, outcome: log.outcome };
}

/** A reason with a code is the error of the readers. */
function readLeaveError(leave: AbortSignal | undefined, runId: string): MillraceError {
  const reason: unknown = leave?.reason;
  return MillraceError.isInstance(reason) ? reason : new MillraceError('cancelled', `${runId} is no longer followed.`);
}

/** A repeated submission with the same id is the same run. @param noteAttempt receives the error of each attempt */
function submit(
  { ask, bus }: ClientConnection,
  { request, submission, signal }: { request: BuiltRequest; submission: string; signal: AbortSignal },
  noteAttempt: (error: unknown) => void,
): Promise<ApiAnswer<'submit'>> {
  const { runId } = request;
  return retryRequest(`submitting ${runId}`, bus.log, signal, () =>
    ask('submit', request, { run: runId, signal, submission }).catch((error: unknown) => {
      noteAttempt(error);
      throw error;
    }),
  );
}

/** Cancels the run if this submission is still accepted. Never rejects. */
async function giveUp(
  connection: ClientConnection,
  run: string,
  submission: string,
  signal: AbortSignal,
): Promise<void> {
  const { ask, bus } = connection;
  const sendCancel = () => ask('cancel', {}, { run, signal, submission });
  await retryRequest(`cancelling ${run}`, bus.log, signal, sendCancel).catch((error: unknown) =>
    logFailure(connection, run, error),
  );
}

/** The id belongs to another request, so that no attempt of this one is accepted. */
const isOfAnother = (error: unknown): boolean => MillraceError.isInstance(error) && error.code === 'run-exists';

const UNANSWERED: ReadonlySet<string> = new Set<ErrorCode>(['timeout', 'bus-unreachable', 'cancelled']);
const mayBeAccepted = (error: unknown): boolean => !MillraceError.isInstance(error) || UNANSWERED.has(error.code);

function logFailure({ bus }: ClientConnection, runId: string, error: unknown): void {
  // The tombstone cancels the run if its submission arrives.
  if (MillraceError.isInstance(error) && error.code === 'run-unknown') return;
  bus.log.error({ run: runId, error: String(error) }, 'cancelling the run failed');
}
