// Core publish: at most once, to current subscribers.
import type { PublishOptions } from 'nats';
import type { Bus } from './bus.ts';
import { encodeWithin, createTooLargeError } from './wire.ts';

/** @throws message-too-large */
export function publish(bus: Bus, subject: string, value: unknown): void {
  publishBytes(bus, subject, encodeWithin(value, bus.readMaxPayload(), subject));
}

/** A closed or draining connection drops the message as a lost one does: the caller could not handle an error. */
export function publishBytes(bus: Bus, subject: string, bytes: Uint8Array, options?: PublishOptions): void {
  if (!bus.nc.isClosed() && !bus.nc.isDraining()) bus.nc.publish(subject, bytes, options);
}

/**
 * Publishes chunks as one message, or as several if one would exceed `maxBytes` (UTF-16 length, close enough for a
 * bound far below the server's). `head` returns the rest of a message; `last` is true for the message that ends the
 * batch. Each chunk is encoded once.
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
  if (bytes.length > bus.readMaxPayload()) throw createTooLargeError(bytes.length, bus.readMaxPayload(), subject);
  publishBytes(bus, subject, bytes);
}
