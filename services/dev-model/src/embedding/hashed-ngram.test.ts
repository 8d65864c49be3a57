import { describe, expect, test } from 'vitest';
import { embed } from './hashed-ngram.ts';

const similarity = (a: string, b: string, dimensions = 384): number => {
  const other = embed(b, dimensions);
  return embed(a, dimensions).reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
};

const unrelated = [
  'My favourite colour is blue.',
  'The invoice for October was paid yesterday.',
  'Das Wetter in Hamburg ist heute schön.',
  'Please write a haiku about autumn leaves.',
];

describe('the embedder', () => {
  test.each([
    ['Where did I say I park?', 'I always park on level 3 of the harbour garage.'],
    ['Where did I park the car?', 'I parked my car on level 3.'],
    ['What did I tell you about the harbour project?', 'The harbour project ships in March.'],
    ['Which boats do I own?', 'I own a boat named Vega.'],
    ['ALLERGIES?', 'Ada has an allergy to peanuts.'],
    ['Was gibt es im Gartenhaus?', 'Im Gartenhaus stehen zwei Fahrräder.'],
    ['港プロジェクトはいつですか', '港プロジェクトは三月です'],
  ])('the embedder places "%s" closer to "%s" than to unrelated texts', (question, statement) => {
    const strangers = unrelated.map((text) => similarity(question, text));
    expect(similarity(question, statement)).toBeGreaterThan(Math.max(...strangers) + 0.15);
  });

  test('the embedder returns unit vectors of the requested length, even for a text without a word', () => {
    for (const text of ['Hello there', 'a', '?!', '   ', '😀', '\u0000', 'x'.repeat(5_000)]) {
      for (const dimensions of [1, 3, 384, 3072]) {
        const vector = embed(text, dimensions);
        expect(vector).toHaveLength(dimensions);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 9);
      }
    }
  });

  test('the embedder is deterministic, and ignores case and Unicode forms', () => {
    expect(embed('Café №1', 64)).toEqual(embed('café №1'.normalize('NFD').toUpperCase(), 64));
    expect(similarity('ﬁsh', 'FISH')).toBeCloseTo(1, 9);
  });

  test('the embedder ignores meaning', () => {
    expect(similarity('automobile', 'vehicle')).toBeLessThan(0.3);
  });

  test('the order of words has a small weight', () => {
    const swapped = similarity('harbour project', 'project harbour');
    expect(swapped).toBeGreaterThan(0.6);
    expect(swapped).toBeLessThan(0.99);
  });
});
