// Describes a zod error in one line: the field and its problem. For a union it describes the branch that matched
// deepest, because the sender meant that one.
import type { z } from 'zod';

type RequestIssue = z.core.$ZodIssue;

export type FieldComplaint = {
  /** Path in JavaScript notation: `messages[0].content`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
};

export function describeIssue(error: z.ZodError): FieldComplaint {
  const [first] = error.issues;
  if (first === undefined) return { path: '', message: error.message };
  const { path, message } = findFurthest(first, []);
  return { path: formatPath(path), message };
}

function findFurthest(
  issue: RequestIssue,
  prefix: readonly PropertyKey[],
): { path: readonly PropertyKey[]; message: string } {
  const path = [...prefix, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  const branches = issue.errors.flatMap((issues) => issues.slice(0, 1)).map((inner) => findFurthest(inner, path));
  const deepest = branches.toSorted((a, b) => b.path.length - a.path.length)[0];
  return deepest !== undefined && deepest.path.length > path.length ? deepest : { path, message: issue.message };
}

const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
