// Tests that bytes are judged like the texts that are made of them.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRun, mayHoldText } from './base64.ts';

const encoded = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text).toString('base64'));
const word = fc.string({ unit: fc.constantFrom(...'aZ09+/_-bcdQRS'.split('')), minLength: 3, maxLength: 30 });
const run = fc
  .array(fc.tuple(fc.oneof(encoded, word), fc.constantFrom('', ' ', ', ', '="', '==', '.')), { maxLength: 6 })
  .map((pieces) => pieces.flat().join(''));

test('a run without readable bytes decodes to nothing', () => {
  let empty = 0;
  fc.assert(
    fc.property(run, (some) => {
      if (mayHoldText(some)) return;
      empty += 1;
      expect(decodeRun(some)).toBe('');
    }),
    { seed: 9, numRuns: 3_000 },
  );
  expect(empty).toBeGreaterThan(500);
});
