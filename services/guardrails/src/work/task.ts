// The part of a guard that costs time, as a pure function from texts to what is found in each: short texts are judged at once,
// long ones on another thread, so that no message slows another run.
import { BOUNDS, costOf } from '../guard/bounds.ts';
import { outcomeOf, type Judge, type PrepareJudge, type TaskOutcome, type TaskRequest } from './task-outcome.ts';
import { createThreadPool } from './thread-pool.ts';

export type Task<R> = {
  /** In this turn of the event loop: for what is known to be short. @throws BoundExceeded */
  now: Judge<R>;
  run(texts: readonly string[], signal: AbortSignal): Promise<TaskOutcome<R>>;
};

/** At most so much is judged in one turn of the event loop: some 15 ms of the slowest guard on its worst text. Characters. */
export const MAX_INLINE_COST = 6_144;
const MIN_INLINE_COST = 256;

/** @param weight how many times more than the slowest other guard it costs */
export const inlineCostOf = (weight: number): number => Math.max(MIN_INLINE_COST, Math.floor(MAX_INLINE_COST / weight));

/** One for the process: the cores are the process's. */
const threads = createThreadPool({ module: new URL('./task-thread.ts', import.meta.url) });
export const closeThreads = (): Promise<void> => threads.close();

/**
 * @param name under which tasks.ts has `prepare`
 * @param maxInlineCost less for what is slower than the slowest guard
 */
export function createTask<O, R>(
  name: string,
  prepare: PrepareJudge<O, R>,
  options: O,
  maxInlineCost: number = MAX_INLINE_COST,
): Task<R> {
  let judge: Judge<R> | undefined;
  const now: Judge<R> = (texts) => (judge ??= prepare(options))(texts);
  return {
    now,
    async run(texts, signal) {
      const cost = costOf(texts);
      if (cost > BOUNDS.characters) return { exceeded: 'characters' };
      if (cost <= maxInlineCost) return outcomeOf(now, texts);
      const request: TaskRequest = { task: name, options, texts };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread ran `prepare`, which tasks.ts has under `name`
      const outcome = (await threads.run(request, { cost, signal })) as TaskOutcome<R>;
      if ('found' in outcome && outcome.found.length !== texts.length) throw new Error('Not every text was judged.');
      return outcome;
    },
  };
}
