// Follows the chunks of a run to its end. A lost connection is opened again after the last received event, so that no
// chunk is lost or repeated; a killed gateway is such a loss.
import type { Chunk, Position, RunResult } from '@millrace/contracts';
import { Problem, type ProblemBody } from './problem.ts';
import { readEvents } from './read-events.ts';
import { send } from './request.ts';

export type ChunkAt = Position & { chunk: Chunk };
export type RunEnd = Pick<RunResult, 'runId' | 'status' | 'finishReason' | 'usage' | 'error' | 'tripwire'>;
export type FollowHandlers = {
  /** Receives all chunks that have arrived together. */
  onChunks(chunks: ChunkAt[]): void;
  onEnd(end: RunEnd): void;
  /** False while the connection is lost. */
  onConnection(isConnected: boolean): void;
};

const FIRST_DELAY_MS = 300;
const MAX_DELAY_MS = 5_000;
const POSITION = /^(\d+)\.(\d+)$/;

export type FollowOptions = {
  signal: AbortSignal;
  /** Position after which the stream begins. */
  after?: string | undefined;
  /** A stream that is open already: that of the start of the run. */
  opened?: Response;
};

/**
 * Resolves when the run has ended or the signal aborts.
 * @throws Problem if the gateway refuses the run
 */
export async function followRun(
  runId: string,
  handlers: FollowHandlers,
  { signal, after, opened }: FollowOptions,
): Promise<void> {
  let last = after;
  let response = opened;
  let delayMs = FIRST_DELAY_MS;
  let hasMoved = false;
  while (!signal.aborted) {
    try {
      hasMoved = false;
      response ??= await openStream(runId, last, signal);
      handlers.onConnection(true);
      for await (const group of groupEvents(response)) {
        const { chunks, end, problem } = parseGroup(group);
        delayMs = FIRST_DELAY_MS;
        hasMoved ||= chunks.length > 0;
        last = group.findLast(({ id }) => id !== undefined && id !== '')?.id ?? last;
        if (chunks.length > 0) handlers.onChunks(chunks);
        if (end) return handlers.onEnd(end);
        if (problem) throw problem;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && !isTransient(error, hasMoved)) throw error;
    }
    response = undefined;
    handlers.onConnection(false);
    await waitFor(delayMs, signal);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
}

const openStream = (runId: string, last: string | undefined, signal: AbortSignal): Promise<Response> =>
  send(`/v1/runs/${runId}/chunks`, {
    headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
    signal,
  });

/** A reader that lags behind is cut off, and continues after its last chunk. */
const isTransient = ({ status, code }: Problem, hasMoved: boolean): boolean =>
  status === 0 || status === 429 || status >= 500 || (code === 'chunks-gone' && hasMoved);

type Event = { id: string | undefined; event: string | undefined; data: string };

/** Collects the events of one network read, so that the page renders once for all of them. */
async function* groupEvents(response: Response): AsyncGenerator<Event[], void> {
  let group: Event[] = [];
  const events = readEvents(response);
  let pending = events.next();
  for (;;) {
    const next = await Promise.race([pending, ...(group.length > 0 ? [waitTick()] : [])]);
    if (next === undefined) {
      yield group;
      group = [];
    } else if (next.done) {
      if (group.length > 0) yield group;
      return;
    } else {
      group.push(next.value);
      pending = events.next();
    }
  }
}

/** Resolves after the reads that are available now. */
const waitTick = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, 0, undefined));

type ParsedGroup = { chunks: ChunkAt[]; end?: RunEnd; problem?: Problem };

function parseGroup(group: readonly Event[]): ParsedGroup {
  const chunks: ChunkAt[] = [];
  for (const { id = '', event, data } of group) {
    const read: unknown = JSON.parse(data);
    // The gateway wrote each of them from a checked value.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (event === 'end') return { chunks, end: read as RunEnd };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (event === 'error') return { chunks, problem: new Problem(read as ProblemBody) };
    const [, epoch, index] = POSITION.exec(id) ?? [];
    if (epoch === undefined || index === undefined) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    chunks.push({ epoch: Number(epoch), index: Number(index), chunk: read as Chunk });
  }
  return { chunks };
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
