// Tests that the windows that find-floods.ts looks at contain a part of each flood.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanText } from '../../text/views/scanned-text.ts';
import { findFloods } from './find-floods.ts';

const find = (text: string) => findFloods(scanText(text));

const piece = fc.tuple(
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 20 }),
  fc.integer({ min: 120, max: 3_000 }),
);

test('findFloods finds a flood of pieces with breaks between them at any place', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12_000 }),
      fc.array(piece, { minLength: 20, maxLength: 30 }),
      (before, pieces) => {
        const prose = Array.from({ length: before }, (_, at) =>
          String.fromCharCode(97 + ((at * at * 7 + (at >> 3)) % 25)),
        ).join('');
        const flood = pieces.map(([some, length]) => some.repeat(Math.ceil(length / some.length))).join('<break>');
        const isLong = flood.length >= 21_000;
        expect(find(`${prose}\n${flood}\n${prose}`).length > 0).toBe(isLong || find(flood).length > 0);
      },
    ),
    { seed: 13, numRuns: 60 },
  );
});

test('findFloods finds no flood in a long text without repetitions', () => {
  const text = Array.from({ length: 40_000 }, (_, at) => (at * at).toString(36)).join(' ');
  expect(find(text)).toEqual([]);
});
