// Core publish: at most once, to whoever listens.
import type { Bus } from './bus.ts';
import { encodeWithin, tooLarge } from './wire.ts';

/** @throws message-too-large */
export function publish(bus: Bus, subject: string, value: unknown): void {
  publishBytes(bus, subject, encodeWithin(value, bus.maxPayload(), subject));
}

/** A connection that is closed for good loses the message as a broken one does: nobody is there who could act on a throw. */
export function publishBytes(bus: Bus, subject: string, bytes: Uint8Array): void {
  if (!bus.nc.isClosed()) bus.nc.publish(subject, bytes);
}

/**
 * Publishes chunks as one message, or as several where one would be over `maxBytes` (UTF-16 length, close enough for a bound far
 * below the server's). `head` makes the rest of a message; `last` is true for the one that ends the batch. The chunks are
 * written as JSON once, whatever the head is.
 */
export function publishInBatches(
  bus: Bus,
  subject: string,
  chunks: readonly unknown[],
  maxBytes: number,
  head: (last: boolean, count: number) => object,
  last = true,
): void {
  const body = JSON.stringify(chunks);
  if (body.length > maxBytes && chunks.length > 1) {
    const half = chunks.length >> 1;
    publishInBatches(bus, subject, chunks.slice(0, half), maxBytes, head, false);
    publishInBatches(bus, subject, chunks.slice(half), maxBytes, head, last);
    return;
  }
  const bytes = Buffer.from(`${JSON.stringify(head(last, chunks.length)).slice(0, -1)},"chunks":${body}}`);
  if (bytes.length > bus.maxPayload()) throw tooLarge(bytes.length, bus.maxPayload(), subject);
  publishBytes(bus, subject, bytes);
}
