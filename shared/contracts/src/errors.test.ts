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

  test('says code, message, path, remedy and issues, and comes back with them', () => {
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

  test('keeps its cause at home', () => {
    expect(full.cause).toEqual(new Error('inner'));
    expect(JSON.stringify(toWireError(full))).not.toContain('inner');
  });

  test('made of anything else is internal, or what the caller calls it', () => {
    expect(toWireError(new TypeError('x is not a function'))).toEqual({
      code: 'internal',
      message: 'x is not a function',
    });
    expect(toWireError('just text', 'tool-failed')).toEqual({ code: 'tool-failed', message: 'just text' });
    expect(toWireError(undefined).message).toBe('undefined');
  });

  test('of a code that this version does not know still travels', () => {
    expect(wireErrorSchema.safeParse({ code: 'of-a-later-version', message: 'x' }).success).toBe(true);
    expect(isKnownCode('of-a-later-version')).toBe(false);
  });
});

test('an error is known by its marker, not by its class', () => {
  const ofAnotherCopy = { [Symbol.for('millrace.error')]: true, code: 'timeout', message: 'x' };
  expect(MillraceError.isInstance(ofAnotherCopy)).toBe(true);
  expect([new Error('x'), null, undefined, 'timeout', { code: 'timeout' }].some(MillraceError.isInstance)).toBe(false);
});

test('codes are kebab-case, and every one says what it means in a sentence', () => {
  for (const [code, meaning] of Object.entries(ERROR_CODES)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(meaning).toMatch(/^\S.*\.$/);
  }
});
