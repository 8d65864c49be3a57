// One error class with one wire form: {code, message, path?, remedy?, issues?}. `message` describes the problem,
// `remedy` the correction, `path` the position in the input.
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { castSchema } from './typed-schema.ts';

const codes = Object.keys(ERROR_CODES);

/** Unknown codes are accepted: an older reader must not fail on a newer writer's error. */
export const errorCodeSchema = castSchema<ErrorCode>(z.string().min(1));

const issueSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  path: z.string().optional(),
  remedy: z.string().optional(),
});
/** One problem of several that are reported together. */
export type Issue = z.infer<typeof issueSchema>;

export const wireErrorSchema = issueSchema.extend({
  issues: z.array(issueSchema).optional(),
  retryAfterMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('after a limit was exceeded: time until a retry may succeed, in ms'),
});
export type WireError = z.infer<typeof wireErrorSchema>;

type ErrorDetails = {
  path?: string | undefined;
  remedy?: string | undefined;
  issues?: Issue[] | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

const marker = Symbol.for('millrace.error');

export class MillraceError extends Error {
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly remedy: string | undefined;
  readonly issues: Issue[] | undefined;
  readonly retryAfterMs: number | undefined;
  readonly [marker] = true;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'MillraceError';
    this.code = code;
    this.path = details.path;
    this.remedy = details.remedy;
    this.issues = details.issues;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Returns true for errors of every copy of this package, by a marker instead of instanceof. */
  static isInstance(error: unknown): error is MillraceError {
    return hasMarker(error, marker);
  }
}

/** Returns true for objects with the marker. Never throws: a proxy may have traps that do. */
export function hasMarker(value: unknown, symbol: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && symbol in value;
  } catch {
    return false;
  }
}

export function isKnownCode(code: string): boolean {
  return codes.includes(code);
}

/**
 * Converts any thrown value to its wire form. Foreign errors are `internal` unless the caller passes another code. Never throws: getters and
 * traps of the value may.
 */
export function toWireError(error: unknown, fallback: ErrorCode = 'internal'): WireError {
  try {
    return readWireError(error, fallback);
  } catch {
    return { code: fallback, message: 'The members of the thrown value cannot be read.' };
  }
}

function readWireError(error: unknown, fallback: ErrorCode): WireError {
  if (!MillraceError.isInstance(error)) {
    return { code: fallback, message: String(error instanceof Error ? error.message : error) };
  }
  const { code, path, remedy, issues, retryAfterMs } = error;
  // A processor in JavaScript may set any value.
  const message: unknown = error.message;
  const more = { ...(issues && { issues }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return { code, message: String(message), ...(path && { path }), ...(remedy && { remedy }), ...more };
}

export function fromWireError(error: WireError): MillraceError {
  return new MillraceError(error.code, error.message, error);
}

/** Maximum number of logged stack frames. */
const MAX_FRAMES = 8;

/**
 * Formats an unexpected error for a service's log: its type and its stack. Its message may quote user data and is
 * omitted; the run's events and result contain the publishable part.
 */
export function toLoggedError(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const label = MillraceError.isInstance(error) ? error.code : error.name;
  const { message, stack = '' } = error;
  // The message precedes the frames and may look like one.
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : '';
  const at = frames.split('\n').map((line) => line.trim());
  return { error: label, at: at.filter((line) => line.startsWith('at ')).slice(0, MAX_FRAMES) };
}
