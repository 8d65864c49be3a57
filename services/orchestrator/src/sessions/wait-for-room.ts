// Waits for room in a stream: the feeder is released when the windows have moved, or when the stream is closed.

export type RoomWait = {
  /** Resolves at once, or when there is room again, when the signal fires, or when it is closed. */
  wait(): Promise<void>;
  /** Wakes the waiting feeders, because a window has moved. */
  check(): void;
  close(): void;
};

export function createRoom(signal: AbortSignal, isFull: () => boolean): RoomWait {
  let waiting: (() => void)[] = [];
  let isClosed = false;
  const check = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  signal.addEventListener('abort', check, { once: true });
  return {
    check,
    async wait() {
      const mustWait = () => !isClosed && !signal.aborted && isFull();
      while (mustWait()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    close() {
      isClosed = true;
      signal.removeEventListener('abort', check);
      check();
    },
  };
}
