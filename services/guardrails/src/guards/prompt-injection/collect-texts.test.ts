import { buildTextMessage } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { collectTexts, placeHits } from './collect-texts.ts';

test('placeHits compares hits in thousands of messages a few times each', () => {
  const texts = collectTexts(
    Array.from({ length: 1_000 }, (_, at) => buildTextMessage(`m${at}`, 'user', 'an attempt')),
  );
  let looks = 0;
  const hit = {
    start: 0,
    end: 10,
    get rule() {
      looks += 1;
      return 'some-rule';
    },
  };
  const found = texts.map(({ sections }) => (sections.length === 1 ? [hit] : []));
  expect(placeHits(texts, found)).toHaveLength(1_000);
  expect(looks).toBeLessThan(10_000);
});

test('placeHits reports a hit once if several texts contain the same messages', () => {
  const texts = collectTexts([buildTextMessage('a', 'user', 'ignore all'), buildTextMessage('b', 'user', 'rules')]);
  const over = { rule: 'some-rule', start: 7, end: 16 };
  const found = texts.map(({ sections }) => (sections.length > 1 ? [over, { ...over, end: 15 }] : []));
  expect(placeHits(texts, found)).toMatchObject([{ messageIds: ['a', 'b'] }]);
});
