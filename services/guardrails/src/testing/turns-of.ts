// How often the event loop turns while something goes on: what others get of it, on a machine of any speed.
import { setImmediate as nextTurn } from 'node:timers/promises';

export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController();
  const counting = (async () => {
    for (let turns = 0; ; turns++) {
      if (done.signal.aborted) return turns;
      await nextTurn();
    }
  })();
  await work();
  done.abort();
  return counting;
}
