// Checks the arguments of a call. Runs as a task, because a schema may contain slow patterns.
import type { JsonSchema } from '@millrace/contracts';
import { findMisfit } from '@millrace/models/json-schema';
import { compilePattern } from '../../text/linear-pattern.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

export type ArgumentRules = { schema?: JsonSchema | undefined; mustNotMatch: readonly string[] };

/** The first text is the arguments as JSON, the others are their strings. Returns for each text its misfit, without a value of it. */
const prepareMisfits: PrepareJudge<ArgumentRules, string | undefined> = ({ schema, mustNotMatch }) => {
  const patterns = mustNotMatch.map((source) => compilePattern(source));
  return ([json = 'null', ...texts]) => [
    schema && findMisfit(schema, JSON.parse(json)),
    ...texts.map((text) => {
      const at = patterns.findIndex((pattern) => pattern.matches(text));
      return at < 0 ? undefined : `a text is not allowed (pattern ${at + 1})`;
    }),
  ];
};

export const misfitTask = defineTask(import.meta.url, prepareMisfits);
