import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_JSON_DEPTH } from './core/wire.ts';
import { decode } from './core/wire.ts';

const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const read = (json: string) => decode(Buffer.from(json), z.unknown(), 'a.subject');
const refusal = (json: string) => {
  const decoded = read(json);
  return 'error' in decoded ? { code: decoded.error.code, message: decoded.error.message } : undefined;
};

describe('nesting of parsed JSON', () => {
  test('Nesting up to the bound is accepted', () => {
    expect(refusal(nest(MAX_JSON_DEPTH))).toBeUndefined();
  });

  test('Nesting beyond the bound is rejected with a code before any schema reads it, for any depth', () => {
    for (const depth of [MAX_JSON_DEPTH + 1, 10_000, 200_000, 1_000_000]) {
      expect(refusal(nest(depth))).toEqual({
        code: 'message-invalid',
        message: 'The message on a.subject is nested more than 160 deep.',
      });
    }
  });

  test.each([1_000, 600_000])(
    'Brackets in a text of %i characters do not count, also after an escaped quote',
    (length) => {
      expect(read(JSON.stringify({ text: `"\\${'['.repeat(length)}` }))).toHaveProperty('ok');
    },
  );
});

describe('a member __proto__ in parsed JSON', () => {
  test.each(['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}', '{"__\\u0070roto__":1}', '{"\\u005f_proto__":1}'])(
    'The member is rejected at any position and in any spelling: %s',
    (json) => {
      expect(refusal(json)).toMatchObject({ code: 'message-invalid', message: expect.stringContaining('__proto__') });
    },
  );

  test('__proto__ in a text is accepted', () => {
    expect(read('{"text":"obj.__proto__ \\u005f"}')).toHaveProperty('ok');
  });
});
