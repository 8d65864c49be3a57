// Writes server-sent events. A source yields the text of all events that are available, and each text is one write:
// a write for each event costs three times the processor time.
import type { UnderlyingSource } from 'node:stream/web';

const ENCODER = new TextEncoder();
const KEEP_ALIVE = ENCODER.encode(': keep-alive\n\n');

export type EventStreamOptions = {
  /** Interval of comments while the source has nothing, ms. */
  keepAliveMs: number;
  /** Called once, when the stream has ended, failed or lost its reader. */
  onEnd: () => void;
  headers?: Record<string, string>;
};

/** Returns the response. The source is read as the client reads, and is closed when the client disconnects. */
export function respondWithEvents(frames: AsyncGenerator<string, void>, options: EventStreamOptions): Response {
  const body = new ReadableStream<Uint8Array>(createEventSource(frames, options));
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...options.headers,
    },
  });
}

function createEventSource(
  frames: AsyncGenerator<string, void>,
  { keepAliveMs, onEnd }: EventStreamOptions,
): UnderlyingSource<Uint8Array> {
  let next: Promise<IteratorResult<string, void>> | undefined;
  return {
    async pull(controller) {
      next ??= frames.next();
      try {
        const read = await raceTimer(next, keepAliveMs);
        if (read) next = undefined;
        if (read?.done) {
          controller.close();
          onEnd();
        } else controller.enqueue(read ? ENCODER.encode(read.value) : KEEP_ALIVE);
      } catch (error) {
        controller.error(error);
        onEnd();
      }
    },
    cancel() {
      onEnd();
      // The generator returns after its pending read, which `onEnd` has to end.
      void frames.return().catch(() => undefined);
    },
  };
}

/** Returns undefined if the timer is first. */
async function raceTimer<T>(pending: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Formats one event. JSON has no line breaks, so the data is one line. */
export function formatEvent(data: string, { id, event }: { id?: string; event?: string } = {}): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${data}\n\n`;
}
