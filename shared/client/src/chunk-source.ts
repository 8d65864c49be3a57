// Provides a run's chunks: the live subject, at most once and without acknowledgement, and api.replay from a position
// on. Validates chunks, so that readers get the declared types.
import {
  MillraceError,
  checkedBatchSchema,
  checkedLiveBatchSchema,
  isOperator,
  parseValue,
  type Chunk,
  type Position,
  type RunStatus,
} from '@millrace/contracts';
import { listen, type Listening } from '@millrace/bus';
import { z } from 'zod';
import type { StoredBatch, ReplayedBatches } from './chunk-merge.ts';
import type { ClientConnection } from './connection.ts';

/** `transient`: chunks without an index, which a replay omits. */
export type ReceivedBatch = StoredBatch & { transient?: readonly Chunk[] | undefined };
export type ReplayAnswer = ReplayedBatches & {
  status: RunStatus;
  /** The reply reaches to the last chunk of a run at rest. */
  complete: boolean;
  /** Until the run's deadline. */
  remainingMs?: number | undefined;
};
export type ChunkSource = {
  /**
   * Resolves when the server has the subscription: later chunks arrive unless they are lost.
   * @throws permission-denied, bus-unreachable
   */
  listen(handle: (batch: ReceivedBatch) => void): Promise<Pick<Listening, 'stop'>>;
  /**
   * Calls the listener after each reconnect: chunks published in between are missing. Returns a function that removes
   * it.
   */
  onReconnect(listener: () => void): () => void;
  /** @throws coded errors: chunks-gone, run-unknown, nobody-there, timeout, … */
  replay(from: Position, signal: AbortSignal): Promise<ReplayAnswer>;
};

const SUBSCRIBE_TIMEOUT_MS = 10_000;
/** A request during a disconnection may be lost silently: it is repeated after this timeout. */
const REPLAY_TIMEOUT_MS = 5_000;

export function createChunkSource({ bus, tenant, caller, ask }: ClientConnection, runId: string): ChunkSource {
  const { subjects } = bus;
  // An operator follows the runs of every caller.
  const subject = isOperator(caller)
    ? subjects.chunksOfAnyCaller(tenant, runId)
    : subjects.chunks(tenant, caller, runId);
  return {
    async listen(handle) {
      const listening = listen(bus, subject, checkedLiveBatchSchema, handle);
      try {
        await awaitFlush(bus.nc.flush());
        const refusal = listening.findRefusal();
        if (refusal) throw refusal;
        return listening;
      } catch (error) {
        listening.stop();
        throw error;
      }
    },
    onReconnect: (listener) => bus.onReconnect(listener),
    async replay(from, signal) {
      const answer = await ask('replay', from, { run: runId, signal, timeoutMs: REPLAY_TIMEOUT_MS });
      const batches = parseValue(z.array(checkedBatchSchema), answer.batches);
      if ('ok' in batches) return { ...answer, batches: batches.ok };
      throw new MillraceError('message-invalid', `The replay of ${runId} contains invalid chunks.`, {
        issues: batches.issues,
      });
    },
  };
}

async function awaitFlush(flush: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(createUnreachableError('the subscription timed out')),
    SUBSCRIBE_TIMEOUT_MS,
  );
  try {
    await Promise.race([flush, late.promise]);
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : createUnreachableError(String(error), error);
  } finally {
    clearTimeout(timer);
  }
}

function createUnreachableError(why: string, cause?: unknown): MillraceError {
  return new MillraceError('bus-unreachable', `The connection to the NATS server was lost: ${why}.`, {
    cause,
    remedy: 'Try again; a submitted run continues without its readers.',
  });
}
