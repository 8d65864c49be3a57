// Finds the cause of a failed call of a model: it decides whether the call is repeated, another candidate is asked, or the run ends.
import { isObject, readJson, type ErrorCode, type FailureCause, type ModelError } from '@millrace/contracts';

/** Errors of the AI SDK for an event or a body that is no JSON, or has another form. */
const MALFORMED_NAMES: ReadonlySet<string> = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
]);

/** Statuses of a key that the provider does not accept, or of an account without money. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 402, 403]);
/** Statuses below 500 that another call may not have: a timeout, a conflict, a request that was too early. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425]);
/** Statuses of a refusal that concerns the content of the request. */
const OF_CONTENT: ReadonlySet<number | undefined> = new Set([undefined, 400, 413, 422]);

/** A 429 that no wait ends. Source: error codes of OpenAI and of compatible servers. */
const EXHAUSTED = /insufficient[_ ]quota|billing_hard_limit|exceeded your current quota|credit balance is too low/i;
const TOO_LONG =
  /context_length_exceeded|maximum context length|prompt is too long|context window|input token count .* exceeds|too many input tokens/i;
const REFUSED = /content_policy|content_filter|content policy|safety system|prohibited_content|responsible ?ai/i;

/** @param code of the failure; absent: model-call-failed */
export function classifyFailure(error: ModelError, code: ErrorCode = 'model-call-failed'): FailureCause {
  if (code === 'model-idle') return 'silent';
  if (code !== 'model-call-failed') return 'internal';
  const { statusCode, name, isRetryable } = error;
  const reason = readReason(error);
  if (OF_CONTENT.has(statusCode) && TOO_LONG.test(reason)) return 'too-long';
  if (OF_CONTENT.has(statusCode) && REFUSED.test(reason)) return 'refused';
  if (statusCode !== undefined) return classifyStatus(statusCode, reason, error);
  if (MALFORMED_NAMES.has(name)) return 'malformed';
  if (!isRetryable) return 'invalid';
  return name === CUT_OFF ? 'cut' : 'network';
}

/** Name of the error of a stream that ended without a finish reason. */
export const CUT_OFF = 'StreamCutOff';

function classifyStatus(statusCode: number, reason: string, { isRetryable }: ModelError): FailureCause {
  if (UNAUTHORIZED.has(statusCode)) return 'unauthorized';
  if (statusCode === 429) return EXHAUSTED.test(reason) ? 'unauthorized' : 'throttled';
  if (statusCode >= 500 || PASSING.has(statusCode)) return 'unavailable';
  if (statusCode < 400) return isRetryable ? 'cut' : 'malformed';
  return 'invalid';
}

/** Returns the code, the type and the message of the provider. */
function readReason({ message, responseBody = '' }: ModelError): string {
  const answer = readJson(responseBody)?.value;
  const inner = isObject(answer) && isObject(answer['error']) ? answer['error'] : isObject(answer) ? answer : {};
  return [message, inner['code'], inner['type'], inner['message'], inner['status']]
    .filter((text) => typeof text === 'string')
    .join('\n');
}
