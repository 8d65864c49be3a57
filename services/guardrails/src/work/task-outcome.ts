// What a task is asked and answers, on whichever thread it runs.
import { BoundExceeded, type Bound } from '../guard/bounds.ts';

/** What is found in each of the texts. May throw BoundExceeded. */
export type Judge<R> = (texts: readonly string[]) => R[];
/** Makes the judge for given options, which are JSON: another thread makes its own. */
export type PrepareJudge<O, R> = (options: O) => Judge<R>;
export type TaskOutcome<R> = { found: R[] } | { exceeded: Bound };
export type TaskRequest = { task: string; options: unknown; texts: readonly string[] };

export function outcomeOf<R>(judge: Judge<R>, texts: readonly string[]): TaskOutcome<R> {
  try {
    return { found: judge(texts) };
  } catch (error) {
    if (error instanceof BoundExceeded) return { exceeded: error.bound };
    throw error;
  }
}
