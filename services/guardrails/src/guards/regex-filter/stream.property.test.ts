// Tests chunking: the stream equals the filtered whole text.
import { describe, expect, test } from 'vitest';
import { listWronglyMarked, type KnownValue } from '../../testing/known-values.ts';
import type { StreamKind } from '../../testing/stream-text.ts';
import { regexFilter } from './regex-filter.ts';

const values: KnownValue[] = [
  ['ada@example.com', '[REDACTED]'],
  ['https://example.com/a?b=c', '[REDACTED]'],
  ['PROJECT-42', '[P]'],
  ['the blue   bird', 'the [REDACTED]'],
  ['𝐏𝐑𝐎𝐉𝐄𝐂𝐓-𝟜𝟚', '[P]'],
  ['the ⓑⓛⓤⓔ ｂｉｒｄ', 'the [REDACTED]'],
];
const harmless = [
  'plain',
  'words',
  'a river',
  'blue',
  'bird',
  'project',
  'é',
  '𝒳²',
  '漢字',
  '👩‍💻',
  `${'long '.repeat(60)}text`,
];
const options = {
  presets: ['email', 'url'],
  rules: [{ pattern: 'project-\\d+', mark: '[P]' }, { pattern: 'blue\\s+bird' }],
  strategy: 'redact',
};

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas with known matches', (kind) => {
  test('the joined deltas contain a mark for each match and the other words unchanged', async () => {
    const known = { values, harmless, ends: [' , ', ' ; ', ' and '], numRuns: 100 };
    expect(await listWronglyMarked(() => regexFilter.create(options), kind, known)).toBeUndefined();
  });
});
