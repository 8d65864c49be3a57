// Whether the server answers now: a connection stands for a while after the server at its other end has stopped.
import type { Bus } from './bus.ts';

/** False also where there is no connection. */
export async function serverAnswers(bus: Bus, withinMs: number): Promise<boolean> {
  if (!bus.connected()) return false;
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
