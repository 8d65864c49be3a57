// The socket under a connection. While there is much to send, everything that one turn of the event loop sends goes out in one write
// at its end: a write costs more than most of the messages in it. Otherwise a message leaves as soon as the code that sent it is done.
import { NodeTransport } from 'nats/lib/node_transport.js';

/** Gathered up to here: what is larger is written at once, and not copied for the sake of a write. */
const MAX_GATHERED_BYTES = 64 * 1024;
/** What is sent so soon after a write was sent by the same turn of the event loop: an answer to the write takes longer, ms. */
const ONE_TURN_MS = 0.05;
/** How long it counts as busy that one turn had several things to send, ms. */
export const BUSY_MS = 8;

/** A class because the client's own transport is one: all but the sending stays as it is there. */
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
    // To wait for the end of the turn costs a message that is alone some 20 µs: another pass of the loop.
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
