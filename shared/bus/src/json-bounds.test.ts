import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_JSON_DEPTH } from './json-bounds.ts';
import { decode } from './wire.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const read = (json: string) => decode(Buffer.from(json), z.unknown(), 'a.subject');
const refusal = (json: string) => {
  const decoded = read(json);
  return 'error' in decoded ? { code: decoded.error.code, message: decoded.error.message } : undefined;
};

describe('nesting of JSON that is read', () => {
  test('up to the bound is read', () => {
    expect(refusal(nested(MAX_JSON_DEPTH))).toBeUndefined();
  });

  test('beyond the bound is refused by a code, however deep, before any schema sees it', () => {
    for (const depth of [MAX_JSON_DEPTH + 1, 10_000, 200_000, 1_000_000]) {
      expect(refusal(nested(depth))).toEqual({
        code: 'message-invalid',
        message: 'The message on a.subject is nested more than 160 deep.',
      });
    }
  });

  test.each([1_000, 600_000])('in a text of %i characters does not count, after an escaped quote either', (length) => {
    expect(read(JSON.stringify({ text: `"\\${'['.repeat(length)}` }))).toHaveProperty('ok');
  });
});

describe('a member __proto__ of JSON that is read', () => {
  test.each(['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}', '{"__\\u0070roto__":1}', '{"\\u005f_proto__":1}'])(
    'is refused wherever it stands and however it is spelt: %s',
    (json) => {
      expect(refusal(json)).toMatchObject({ code: 'message-invalid', message: expect.stringContaining('__proto__') });
    },
  );

  test('in a text is only a text', () => {
    expect(read('{"text":"obj.__proto__ \\u005f"}')).toHaveProperty('ok');
  });
});
