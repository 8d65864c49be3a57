import type { Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { createStreamTexts } from './stream-texts.ts';

const text = (value: string): Chunk => ({
  type: 'text-delta',
  runId: 'r',
  from: 'AGENT',
  payload: { id: 't', text: value },
});
const links = [[planEntry('one')], [planEntry('two')]];

test('The text before an entry is the output of the entry in front of it', () => {
  const texts = createStreamTexts(links);
  texts.observe(0, [text('a'), text('b')]);
  texts.observe(1, [text('A')]);
  texts.observe(1, [text('b')]);
  texts.observe(2, [text('AB')]);
  expect(texts.list()).toEqual([
    { entry: 'one', before: 'ab', after: 'Ab' },
    { entry: 'two', before: 'Ab', after: 'AB' },
  ]);
});

test('The entries around a text above the bound are not listed', () => {
  const texts = createStreamTexts(links);
  texts.observe(0, [text('a')]);
  texts.observe(1, [text('b'.repeat(64 * 1024 * 2 + 1))]);
  expect(texts.list()).toEqual([]);
});
