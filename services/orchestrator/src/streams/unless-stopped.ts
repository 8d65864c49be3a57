// Waits for work or for an abort.

/**
 * Returns the result of the work, or undefined once the signal has fired. The result of work that is still in progress
 * then is dropped.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => stopped.resolve(undefined);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped.promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
