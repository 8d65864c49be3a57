import { describe, expect, test } from 'vitest';
import { matchWords, splitWords, toSegments } from './match-words.ts';
import { showChange } from './change-log.ts';

/** Returns pseudo-random texts from few words, so that words repeat. */
function makeTexts(count: number): string[] {
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const words = ['a', 'bb', '4111-1111', 'secret', 'x,', 'end.'];
  const spaces = [' ', '\n', '  '];
  return Array.from({ length: count }, () =>
    Array.from({ length: next(12) }, () => `${words[next(words.length)]}${spaces[next(spaces.length)]}`).join(''),
  );
}

describe('matched words', () => {
  test('A match pairs equal words, in the order of both texts', () => {
    const texts = makeTexts(60);
    for (const one of texts)
      for (const other of texts.slice(0, 20)) {
        const [before, after] = [splitWords(one), splitWords(other)];
        const pairs = [...matchWords(before, after)].toSorted(([a], [b]) => a - b);
        for (const [at, to] of pairs) expect(before[at]).toBe(after[to]);
        const targets = pairs.map(([, to]) => to);
        expect(targets).toEqual([...new Set(targets)].toSorted((a, b) => a - b));
      }
  });

  test('Shown and masked parts have the length of the text', () => {
    for (const text of makeTexts(100)) {
      const words = splitWords(text);
      const segments = toSegments(words, (at) => at % 3 === 0);
      const length = segments.reduce((sum, one) => sum + ('text' in one ? one.text.length : one.masked), 0);
      expect(length).toBe(text.length);
    }
  });
});

describe('a shown change', () => {
  test('Every shown word is a word of the final text', () => {
    const texts = makeTexts(40);
    for (const [at, before] of texts.entries()) {
      const [after = '', final = ''] = [texts[(at * 7 + 1) % 40], texts[(at * 11 + 3) % 40]];
      const shown = showChange({ before, after }, final);
      const words = new Set(splitWords(final).filter((word) => /\S/.test(word)));
      const texted = [...shown.before, ...shown.after].flatMap((one) => ('text' in one ? splitWords(one.text) : []));
      for (const word of texted.filter((one) => /\S/.test(one))) expect(words).toContain(word);
    }
  });

  test('A secret that a later entry masks is masked before and after the change', () => {
    const change = { before: 'My  card is 4111-1111.', after: 'My card is 4111-1111.' };
    expect(showChange(change, 'My card is [REDACTED].')).toEqual({
      before: [{ text: 'My' }, { masked: 2 }, { text: 'card is ' }, { masked: 10 }],
      after: [{ text: 'My card is ' }, { masked: 10 }],
    });
  });

  test('A text without a final form, and one above the bound, is masked as a whole', () => {
    expect(showChange({ before: 'one two', after: 'one' }, undefined)).toEqual({
      before: [{ masked: 7 }],
      after: [{ masked: 3 }],
    });
    const long = 'word '.repeat(5_000);
    expect(showChange({ before: long, after: 'word' }, 'word')).toEqual({
      before: [{ masked: 25_000 }],
      after: [{ masked: 4 }],
    });
  });

  test('Texts above the bound of a comparison show their common ends only', () => {
    const middle = (letter: string) => Array.from({ length: 900 }, (_, at) => `${letter}${at}`).join(' ');
    const before = `start ${middle('a')} end`;
    const { before: shown } = showChange({ before, after: `start ${middle('b')} end` }, `start ${middle('b')} end`);
    expect(shown).toEqual([{ text: 'start ' }, { masked: middle('a').length }, { text: ' end' }]);
  });
});
