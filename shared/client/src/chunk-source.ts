// Where a run's chunks come from: the live subject, at most once and without acknowledgement, and api.replay, from a position on.
// Chunks are checked here, so that what readers get is what its type says.
import { MillraceError, chunkSchema, issuesOf, quicklyRead, type Chunk, type RunStatus } from '@millrace/contracts';
import { listen, type Listening } from '@millrace/bus';
import { z } from 'zod';
import type { Batch, Position, Replayed } from './chunk-merge.ts';
import type { Connection } from './connection.ts';

/** `transient`: chunks without an index, which no replay brings. */
export type LiveBatch = Batch & { transient?: readonly Chunk[] | undefined };
export type ReplayAnswer = Replayed & {
  status: RunStatus;
  /** Until the run's deadline. */
  remainingMs?: number | undefined;
};
export type ChunkSource = {
  /** Resolves when the server has the subscription: what is published from then on comes, unless it is lost. */
  listen(handle: (batch: LiveBatch) => void): Promise<Listening>;
  /** Calls back each time a lost connection is there again: what was published meanwhile is missing. Returns what ends that. */
  onReconnect(listener: () => void): () => void;
  /** @throws coded: chunks-gone, run-unknown, nobody-there, timeout, … */
  replay(from: Position, signal: AbortSignal): Promise<ReplayAnswer>;
};

const SUBSCRIBE_TIMEOUT_MS = 10_000;
/** A question that is asked while the connection is down is lost without a sign: it is asked again after this. */
const REPLAY_TIMEOUT_MS = 5_000;

const batchSchema = z.object({
  epoch: z.number().int().min(1),
  index: z.number().int().min(0),
  chunks: z.array(chunkSchema),
});

const liveBatchSchema = quicklyRead(batchSchema.extend({ transient: z.array(chunkSchema).optional() }));

export function chunkSource({ bus, tenant, ask }: Connection, runId: string): ChunkSource {
  return {
    async listen(handle) {
      const listening = listen(bus, bus.subjects.chunks(tenant, runId), liveBatchSchema, handle);
      try {
        await flushed(bus.nc.flush());
        return listening;
      } catch (error) {
        listening.stop();
        throw error;
      }
    },
    onReconnect: (listener) => bus.onReconnect(listener),
    async replay(from, signal) {
      const answer = await ask('replay', from, { run: runId, signal, timeoutMs: REPLAY_TIMEOUT_MS });
      const batches = z.array(batchSchema).safeParse(answer.batches);
      if (batches.success) return { status: answer.status, remainingMs: answer.remainingMs, batches: batches.data };
      throw new MillraceError('message-invalid', `The replay of ${runId} has chunks that do not fit.`, {
        issues: issuesOf(batches.error),
      });
    },
  };
}

async function flushed(flush: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(unreachable('it does not answer')), SUBSCRIBE_TIMEOUT_MS);
  try {
    await Promise.race([flush, late.promise]);
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : unreachable(String(error), error);
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(why: string, cause?: unknown): MillraceError {
  return new MillraceError('bus-unreachable', `The NATS server was lost: ${why}.`, {
    cause,
    remedy: 'Try again; the run, if it was submitted, goes on without its readers.',
  });
}
