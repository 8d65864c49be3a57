// Runs the expensive part of a guard, a pure function from texts to findings: inline for short texts, on a worker for
// long ones, so that no message delays another run.
import { BOUNDS, sumLengths } from './bounds.ts';
import { type TaskDefinition, runJudge, type TaskJudge, type TaskOutcome, type TaskRequest } from './define-task.ts';
import { createThreadPool } from './thread-pool.ts';

export type Task<R> = {
  /** Judges short texts in this turn of the event loop. @throws BoundExceeded */
  runNow: TaskJudge<R>;
  run(texts: readonly string[], signal: AbortSignal): Promise<TaskOutcome<R>>;
};

/** Maximum cost of an inline judgment, in characters: about 15 ms of the slowest guard on its worst text. */
export const MAX_INLINE_COST = 6_144;
const MIN_INLINE_COST = 256;

/** @param weight cost relative to the slowest other guard */
export const getInlineCost = (weight: number): number =>
  Math.max(MIN_INLINE_COST, Math.floor(MAX_INLINE_COST / weight));

/** One pool per process, because the process shares its cores. */
const threads = createThreadPool({ module: new URL('./task-thread.ts', import.meta.url) });
export const closeThreads = (): Promise<void> => threads.close();

/**
 * Creates a task for these options.
 * @param maxInlineCost lower for a guard that is slower than the slowest one
 */
export function createTask<O, R>(
  { module, prepare }: TaskDefinition<O, R>,
  options: O,
  maxInlineCost: number = MAX_INLINE_COST,
): Task<R> {
  let judge: TaskJudge<R> | undefined;
  const judgeNow: TaskJudge<R> = (texts) => (judge ??= prepare(options))(texts);
  return {
    runNow: judgeNow,
    async run(texts, signal) {
      const cost = sumLengths(texts);
      if (cost > BOUNDS.characters) return { exceeded: 'characters' };
      if (cost <= maxInlineCost) return runJudge(judgeNow, texts);
      const request: TaskRequest = { module, options, texts };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread ran the `prepare` that the module defined
      const outcome = (await threads.run(request, { cost, signal })) as TaskOutcome<R>;
      if ('found' in outcome && outcome.found.length !== texts.length) throw new Error('Not every text was judged.');
      return outcome;
    },
  };
}
