// A model call's error in the form in which it travels, and back. Both ends then see an APICallError, so that a processor which
// asks APICallError.isInstance works the same in every process. The provider's headers and request do not travel: they may
// hold keys and the whole prompt. Keys of this process are replaced in texts of the provider.
import { APICallError, RetryError } from 'ai';
import { MillraceError, type ErrorCode, type ModelError } from '@millrace/contracts';
import { hideKeys } from './own-keys.ts';
import { isChatAnswer } from './provider-remedy.ts';

/**
 * Maximum length: some providers answer with whole HTML pages, and their start names the problem. UTF-16 code units.
 */
export const RESPONSE_BODY_MAX_CHARS = 4_000;

const CHAT_ANSWER = 'The provider answered a request of the Responses API with chat completions.';

export function toModelError(error: unknown): ModelError {
  // A retried call reports its last error, because "failed after 3 attempts" omits the reason.
  if (RetryError.isInstance(error)) return toModelError(error.lastError);
  if (!APICallError.isInstance(error)) return toOtherError(error);
  if (MillraceError.isInstance(error.cause)) return toOtherError(error.cause);
  const { name, message, statusCode, responseBody, isRetryable, url } = error;
  return {
    name,
    // The client's message names functions of its own API as the correction.
    message: isChatAnswer(error) ? CHAT_ANSWER : hideKeys(message),
    isRetryable,
    ...(statusCode !== undefined && { statusCode }),
    ...(responseBody !== undefined && { responseBody: hideKeys(responseBody).slice(0, RESPONSE_BODY_MAX_CHARS) }),
    ...(url && { url }),
  };
}

/** Returns the code of an error that ended the body of an answer; model-call-failed for every other error of a call. */
export function readCallCode(error: unknown): ErrorCode {
  if (RetryError.isInstance(error)) return readCallCode(error.lastError);
  const cause = APICallError.isInstance(error) ? error.cause : error;
  return MillraceError.isInstance(cause) ? cause.code : 'model-call-failed';
}

function toOtherError(error: unknown): ModelError {
  return error instanceof Error
    ? { name: error.name, message: hideKeys(error.message), isRetryable: false }
    : { name: 'Error', message: hideKeys(String(error)), isRetryable: false };
}

/** `toModelError(fromModelError(e))` is e. */
export function fromModelError(error: ModelError): APICallError {
  const { name, message, statusCode, responseBody, isRetryable, url = '' } = error;
  const rebuilt = new APICallError({
    message,
    url,
    requestBodyValues: {},
    isRetryable,
    ...(statusCode !== undefined && { statusCode }),
    ...(responseBody !== undefined && { responseBody }),
  });
  rebuilt.name = name;
  return rebuilt;
}
