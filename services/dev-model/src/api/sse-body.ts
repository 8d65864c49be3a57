// Body of a streamed answer. Frames are generated as the client reads (backpressure), so nothing is generated for a
// slow or disconnected reader. Without a delay many events share one write; with one, each burst ends a write and the next
// starts at least `delayMs` later.
import type { ModelReply } from '../reply.ts';
import { pause, type Frame } from './wire.ts';

export type StreamEnd = { readonly outcome: 'completed' | 'disconnected'; readonly deltas: number };

const maxWriteCharacters = 16 * 1024;

export function createSseBody(
  frames: Generator<Frame, void>,
  { delayMs, burst }: Pick<ModelReply, 'delayMs' | 'burst'>,
  onEnd: (end: StreamEnd) => void,
): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let pauses = 0;

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isPaused) {
        await new Promise<void>((resolve) => {
          timer = setTimeout(resolve, delayMs);
        });
        isPaused = false;
      }
      let text = '';
      while (text.length < maxWriteCharacters && !isPaused) {
        const next = frames.next();
        if (next.done) {
          if (text !== '') controller.enqueue(Buffer.from(text));
          controller.close();
          onEnd({ outcome: 'completed', deltas: pauses + 1 });
          return;
        }
        if (next.value === pause) {
          pauses += 1;
          isPaused = delayMs > 0 && pauses % burst === 0;
        } else text += next.value;
      }
      controller.enqueue(Buffer.from(text));
    },
    cancel() {
      // Drops the pending pull with its timer, because no reader is left.
      clearTimeout(timer);
      frames.return();
      onEnd({ outcome: 'disconnected', deltas: pauses + 1 });
    },
  });
}
