// Checks a value against a schema at a cost that its sender cannot raise: zod creates one problem, or several, for each
// invalid element, so a large value is refused at its first one.
import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import type { Issue } from './errors.ts';
import { listIssues } from './schema-issues.ts';

/** The problems of a value with at most this many members are all listed. */
const MAX_LISTED_VALUES = 1_000;

/** Ends the check at the first invalid element or member: zod's own `validate` passes it, too. */
const AT_FIRST_PROBLEM: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

export type ParsedValue<T> = { ok: T } | { issues: Issue[] };

/** Returns the output of the schema, or the problems: all of a small value, the first of a large one. */
export function parseValue<S extends z.ZodType>(schema: S, value: unknown, code?: ErrorCode): ParsedValue<z.output<S>> {
  const first = schema.safeParse(value, AT_FIRST_PROBLEM);
  if (first.success) return { ok: first.data };
  if (countValues(value, MAX_LISTED_VALUES) > MAX_LISTED_VALUES) {
    const rest = { code: code ?? 'message-invalid', message: 'the check of a large value ends at its first problem' };
    return { issues: [...listIssues(first.error, code), rest] };
  }
  const whole = schema.safeParse(value);
  // A schema with a state of its own can accept the second time.
  return { issues: listIssues(whole.error ?? first.error, code) };
}

/** Counts the values within a value, and stops above the limit. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  // Without a list of the members: they may be a million.
  for (const key in value) {
    const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    count += countValues(member, limit - count);
    if (count > limit) return count;
  }
  return count;
}
