// Reads one run from a source into a log: listens live, and requests a replay after a gap, a silence or a reconnect,
// until the last chunk has arrived. Ends with the run; stopping it earlier requires a reason.
import { MillraceError, type Position } from '@millrace/contracts';
import type { Listening } from '@millrace/bus';
import {
  hasGap,
  mergeLive,
  mergeReplay,
  startMerge,
  type ChunkMerge,
  type Merged,
  type PositionedChunk,
} from './chunk-merge.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { ChunkSource, LiveBatch } from './chunk-source.ts';
import { overdueRun } from './overdue-run.ts';
import {
  REPLAY_LIMITS,
  hasEnded,
  isTemporary,
  waitAfterAnswer,
  waitAfterFailure,
  type ReplayLimits,
} from './replay-pace.ts';

export type ReaderOptions = {
  from?: Position | undefined;
  /** Suspensions up to this epoch have been answered. */
  answeredTo?: number | undefined;
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
  const { from, answeredTo, late, unknownForMs = 0, limits = REPLAY_LIMITS } = options;
  const abort = new AbortController();
  let merge = startMerge(from, answeredTo);
  let listening: Pick<Listening, 'stop'> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let asking = false;
  let catchingUp = late;
  let empty = 0;
  let failures = 0;
  const stall = createStallClock();

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
  const applyMerged = ({ merge: next, accepted }: Merged): boolean => {
    merge = next;
    log.append(accepted);
    if (accepted.length > 0) stall.reset();
    if (merge.ended) finish();
    return accepted.length > 0;
  };
  const schedule = (waitMs: number) => {
    clearTimeout(timer);
    if (!abort.signal.aborted) timer = setTimeout(() => void ask(), waitMs);
  };
  const ask = async () => {
    if (asking || abort.signal.aborted) return;
    asking = true;
    const waitMs = await askOnce().catch(waitOrFail);
    asking = false;
    schedule(waitMs);
  };
  const askOnce = async (): Promise<number> => {
    const answer = await source.replay(merge.next, abort.signal);
    const moved = applyMerged(mergeReplay(merge, answer));
    failures = 0;
    empty = moved ? 0 : empty + 1;
    const overdue = overdueRun(answer.status, answer.remainingMs);
    if (overdue && !moved) finish(overdue);
    if (!hasEnded(answer.status)) stall.reset();
    else if (!moved && stall.isOver(limits.giveUpMs)) finish(createCutOffError());
    catchingUp &&= empty < 2;
    return waitAfterAnswer({ status: answer.status, moved, gap: hasGap(merge), catchingUp, empty }, limits);
  };
  const waitOrFail = (error: unknown): number => {
    const coded = codeError(error);
    const boundMs = coded.code === 'run-unknown' ? unknownForMs : isTemporary(coded) ? limits.giveUpMs : 0;
    if (stall.isOver(boundMs)) finish(coded);
    failures += 1;
    return waitAfterFailure(failures, limits);
  };
  const onBatch = (batch: LiveBatch) => {
    if (abort.signal.aborted) return;
    const hadGap = hasGap(merge);
    applyMerged(mergeLive(merge, batch));
    if (merge.ended) return;
    log.append(positionTransient(merge, batch));
    if (hadGap && !hasGap(merge)) schedule(limits.silenceMs);
    else if (!hadGap && hasGap(merge)) {
      empty = 0;
      schedule(0);
    } else if (!hadGap) timer?.refresh();
  };
  listening = await cleanOnFailure(source.listen(onBatch), forget);
  // The whole run may have arrived while the server processed the subscription.
  if (abort.signal.aborted) listening.stop();
  else schedule(late ? 0 : limits.silenceMs);
  const catchUp = () => {
    catchingUp = true;
    schedule(0);
  };
  return { stop: finish, catchUp };
}

async function cleanOnFailure<T>(work: Promise<T>, clean: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    clean();
    throw error;
  }
}

/** Measures how long missing chunks have been overdue, starting with the first request. */
function createStallClock() {
  let since: number | undefined;
  return {
    reset: () => void (since = undefined),
    isOver(boundMs: number): boolean {
      since ??= performance.now();
      return performance.now() - since >= boundMs;
    },
  };
}

const codeError = (error: unknown): MillraceError =>
  MillraceError.isInstance(error) ? error : new MillraceError('internal', String(error), { cause: error });

/**
 * Positions chunks without an index at the preceding chunk: a reader that resumes there misses no stored chunk. Chunks
 * of a replaced owner are dropped.
 */
function positionTransient({ next }: ChunkMerge, { epoch, transient = [] }: LiveBatch): PositionedChunk[] {
  if (epoch < next.epoch) return [];
  return transient.map((chunk) => ({ epoch: next.epoch, index: next.index - 1, chunk }));
}

function createCutOffError(): MillraceError {
  return new MillraceError('chunks-gone', 'The run has ended, but its last chunks have expired.', {
    remedy: 'Request its result: it is stored longer than the chunks.',
  });
}
