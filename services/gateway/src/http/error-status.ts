// Maps coded errors to HTTP statuses. An error without a row is a fault of the server.
import { MillraceError, toWireError, type ErrorCode, type WireError } from '@millrace/contracts';

const STATUS: Partial<Record<ErrorCode, number>> = {
  'message-invalid': 400,
  'token-invalid': 400,
  'not-json': 400,
  'not-built-yet': 400,
  'run-refused': 400,
  'agent-invalid': 400,
  'options-invalid': 400,
  'entry-without-stage': 400,
  'tool-arguments-invalid': 400,
  'tool-unconfirmed': 400,
  'resume-token-invalid': 400,
  'key-invalid': 400,
  'credentials-refused': 401,
  'scope-missing': 403,
  'origin-refused': 403,
  'permission-denied': 403,
  'run-unknown': 404,
  'agent-unknown': 404,
  'processor-unknown': 404,
  'tool-unknown': 404,
  'thread-unknown': 404,
  // A caller must not learn that the thread of another resource exists.
  'thread-foreign': 404,
  'key-unknown': 404,
  'route-unknown': 404,
  'run-exists': 409,
  'run-not-suspended': 409,
  'resume-token-used': 409,
  'state-conflict': 409,
  'chunks-gone': 410,
  'suspension-expired': 410,
  'message-too-large': 413,
  'input-too-large': 413,
  'budget-exceeded': 402,
  'budget-reserved': 429,
  'queue-full': 429,
  'too-many-runs': 429,
  'too-many-requests': 429,
  'limit-exceeded': 429,
  'agents-full': 429,
  'keys-full': 429,
  'model-call-failed': 502,
  'model-idle': 502,
  'models-unavailable': 503,
  'model-answer-too-large': 502,
  'bus-unreachable': 503,
  'nobody-there': 503,
  'store-unavailable': 503,
  'key-set-unavailable': 503,
  'processor-not-there': 503,
  timeout: 504,
  'run-deadline-exceeded': 504,
};

export type HttpError = { status: number; error: WireError };

/** Converts any thrown value. The text of a foreign error may quote data of users: the answer has its kind only. */
export function toHttpError(thrown: unknown): HttpError {
  if (!MillraceError.isInstance(thrown))
    return { status: 500, error: { code: 'internal', message: 'The gateway failed to serve the request.' } };
  return { status: findStatus(thrown.code), error: hideInternal(toWireError(thrown)) };
}

const findStatus = (code: ErrorCode): number => STATUS[code] ?? 500;

function hideInternal(error: WireError): WireError {
  switch (error.code) {
    case 'thread-foreign':
      return { code: 'thread-unknown', message: 'The thread does not exist.' };
    case 'run-exists':
      // The id of the run is derived from this header.
      return {
        code: 'run-exists',
        message: 'The Idempotency-Key was sent before with another body.',
        path: 'Idempotency-Key',
        remedy: 'Send another Idempotency-Key for another request.',
      };
    default:
      return error;
  }
}

const MS_PER_SECOND = 1_000;

/** Headers of an error: the time until a retry may succeed, in whole seconds and exactly. */
export function buildErrorHeaders({ status, error }: HttpError): Record<string, string> {
  const { retryAfterMs } = error;
  const retry: Record<string, string> =
    retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(retryAfterMs / MS_PER_SECOND)), 'retry-after-ms': String(retryAfterMs) };
  return status === 401 ? { ...retry, 'www-authenticate': 'Bearer' } : retry;
}
