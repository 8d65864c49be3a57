// Waits for a signal as the loser of a race.

/** Resolves with undefined when the signal aborts. `AbortSignal.timeout` makes it a timer that keeps no process. */
export const waitForAbort = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
