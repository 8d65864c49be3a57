// One line for what zod found: which field, and what is wrong with it. Of a union's branches the one that got furthest
// into the value is the one that its sender meant, so its complaint is the useful one.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

export type FieldComplaint = {
  /** As one would write it in JavaScript: `messages[0].content`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
};

export function describeIssue(error: z.ZodError): FieldComplaint {
  const [first] = error.issues;
  if (first === undefined) return { path: '', message: error.message };
  const { path, message } = furthest(first, []);
  return { path: formatPath(path), message };
}

function furthest(issue: Issue, prefix: readonly PropertyKey[]): { path: readonly PropertyKey[]; message: string } {
  const path = [...prefix, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  const branches = issue.errors.flatMap((issues) => issues.slice(0, 1)).map((inner) => furthest(inner, path));
  const deepest = branches.toSorted((a, b) => b.path.length - a.path.length)[0];
  return deepest !== undefined && deepest.path.length > path.length ? deepest : { path, message: issue.message };
}

const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
