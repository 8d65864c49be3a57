// Measures the default options on generated lines: identifiers that belong to no person, and personal numbers.
import { describe, expect, test } from 'vitest';
import { IDENTIFIER_LINES, makePhoneLine, PERSONAL_LINES, PHONE_COUNTRIES } from '../../testing/number-lines.ts';
import { createLineMaker } from '../../testing/random-lines.ts';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';

const SEED = 20_261_128;
const LINES = 10_000;
/** Judges each text by a call of its own: a call has a bound of hits. */
const prepare = (strict: boolean, regions: readonly string[] = []) => {
  const { regions: usual } = piiOptions.parse({});
  const judge = preparePii(piiOptions.parse({ strict, regions: [...usual, ...regions] }));
  return (texts: readonly string[]) => texts.flatMap((text) => judge([text]));
};
const find = prepare(false);
const NUMBERS = new Set(['card', 'phone', 'iban', 'ssn']);

/** @param line called for each line */
const makeLines = <T>(count: number, line: (make: ReturnType<typeof createLineMaker>) => T): T[] => {
  const make = createLineMaker(SEED);
  return Array.from({ length: count }, () => line(make));
};
const listRules = (judge: typeof find, texts: readonly string[]) =>
  judge(texts).map(([hits = []]) => hits.map(({ rule }) => rule));

describe.each(Object.entries(IDENTIFIER_LINES))('%s', (kind, line) => {
  // A UUID occurs in each log and each tool call.
  const isUuid = kind === 'UUID v4';
  const [count, bar] = isUuid ? [100_000, 1] : [LINES, LINES / 1_000];
  test(`pii touches at most ${bar} of ${count} lines`, { timeout: 240_000 }, () => {
    const texts = makeLines(count, line);
    const rules = listRules(find, texts);
    const touched = texts.filter((_, at) => rules[at]?.some((rule) => NUMBERS.has(rule)));
    expect(touched.slice(bar)).toEqual([]);
  });
});

describe.each(Object.entries(PERSONAL_LINES))('%s', (_kind, [type, line]) => {
  test(`pii finds each of ${LINES}`, () => {
    const texts = makeLines(LINES, line);
    const rules = listRules(find, texts);
    const missed = texts.filter((_, at) => !rules[at]?.includes(type));
    expect(missed).toEqual([]);
  });
});

describe.each(PHONE_COUNTRIES)('phone numbers of %s after a word of their kind', (country) => {
  test('the default options find as many as strict', () => {
    const lines = makeLines(LINES / 5, (make) => makePhoneLine(make, country));
    const texts = lines.map(({ text }) => text);
    const [found = 0, strict = 0] = [prepare(false, [country]), prepare(true, [country])].map(
      (judge) =>
        judge(texts).filter(([hits = []], at) =>
          hits.some(
            ({ rule, start, end }) =>
              rule === 'phone' && start < (lines[at]?.end ?? 0) && end > (lines[at]?.start ?? 0),
          ),
        ).length,
    );
    expect(found).toBeGreaterThanOrEqual(strict);
    const bar = strict > 0.85 * texts.length ? 0.95 : 0;
    expect(found / texts.length).toBeGreaterThanOrEqual(bar);
  });
});
