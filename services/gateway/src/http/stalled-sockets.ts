// Closes the connections of clients that do not read: their answers would stay in memory, and their places taken.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isObject } from '@millrace/contracts';

export type StalledOptions = {
  /** Maximum time in which no byte of a pending write leaves, ms. */
  stalledMs: number;
  /** Called before a connection is closed. @param bytes that the client has not read */
  onStalled: (bytes: number) => void;
  /** Called at intervals with the number of connections that were refused since the last call. */
  onRefused: (connections: number) => void;
};

/** `flushed`: bytes of completed writes; `queued`: bytes of the pending one that the system has not taken; `since`: the time at which both were first seen. */
type SocketProgress = { flushed: number; queued: number; since: number };

const CHECKS_PER_STALL = 4;

/** Watches until the server closes. */
export function closeStalledSockets(server: Server, { stalledMs, onStalled, onRefused }: StalledOptions): void {
  const watched = new Map<Socket, SocketProgress | undefined>();
  let refused = 0;
  const check = () => {
    const now = performance.now();
    for (const [socket, seen] of watched) {
      const progress = readProgress(socket, seen, now);
      watched.set(socket, progress);
      if (!progress || now - progress.since < stalledMs) continue;
      onStalled(socket.writableLength);
      socket.destroy();
    }
    if (refused > 0) onRefused(refused);
    refused = 0;
  };
  const timer = setInterval(check, stalledMs / CHECKS_PER_STALL).unref();
  server.on('connection', (socket: Socket) => {
    watched.set(socket, undefined);
    socket.once('close', () => watched.delete(socket));
  });
  server.on('drop', () => (refused += 1));
  server.once('close', () => clearInterval(timer));
}

/** Returns undefined for a connection without a pending write. */
function readProgress(socket: Socket, seen: SocketProgress | undefined, now: number): SocketProgress | undefined {
  if (socket.writableLength === 0) return undefined;
  const flushed = socket.bytesWritten - socket.writableLength;
  const queued = readQueue(socket);
  return seen?.flushed === flushed && seen.queued === queued ? seen : { flushed, queued, since: now };
}

/** The socket counts whole writes, its handle the bytes of the pending one. Node.js measures its own timeouts by this number. */
function readQueue(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  return isObject(handle) && typeof handle['writeQueueSize'] === 'number' ? handle['writeQueueSize'] : 0;
}
