// Validates options against the schema that their processor advertises, for many entries in one call: ordinary ones
// take a millisecond each. The check blocks the event loop, so options above the time limit are refused unchecked.
// Processor time counts, not wall time, because a busy machine is no fault of the agent.
import type { Issue, JsonObject } from '@millrace/contracts';
import { findSchemaProblems } from '../peers/json-schema.ts';
import { readUsedMs } from '@millrace/models/within-time';

const MAX_OPTIONS_MS = 1_000;

/** `path`: of the options; `place`: of the entry. */
export type GivenOptions = { processor: string; schema: JsonObject; options: JsonObject; path: string; place: string };

export function findOptionIssues(all: readonly GivenOptions[], readUsed: () => number = readUsedMs): Issue[] {
  const before = readUsed();
  const issues: Issue[] = [];
  for (const { processor, schema, options, path, place } of all) {
    if (readUsed() - before > MAX_OPTIONS_MS) {
      const message = `The options take longer to check than ${MAX_OPTIONS_MS} ms; this entry and later ones are not checked.`;
      return [...issues, { code: 'options-invalid', message, path: place, remedy: 'Use fewer or simpler options.' }];
    }
    const problems = findSchemaProblems(schema, options);
    issues.push(
      ...problems.map((problem) => ({
        code: 'options-invalid' as const,
        message: `${processor}: ${problem.message}${problem.message.endsWith('?') ? '' : '.'}`,
        path: path === place ? path : `${path}${problem.path}`,
        remedy: `millrace processors list --json shows the options of ${processor}.`,
      })),
    );
  }
  return issues;
}
