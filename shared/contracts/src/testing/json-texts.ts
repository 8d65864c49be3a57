// Generates JSON texts as models, clients and servers write them: with any numbers, escapes, white space and orders.
import * as fc from 'fast-check';

const numbers = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '10.50',
    '1e400',
    '-1E+2',
    '1456181302800679079',
    '0.1',
    '1e-7',
    '123456789012345678901234567890',
  ),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc
    .tuple(fc.integer(), fc.stringMatching(/^\d{1,25}$/), fc.integer({ min: -400, max: 400 }))
    .map(([whole, fraction, power]) => `${whole}.${fraction}e${power}`),
);

/** A text with escapes that JSON.stringify does not write. */
const strings = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.constantFrom('\\/', '\\u0041', '\\ud83d\\ude00', '\\ud800', '\\u0000', 'é', '中文', '😀', '\u2028'),
    ),
    { maxLength: 4 },
  )
  .map((parts) => `"${parts.join('')}"`);

const spaces = fc.constantFrom('', '', '', ' ', '\n  ', '\t');
const names = fc.oneof(strings, fc.constantFrom('"2"', '"1"', '"id"', '"constructor"', '"toString"'));

type Member = [before: string, name: string, after: string, value: string];

const listMembers = (member: fc.Arbitrary<Member>, hasDuplicates: boolean): fc.Arbitrary<Member[]> =>
  hasDuplicates
    ? fc.array(member, { maxLength: 4 })
    : fc.uniqueArray(member, { maxLength: 4, selector: ([, name]) => String(JSON.parse(name)) });

/** Texts of any value; `__proto__` is no name, because no message can carry it. */
export function jsonTexts({ hasDuplicates = true } = {}): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string }>((tie) => {
    const spaced = fc.tuple(spaces, tie('value'), spaces).map((parts) => parts.join(''));
    const member = fc.tuple(spaces, names, spaces, spaced);
    return {
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        numbers,
        strings,
        fc.constantFrom('true', 'false', 'null', '[]', '{}', '{ }', '[ ]'),
        fc.array(spaced, { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        listMembers(member, hasDuplicates).map(
          (members) => `{${members.map(([before, name, after, own]) => `${before}${name}${after}:${own}`).join(',')}}`,
        ),
      ),
    };
  });
  return value;
}

/** Returns texts of objects, as arguments are: the same ones for the same seed. */
export const sampleObjectTexts = (count: number, seed: number, options?: { hasDuplicates?: boolean }): string[] =>
  fc.sample(jsonTexts(options), { numRuns: count, seed }).map((text) => `{"value": ${text}}`);
