// Checks whether the server answers now: a connection remains open for a while after its server has stopped.
import type { Bus } from './bus.ts';

/** Returns false also without a connection. */
export async function isServerAnswering(bus: Bus, withinMs: number): Promise<boolean> {
  if (!bus.hasConnection()) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), withinMs);
  bus.nc.rtt().then(
    () => resolve(true),
    () => resolve(false),
  );
  const answers = await promise;
  clearTimeout(timer);
  return answers;
}
