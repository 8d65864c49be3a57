import { APICallError, RetryError } from 'ai';
import { modelErrorSchema } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { fromModelError, RESPONSE_BODY_MAX_CHARS, toModelError } from './model-error.ts';

const refused = new APICallError({
  message: 'Too many requests',
  url: 'https://api.example/v1/responses',
  requestBodyValues: { input: 'the whole prompt' },
  responseHeaders: { authorization: 'Bearer secret' },
  statusCode: 429,
  responseBody: '{"error":{}}',
});

describe('model errors on the wire', () => {
  test('An API error round-trips', () => {
    const wire = modelErrorSchema.parse(JSON.parse(JSON.stringify(toModelError(refused))));
    const rebuilt = fromModelError(wire);
    expect(APICallError.isInstance(rebuilt)).toBe(true);
    expect(rebuilt).toMatchObject({ message: 'Too many requests', statusCode: 429, isRetryable: true });
    expect(toModelError(rebuilt)).toEqual(wire);
  });

  test('An API error of another package, without an address, keeps its message', () => {
    const names = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'].map((name) => [Symbol.for(name), true]);
    const limited = Object.assign(new Error('slow down'), Object.fromEntries(names), { isRetryable: true });
    expect(toModelError(limited)).toEqual({ name: 'Error', message: 'slow down', isRetryable: true });
  });

  test('neither the prompt nor a header travels', () => {
    expect(JSON.stringify(toModelError(refused))).not.toMatch(/prompt|secret/);
  });

  test('A retried call reports its last error', () => {
    const tried = new RetryError({
      message: 'Failed after 3 attempts',
      reason: 'maxRetriesExceeded',
      errors: [refused],
    });
    expect(toModelError(tried)).toEqual(toModelError(refused));
  });

  test('Another error, and a thrown string, keep their messages and are not retried', () => {
    expect(toModelError(new TypeError('no'))).toEqual({ name: 'TypeError', message: 'no', isRetryable: false });
    expect(toModelError('no')).toEqual({ name: 'Error', message: 'no', isRetryable: false });
    const rebuilt = fromModelError({ name: 'TypeError', message: 'no', isRetryable: false });
    expect(rebuilt).toMatchObject({ name: 'TypeError', message: 'no', statusCode: undefined });
    expect(APICallError.isInstance(rebuilt)).toBe(true);
  });

  test('a page-long body is cut', () => {
    const long = new APICallError({ message: '', url: '', requestBodyValues: {}, responseBody: 'x'.repeat(100_000) });
    expect(toModelError(long).responseBody).toHaveLength(RESPONSE_BODY_MAX_CHARS);
  });
});
