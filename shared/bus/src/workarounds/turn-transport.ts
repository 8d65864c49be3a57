// Buffers the writes of a connection. Under load all messages of one turn of the event loop are sent in one write at
// its end: a write costs more than most of its messages. Otherwise a message is sent at the end of its task.
import { NodeTransport } from 'nats/lib/node_transport.js';

/** Maximum size of the buffer: a larger message is written at once without a copy. */
const MAX_GATHERED_BYTES = 64 * 1024;
/**
 * Messages within this time after a write belong to the same turn of the event loop: a reply to the write takes longer,
 * ms.
 */
const ONE_TURN_MS = 0.05;
/** Duration of the busy mode after a turn with several messages, ms. */
export const BUSY_MS = 8;

/** A class, because the client's own transport is one: everything but sending is inherited. */
export class TurnTransport extends NodeTransport {
  #frames: Uint8Array[] = [];
  #bytes = 0;
  #isWriteAwaited = false;
  #wroteAt = 0;
  #busyUntil = 0;

  override send(frame: Uint8Array): void {
    if (this.#bytes + frame.length > MAX_GATHERED_BYTES) this.#write();
    const now = performance.now();
    if (this.#frames.length > 0 || now - this.#wroteAt < ONE_TURN_MS) this.#busyUntil = now + BUSY_MS;
    this.#frames.push(frame);
    this.#bytes += frame.length;
    if (this.#bytes >= MAX_GATHERED_BYTES) this.#write();
    if (this.#isWriteAwaited) return;
    this.#isWriteAwaited = true;
    // Waiting for the end of the turn costs a single message about 20 µs: another pass of the loop.
    if (now < this.#busyUntil) setImmediate(this.#writeAwaited);
    else process.nextTick(this.#writeAwaited);
  }

  override close(error?: Error): Promise<void> {
    this.#write();
    return super.close(error);
  }

  override disconnect(): void {
    this.#write();
    super.disconnect();
  }

  override discard(): void {
    this.#frames = [];
    this.#bytes = 0;
    super.discard();
  }

  #writeAwaited = (): void => {
    this.#isWriteAwaited = false;
    this.#write();
  };

  #write = (): void => {
    const [first] = this.#frames;
    if (!first) return;
    const whole = this.#frames.length === 1 ? first : Buffer.concat(this.#frames, this.#bytes);
    this.#frames = [];
    this.#bytes = 0;
    super.send(whole);
    this.#wroteAt = performance.now();
  };
}
