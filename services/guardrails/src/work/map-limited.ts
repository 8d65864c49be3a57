// Runs asynchronous work on several values with limited concurrency.

/**
 * Returns the results in order. The first failure aborts the other calls and is thrown.
 * @param signal aborts all calls
 */
export async function mapLimited<T, R>(
  values: readonly T[],
  maxAtOnce: number,
  signal: AbortSignal,
  map: (value: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const first = new AbortController();
  const either = AbortSignal.any([signal, first.signal]);
  const left = [...values.entries()];
  const results: R[] = [];
  const runWorker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await map(next[1], either);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, values.length) }, runWorker));
  } catch (error) {
    left.length = 0;
    first.abort(error);
    throw error;
  }
  return results;
}
