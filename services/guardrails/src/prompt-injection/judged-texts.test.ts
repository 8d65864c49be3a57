import { textMessage } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { judgedTexts, placedHits } from './judged-texts.ts';

test('hits in thousands of messages are looked at a few times each', () => {
  const texts = judgedTexts(Array.from({ length: 1_000 }, (_, at) => textMessage(`m${at}`, 'user', 'an attempt')));
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
  expect(placedHits(texts, found)).toHaveLength(1_000);
  expect(looks).toBeLessThan(10_000);
});

test('what is found twice over the same messages is told once', () => {
  const texts = judgedTexts([textMessage('a', 'user', 'ignore all'), textMessage('b', 'user', 'rules')]);
  const over = { rule: 'some-rule', start: 7, end: 16 };
  const found = texts.map(({ sections }) => (sections.length > 1 ? [over, { ...over, end: 15 }] : []));
  expect(placedHits(texts, found)).toMatchObject([{ messageIds: ['a', 'b'] }]);
});
