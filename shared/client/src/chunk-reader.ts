// Reads one run from a source into a log: listens live, and requests a replay after a gap, a silence or a reconnect,
// until the last chunk has arrived. Ends with the run; stopping it earlier requires a reason.
import { MillraceError, type Position } from '@millrace/contracts';
import type { Listening } from '@millrace/bus';
import { startMerge } from './chunk-merge.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { ChunkSource, ReceivedBatch } from './chunk-source.ts';
import { receiveFailure, receiveLive, receiveReplay, startReading, type ReaderStep } from './reader-state.ts';
import { REPLAY_LIMITS, type ReplayLimits } from './replay-pace.ts';

export type ReaderOptions = {
  from?: Position | undefined;
  /** Suspensions up to this epoch have been answered. */
  answeredTo?: number | undefined;
  /** Tokens of questions that have been answered. */
  answeredTokens?: readonly string[] | undefined;
  /** The reader starts late: earlier chunks must be requested. */
  late: boolean;
  /** For a run that was submitted here: `run-unknown` means that it has not started yet, for this long, ms. */
  unknownForMs?: number;
  limits?: ReplayLimits;
};
export type ChunkReader = {
  stop(reason: MillraceError): void;
  /** Requests the chunks that were published before the subscription. */
  catchUp(): void;
};

/** Resolves when no chunk that is published later can be missed. @throws bus-unreachable */
export async function readChunks(source: ChunkSource, log: ChunkLog, options: ReaderOptions): Promise<ChunkReader> {
  const { from, answeredTo, answeredTokens, late, unknownForMs = 0, limits = REPLAY_LIMITS } = options;
  const abort = new AbortController();
  let state = startReading(startMerge(from, answeredTo, answeredTokens), late);
  let listening: Pick<Listening, 'stop'> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  // Requested after a short random delay instead of a silence, so that readers do not request at the same time.
  const forget = source.onReconnect(() => schedule(Math.random() * limits.retryMs));
  const finish = (error?: MillraceError) => {
    if (abort.signal.aborted) return;
    abort.abort();
    clearTimeout(timer);
    listening?.stop();
    forget();
    if (error) log.fail(error);
    else log.end();
  };
  const schedule = (waitMs: number) => {
    clearTimeout(timer);
    if (!abort.signal.aborted) timer = setTimeout(() => void ask(), waitMs);
  };
  const apply = ({ state: next, chunks, wait, ended }: ReaderStep) => {
    state = next;
    log.append(chunks);
    if (ended) finish(ended.error);
    else if (wait === 'again') timer?.refresh();
    else if (wait !== undefined) schedule(wait);
  };
  const ask = async () => {
    if (isAsking || abort.signal.aborted) return;
    isAsking = true;
    const asked = await source.replay(state.merge.next, abort.signal).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: toCodedError(error) }),
    );
    isAsking = false;
    if (abort.signal.aborted) return;
    const now = performance.now();
    if ('answer' in asked) apply(receiveReplay(state, asked.answer, now, limits));
    else apply(receiveFailure(state, asked.error, now, { unknownForMs, limits }));
  };
  const receive = (batch: ReceivedBatch) => {
    if (!abort.signal.aborted) apply(receiveLive(state, batch, limits));
  };
  listening = await cleanOnFailure(source.listen(receive), forget);
  // The whole run may have arrived while the server processed the subscription.
  if (abort.signal.aborted) listening.stop();
  else schedule(late ? 0 : limits.silenceMs);
  return {
    stop: finish,
    catchUp() {
      state = { ...state, isCatchingUp: true };
      schedule(0);
    },
  };
}

async function cleanOnFailure<T>(work: Promise<T>, clean: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    clean();
    throw error;
  }
}

const toCodedError = (error: unknown): MillraceError =>
  MillraceError.isInstance(error) ? error : new MillraceError('internal', String(error), { cause: error });
