import type { ErrorCode, ModelError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { classifyFailure, CUT_OFF } from './classify-failure.ts';

const makeError = (over: Partial<ModelError>): ModelError => ({
  name: 'AI_APICallError',
  message: 'as told',
  isRetryable: false,
  ...over,
});
const answer = (error: object) => JSON.stringify({ error });

test.each<[string, Partial<ModelError>, ErrorCode | undefined]>([
  ['network', { isRetryable: true }, undefined],
  ['network', { name: 'TypeError', message: 'terminated', isRetryable: true }, undefined],
  ['unavailable', { statusCode: 503, responseBody: '<html>Bad gateway</html>', isRetryable: true }, undefined],
  ['unavailable', { statusCode: 529 }, undefined],
  ['unavailable', { statusCode: 408 }, undefined],
  ['throttled', { statusCode: 429, isRetryable: true }, undefined],
  ['unauthorized', { statusCode: 429, responseBody: answer({ code: 'insufficient_quota' }) }, undefined],
  ['unauthorized', { statusCode: 401 }, undefined],
  ['unauthorized', { statusCode: 402 }, undefined],
  ['unauthorized', { statusCode: 403 }, undefined],
  ['silent', { isRetryable: true }, 'model-idle'],
  ['cut', { name: CUT_OFF, isRetryable: true }, undefined],
  ['malformed', { name: 'AI_JSONParseError' }, undefined],
  ['malformed', { name: 'AI_TypeValidationError' }, undefined],
  ['too-long', { statusCode: 400, responseBody: answer({ code: 'context_length_exceeded' }) }, undefined],
  [
    'too-long',
    { statusCode: 400, responseBody: answer({ type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' }) },
    undefined,
  ],
  ['too-long', { responseBody: answer({ code: 'context_length_exceeded' }) }, undefined],
  ['refused', { statusCode: 400, responseBody: answer({ code: 'content_policy_violation' }) }, undefined],
  ['refused', { statusCode: 400, responseBody: answer({ code: 'content_filter' }) }, undefined],
  ['invalid', { statusCode: 400 }, undefined],
  ['invalid', { statusCode: 404 }, undefined],
  ['invalid', {}, undefined],
  ['internal', {}, 'model-answer-too-large'],
])('The cause is %s for %j with the code %s', (cause, error, code) => {
  expect(classifyFailure(makeError(error), code)).toBe(cause);
});
