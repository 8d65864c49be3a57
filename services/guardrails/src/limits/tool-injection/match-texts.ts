// Finds the patterns that match a text. Runs as a task, so that a long message is read on another thread.
import { compilePattern } from '../../text/linear-pattern.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

/** Returns for each text the patterns that match it. */
const prepareMatches: PrepareJudge<readonly string[], string[]> = (sources) => {
  const patterns = sources.map((source) => compilePattern(source));
  return (texts) =>
    texts.map((text) => patterns.filter((pattern) => pattern.matches(text)).map(({ source }) => source));
};

export const matchTask = defineTask(import.meta.url, prepareMatches);
