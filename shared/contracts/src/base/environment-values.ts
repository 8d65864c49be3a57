// `${VAR}` and `${VAR:-default}` in the strings of a file, from the environment. Pure. An empty variable counts as absent,
// as in a shell; `$${VAR}` stays as `${VAR}`.
import type { ErrorCode } from './error-codes.ts';
import type { Issue } from './errors.ts';
import type { JsonValue } from './json.ts';
import { formatPath } from './schema-issues.ts';

type EnvironmentValues = Readonly<Record<string, string | undefined>>;

export type SubstitutedValue = { value: JsonValue; issues: Issue[] };

const REFERENCE = /\$(?<escape>\$?)\{(?<body>[^}]*)\}/g;
const BODY = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)(?<rest>:-(?<fallback>.*))?$/s;

/** Does not change keys. Reports every missing variable as an issue of the code, with its path. */
export function substituteEnv(value: JsonValue, env: EnvironmentValues, code: ErrorCode): SubstitutedValue {
  const issues: Issue[] = [];
  const substituted = substituteWithin(value, [], env, issues);
  return { value: substituted, issues: issues.map((issue) => ({ ...issue, code })) };
}

function substituteWithin(
  value: JsonValue,
  path: (string | number)[],
  env: EnvironmentValues,
  issues: Issue[],
): JsonValue {
  if (typeof value === 'string') return replaceInString(value, formatPath(path), env, issues);
  if (Array.isArray(value)) return value.map((item, at) => substituteWithin(item, [...path, at], env, issues));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, substituteWithin(member, [...path, key], env, issues)]),
  );
}

function replaceInString(text: string, path: string, env: EnvironmentValues, issues: Issue[]): string {
  return text.replaceAll(REFERENCE, (whole: string, escape: string, body: string) => {
    if (escape === '$') return whole.slice(1);
    const parts = BODY.exec(body)?.groups;
    const value = parts && (env[parts['name'] ?? ''] || parts['fallback']);
    if (value !== undefined) return value;
    issues.push(parts ? createMissingIssue(body, path) : createMalformedIssue(whole, path));
    return whole;
  });
}

const createMissingIssue = (name: string, path: string): Issue => ({
  code: 'config-invalid',
  message: `The variable ${name} is not set.`,
  path,
  remedy: `Set it, or give a default: \${${name}:-value}.`,
});

const createMalformedIssue = (whole: string, path: string): Issue => ({
  code: 'config-invalid',
  message: `${whole} does not contain a variable name.`,
  path,
  remedy: 'Write ${NAME} or ${NAME:-default}; where the text itself is meant, $${…}.',
});
