// Waiting until there is room again: whoever feeds a stream is let go when the windows have moved, or when nobody wants it any more.

export type Room = {
  /** Resolves at once, or when it is no longer full; when the signal fires; when it is closed. */
  wait(): Promise<void>;
  /** Something has moved. */
  check(): void;
  close(): void;
};

export function createRoom(signal: AbortSignal, isFull: () => boolean): Room {
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
