// The socket under a connection. While there is much to send, everything that one turn of the event loop sends goes out in one write
// at its end: a write costs more than most of the messages in it. Otherwise a message leaves as soon as the code that sent it is done.
import { NodeTransport } from 'nats/lib/node_transport.js';

/** Gathered up to here: what is larger is written at once, and not copied for the sake of a write. */
const MAX_GATHERED_BYTES = 64 * 1024;
/** How long it counts as busy that one turn had several things to send, ms. */
export const BUSY_MS = 8;

/** A class because the client's own transport is one: all but the sending stays as it is there. */
export class TurnTransport extends NodeTransport {
  #frames: Uint8Array[] = [];
  #bytes = 0;
  /** The end of this turn is waited for. */
  #isEndAwaited = false;
  #sentInTurn = 0;
  #busyUntil = 0;

  override send(frame: Uint8Array): void {
    if (this.#bytes + frame.length > MAX_GATHERED_BYTES) this.#write();
    this.#frames.push(frame);
    this.#bytes += frame.length;
    this.#sentInTurn += 1;
    if (this.#bytes >= MAX_GATHERED_BYTES) this.#write();
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    setImmediate(this.#endTurn);
    if (performance.now() < this.#busyUntil) return;
    process.nextTick(this.#write);
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

  #endTurn = (): void => {
    this.#isEndAwaited = false;
    if (this.#sentInTurn > 1) this.#busyUntil = performance.now() + BUSY_MS;
    this.#sentInTurn = 0;
    this.#write();
  };

  #write = (): void => {
    const [first] = this.#frames;
    if (!first) return;
    const whole = this.#frames.length === 1 ? first : Buffer.concat(this.#frames, this.#bytes);
    this.#frames = [];
    this.#bytes = 0;
    super.send(whole);
  };
}
