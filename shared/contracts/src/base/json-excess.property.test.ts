import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REQUEST_BOUNDS, findExcess } from './json-excess.ts';

describe('bounds of a text before JSON.parse', () => {
  const { depth, values, members } = REQUEST_BOUNDS;
  const refuse = (json: string) => findExcess(Buffer.from(json), REQUEST_BOUNDS);

  test.each([
    [`${'['.repeat(depth)}${']'.repeat(depth)}`, undefined],
    [`${'['.repeat(depth + 1)}${']'.repeat(depth + 1)}`, `is nested more than ${depth} deep`],
    [
      `[${Array(values - 2)
        .fill('{}')
        .join(',')}]`,
      `has more than ${values} values`,
    ],
    [
      `[${Array(values - 1)
        .fill('0')
        .join(',')}]`,
      undefined,
    ],
    [`{${Array.from({ length: members }, (_, at) => `"${at}":0`).join(',')}}`, undefined],
    [
      `{${Array.from({ length: members + 1 }, (_, at) => `"${at}":0`).join(',')}}`,
      `has an object with more than ${members} members`,
    ],
  ])('%#', (json, problem) => expect(refuse(json)).toBe(problem));

  test('Brackets, commas and quotes within texts count as one value, whatever their escapes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value: unknown) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const counted = countParsed(value);
        expect(findExcess(bytes, { ...counted, members: Infinity })).toBeUndefined();
        const tooFew = { ...counted, values: counted.values - 1, members: Infinity };
        // A text or a number alone is not counted.
        expect(findExcess(bytes, tooFew) === undefined).toBe(counted.values === 1);
      }),
    );
  });
});

/** Counts as `findExcess` does: an empty list or object counts as one value more. */
function countParsed(value: unknown): { depth: number; values: number } {
  const inner = typeof value === 'object' && value !== null ? Object.values(value).map(countParsed) : undefined;
  if (!inner) return { depth: 0, values: 1 };
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values:
      1 +
      Math.max(
        1,
        inner.reduce((sum, { values }) => sum + values, 0),
      ),
  };
}
