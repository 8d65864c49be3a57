import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from './error-codes.ts';
import { MillraceError, fromWireError, isKnownCode, toWireError, wireErrorSchema } from './errors.ts';

describe('an error on the wire', () => {
  const issues = [{ code: 'options-invalid' as const, message: 'too small', path: 'limit' }];
  const full = new MillraceError('agent-invalid', 'It is refused.', {
    path: 'input[0]',
    remedy: 'Change it.',
    issues,
    cause: new Error('inner'),
  });

  test('A wire error round-trips code, message, path, remedy and issues', () => {
    const wire = JSON.parse(JSON.stringify(toWireError(full)));
    expect(wireErrorSchema.parse(wire)).toEqual({
      code: 'agent-invalid',
      message: 'It is refused.',
      path: 'input[0]',
      remedy: 'Change it.',
      issues,
    });
    expect(fromWireError(wire)).toMatchObject({
      code: 'agent-invalid',
      path: 'input[0]',
      remedy: 'Change it.',
      issues,
    });
  });

  test('A wire error omits its cause', () => {
    expect(full.cause).toEqual(new Error('inner'));
    expect(JSON.stringify(toWireError(full))).not.toContain('inner');
  });

  test("A wire error of another thrown value is internal, or has the caller's code", () => {
    expect(toWireError(new TypeError('x is not a function'))).toEqual({
      code: 'internal',
      message: 'x is not a function',
    });
    expect(toWireError('just text', 'tool-failed')).toEqual({ code: 'tool-failed', message: 'just text' });
    expect(toWireError(undefined).message).toBe('undefined');
  });

  test('An error with an unknown code is transmitted', () => {
    expect(wireErrorSchema.safeParse({ code: 'of-a-later-version', message: 'x' }).success).toBe(true);
    expect(isKnownCode('of-a-later-version')).toBe(false);
  });
});

test('isInstance recognizes an error by its marker, not by its class', () => {
  const ofAnotherCopy = { [Symbol.for('millrace.error')]: true, code: 'timeout', message: 'x' };
  expect(MillraceError.isInstance(ofAnotherCopy)).toBe(true);
  expect([new Error('x'), null, undefined, 'timeout', { code: 'timeout' }].some(MillraceError.isInstance)).toBe(false);
});

test('Codes are kebab-case, and each has a sentence as its description', () => {
  for (const [code, meaning] of Object.entries(ERROR_CODES)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(meaning).toMatch(/^\S.*\.$/);
  }
});
