// One error class, one wire form: {code, message, path?, remedy?, issues?}. `message` says what went wrong and with what,
// `remedy` what to do instead, `path` where in the input it stands.
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { typed } from './typed-schema.ts';

const codes = Object.keys(ERROR_CODES);

/** Codes that this version does not know still travel: an older reader must not fail on a newer writer's error. */
export const errorCodeSchema = typed<ErrorCode>(z.string().min(1));

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
  retryAfterMs: z.number().int().min(0).optional().describe('a limit was met: when it is worth asking again, in ms'),
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

  /** True for errors of every copy of this package: a marker, not instanceof. */
  static isInstance(error: unknown): error is MillraceError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

export function isKnownCode(code: string): boolean {
  return codes.includes(code);
}

/** The wire form of anything thrown. What is not ours is `internal` unless the caller names a better code. */
export function toWireError(error: unknown, fallback: ErrorCode = 'internal'): WireError {
  if (!MillraceError.isInstance(error)) {
    return { code: fallback, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, path, remedy, issues, retryAfterMs } = error;
  const more = { ...(issues && { issues }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return { code, message, ...(path && { path }), ...(remedy && { remedy }), ...more };
}

export function fromWireError(error: WireError): MillraceError {
  return new MillraceError(error.code, error.message, error);
}
