// Reads one run from a source into a log: listens live, and asks for a replay where something is missing, after a silence, when a lost
// connection is back, and until the last chunk is there. It ends by itself with the run; whoever stops it earlier says why.
import { MillraceError } from '@millrace/contracts';
import type { Listening } from '@millrace/bus';
import {
  hasGap,
  mergeLive,
  mergeReplay,
  startMerge,
  type ChunkMerge,
  type Merged,
  type Position,
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
  /** What the run waited for up to this epoch has been answered. */
  answeredTo?: number | undefined;
  /** What was published before must be asked for: the reader comes late. */
  late: boolean;
  /** For a run that was submitted here: `run-unknown` means that it has not begun yet, for this long, ms. */
  unknownForMs?: number;
  limits?: ReplayLimits;
};
export type ChunkReader = { stop(reason: MillraceError): void };

/** Resolves when nothing that is published from now on can be missed. @throws bus-unreachable */
export async function readChunks(source: ChunkSource, log: ChunkLog, options: ReaderOptions): Promise<ChunkReader> {
  const { from, answeredTo, late, unknownForMs = 0, limits = REPLAY_LIMITS } = options;
  const abort = new AbortController();
  let merge = startMerge(from, answeredTo);
  let listening: Listening | undefined;
  let timer: NodeJS.Timeout | undefined;
  let asking = false;
  let catchingUp = late;
  let empty = 0;
  let failures = 0;
  /** When what is missing began to be overdue. */
  let overdueSince: number | undefined;

  // Asked soon, not after a silence; not by all readers in the same moment.
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
  const take = ({ merge: next, accepted }: Merged): boolean => {
    merge = next;
    log.append(accepted);
    if (accepted.length > 0) overdueSince = undefined;
    if (merge.ended) finish();
    return accepted.length > 0;
  };
  const schedule = (waitMs: number) => {
    clearTimeout(timer);
    if (!abort.signal.aborted) timer = setTimeout(() => void ask(), waitMs);
  };
  const isOverdue = (boundMs: number): boolean => {
    overdueSince ??= performance.now();
    return performance.now() - overdueSince >= boundMs;
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
    const moved = take(mergeReplay(merge, answer));
    failures = 0;
    empty = moved ? 0 : empty + 1;
    const overdue = overdueRun(answer.status, answer.remainingMs);
    if (overdue && !moved) finish(overdue);
    if (!hasEnded(answer.status)) overdueSince = undefined;
    else if (!moved && isOverdue(limits.giveUpMs)) finish(lastChunkGone());
    const waitMs = waitAfterAnswer({ status: answer.status, moved, gap: hasGap(merge), catchingUp, empty }, limits);
    if (empty > 1) catchingUp = false;
    return waitMs;
  };
  const waitOrFail = (error: unknown): number => {
    const coded = MillraceError.isInstance(error)
      ? error
      : new MillraceError('internal', String(error), { cause: error });
    const boundMs = coded.code === 'run-unknown' ? unknownForMs : isTemporary(coded) ? limits.giveUpMs : 0;
    if (isOverdue(boundMs)) finish(coded);
    failures += 1;
    return waitAfterFailure(failures, limits);
  };
  const onBatch = (batch: LiveBatch) => {
    if (abort.signal.aborted) return;
    const hadGap = hasGap(merge);
    take(mergeLive(merge, batch));
    if (merge.ended) return;
    log.append(transientOf(merge, batch));
    if (hadGap && !hasGap(merge)) schedule(limits.silenceMs);
    else if (!hadGap && hasGap(merge)) {
      empty = 0;
      schedule(0);
    } else if (!hadGap) timer?.refresh();
  };
  listening = await source.listen(onBatch).catch((error: unknown) => {
    forget();
    throw error;
  });
  // The whole run may have come while the server took the subscription.
  if (abort.signal.aborted) listening.stop();
  else schedule(late ? 0 : limits.silenceMs);
  return { stop: finish };
}

/**
 * Chunks without an index, with the position of the chunk that they came after: who goes on from there misses nothing that is kept.
 * Those of an owner that was replaced are left out.
 */
function transientOf({ next }: ChunkMerge, { epoch, transient = [] }: LiveBatch): PositionedChunk[] {
  if (epoch < next.epoch) return [];
  return transient.map((chunk) => ({ epoch: next.epoch, index: next.index - 1, chunk }));
}

function lastChunkGone(): MillraceError {
  return new MillraceError('chunks-gone', 'The run has ended, but its last chunks are no longer kept.', {
    remedy: 'Ask for its result: it is kept longer than the chunks.',
  });
}
