// Writes a run's chunks as server-sent events: `id` is the position, so that a client rejoins with Last-Event-ID, and
// the data is the chunk. The last event is `end` with the status and the error of the run, or `error` if the stream
// cannot continue.
import { MillraceError, type Position, type RunResult } from '@millrace/contracts';
import type { PositionedChunk, Run } from '@millrace/client';
import { describeProblem } from '../http/problem.ts';
import { formatEvent } from '../http/event-stream.ts';
import { readRefusal } from '../access/open-stream.ts';

const POSITION = /^(\d{1,9})\.(\d{1,9})$/;

/**
 * Reads a position `epoch.index`: that of the last received chunk, or of the first one that is requested.
 * @throws message-invalid
 */
export function readPosition(text: string | null | undefined, name: string): Position | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const [, epoch, index] = POSITION.exec(text) ?? [];
  if (epoch === undefined || index === undefined || Number(epoch) < 1)
    throw new MillraceError('message-invalid', `${name} is not a position.`, {
      path: name,
      remedy: 'Send the id of the last event that was received, such as 1.17.',
    });
  return { epoch: Number(epoch), index: Number(index) };
}

/** Returns the position after a received one. */
export const followPosition = (last: Position | undefined): Position | undefined =>
  last && { epoch: last.epoch, index: last.index + 1 };

/** @param left if the gateway drains, the stream ends without an `end`, and the client rejoins elsewhere */
export async function* writeChunkEvents(run: Run, left: AbortSignal): AsyncGenerator<string, void> {
  try {
    for await (const batch of run.batches) yield batch.map(formatChunk).join('');
    yield formatEvent(JSON.stringify(describeEnd(await run.result())), { event: 'end' });
  } catch (error) {
    // The reader was stopped: by its client, or by the drain.
    if (left.aborted && !readRefusal(left)) return;
    yield formatEvent(JSON.stringify(describeProblem(error).body), { event: 'error' });
  }
}

const formatChunk = ({ epoch, index, chunk }: PositionedChunk): string =>
  formatEvent(JSON.stringify(chunk), { id: `${epoch}.${index}` });

const describeEnd = ({ runId, status, finishReason, usage, error, tripwire }: RunResult): object => ({
  runId,
  status,
  finishReason,
  usage,
  ...(error && { error }),
  ...(tripwire && { tripwire }),
});
