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
  // One timer for the stream: a timer for each event costs as much as the event.
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    onEnd();
  };
  return {
    start(controller) {
      timer = setTimeout(() => {
        // A client that does not read receives nothing more.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(KEEP_ALIVE);
        timer?.refresh();
      }, keepAliveMs);
    },
    async pull(controller) {
      try {
        const read = await frames.next();
        timer?.refresh();
        if (!read.done) return controller.enqueue(ENCODER.encode(read.value));
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel() {
      end();
      // The generator returns after its pending read, which `onEnd` has to end.
      void frames.return().catch(() => undefined);
    },
  };
}

/** Formats one event. JSON has no line breaks, so the data is one line. */
export function formatEvent(data: string, { id, event }: { id?: string; event?: string } = {}): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${data}\n\n`;
}
