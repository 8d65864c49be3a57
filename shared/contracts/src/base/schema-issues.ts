// Converts schema errors to readable issues: a path and an expectation for each problem. For a value that fits no form
// of a union, the issues refer to the closest form.
import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import type { Issue } from './errors.ts';

/** Maximum number of listed problems; one more issue counts the rest. */
export const MAX_ISSUES = 50;
/** Maximum number of listed choices. */
const MAX_CHOICES = 16;
/** Maximum length of a path: the names in it are the sender's. */
const MAX_PATH = 300;

type Complaint = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
type Problem = { path: Path; message: string };

/** With JSON paths such as `input[2].timeoutMs`. */
export function listIssues(error: z.ZodError, code: ErrorCode = 'message-invalid'): Issue[] {
  const problems = error.issues.flatMap((complaint) => listProblems(complaint, []));
  const listed = problems.slice(0, MAX_ISSUES);
  const issues = listed.map(({ path, message }): Issue => ({ code, message, path: formatPath(path) }));
  const rest = problems.length - listed.length;
  return rest === 0 ? issues : [...issues, { code, message: `and ${rest} more problems` }];
}

export function formatPath(path: Path): string {
  const text = path
    .map((key, at) =>
      typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key).slice(0, MAX_PATH)}`,
    )
    .join('');
  return text.length > MAX_PATH ? `${text.slice(0, MAX_PATH)}…` : text;
}

function listProblems(complaint: Complaint, parent: Path): Problem[] {
  const path = [...parent, ...complaint.path];
  switch (complaint.code) {
    case 'invalid_union':
      return listUnionProblems(complaint, path);
    case 'unrecognized_keys':
      return complaint.keys.map((key) => ({ path: [...path, key], message: 'is not a known field' }));
    case 'invalid_key':
    case 'invalid_element':
      return complaint.issues.flatMap((inner) => listProblems(inner, path));
    default:
      return [{ path, message: isOurs(complaint) ? complaint.message : describeExpectation(complaint) }];
  }
}

/** Keeps messages of our own schemas. Zod's messages start like these. */
const isOurs = ({ message }: Complaint): boolean => !/^(Invalid|Too small|Too big|Unrecognized)\b/.test(message);

function listUnionProblems(union: z.core.$ZodIssueInvalidUnion, path: Path): Problem[] {
  const forms = union.errors.filter((form) => !form.some(isOfWholeValue));
  const [closest] = forms.toSorted((a, b) => measureDistance(a) - measureDistance(b));
  if (closest) return closest.flatMap((complaint) => listProblems(complaint, path));
  if (isOurs(union)) return [{ path, message: union.message }];
  if (union.errors.length === 0) return [{ path, message: `must be ${formatChoices(readOptions(union))}` }];
  const [first] = union.errors.flat();
  const expected = union.errors.flatMap((form) => form.filter(isOfWholeValue).map(describeExpected));
  return [{ path, message: `must be ${joinWithOr([...new Set(expected)])}${first ? describeActual(first) : ''}` }];
}

/** Returns true if the complaint is about the whole value, because it is of another kind. */
const isOfWholeValue = ({ path }: Complaint): boolean => path.length === 0;

/** A form with another tag (`type`, …) was not intended; otherwise the form with the fewest problems is closest. */
function measureDistance(form: readonly Complaint[]): number {
  return form.length + (form.some(isOfTag) ? 1_000 : 0);
}

function isOfTag({ path, code }: Complaint): boolean {
  return path.length === 1 && (code === 'invalid_union' || path[0] === 'type');
}

/** Without a matching tag zod lists the known tags. */
function readOptions({ discriminator, ...rest }: z.core.$ZodIssueInvalidUnion): readonly unknown[] {
  const options: unknown = 'options' in rest ? rest.options : undefined;
  return Array.isArray(options) ? options : [`another ${discriminator ?? 'value'}`];
}

type Simple = Exclude<Complaint, { code: 'invalid_union' | 'unrecognized_keys' | 'invalid_key' | 'invalid_element' }>;

function describeExpectation(complaint: Simple): string {
  switch (complaint.code) {
    case 'invalid_type':
      return isMissing(complaint)
        ? `is missing: must be ${describeExpected(complaint)}`
        : `must be ${describeExpected(complaint)}${describeActual(complaint)}`;
    case 'invalid_value':
      return `must be ${formatChoices(complaint.values)}`;
    case 'too_small':
      return `must ${bound(complaint.origin, complaint.inclusive === false ? 'more than' : 'at least', complaint.minimum)}`;
    case 'too_big':
      return `must ${bound(complaint.origin, complaint.inclusive === false ? 'less than' : 'at most', complaint.maximum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${complaint.divisor}`;
    case 'invalid_format':
      return `must be ${FORMATS[complaint.format] ?? `of the format ${complaint.format}`}`;
    case 'custom':
      return complaint.message;
  }
}

const FORMATS: Record<string, string> = {
  url: 'a URL',
  regex: 'of another form',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  uuid: 'a UUID',
  email: 'an e-mail address',
};

/** Keyed by zod's names. */
const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
};

const describeExpected = (complaint: Complaint): string =>
  complaint.code === 'invalid_type'
    ? (KINDS[complaint.expected] ?? complaint.expected)
    : complaint.code === 'invalid_value'
      ? formatChoices(complaint.values)
      : 'another value';

/** The received type is only in zod's message. */
const readReceived = ({ message }: Complaint): string | undefined => /received (\w+)/.exec(message)?.[1];
const isMissing = (complaint: Complaint): boolean => readReceived(complaint) === 'undefined';

function describeActual(complaint: Complaint): string {
  const received = readReceived(complaint);
  const isFraction = received === 'number' && describeExpected(complaint) === KINDS['int'];
  return received === undefined || isFraction ? '' : `, not ${KINDS[received] ?? received}`;
}

const UNITS: Record<string, string> = { string: 'characters', array: 'items', set: 'items', object: 'fields' };

function bound(origin: string, how: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `be ${how} ${limit}` : `have ${how} ${limit} ${limit === 1 ? unit.slice(0, -1) : unit}`;
}

function formatChoices(values: readonly unknown[]): string {
  const named = values.slice(0, MAX_CHOICES).map((value) => JSON.stringify(value));
  return joinWithOr(values.length > MAX_CHOICES ? [...named, `one of ${values.length - MAX_CHOICES} more`] : named);
}

function joinWithOr(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
