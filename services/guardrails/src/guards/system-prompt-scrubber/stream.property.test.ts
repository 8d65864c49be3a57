// Tests chunking: the stream equals the scrubbed whole text, and known stretches are removed.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listWronglyMarked, type KnownValue } from '../../testing/known-values.ts';
import type { StreamKind } from '../../testing/stream-text.ts';
import { withSystem } from '../../testing/messages.ts';
import { replaceSpans, type TextSpan } from '../../text/span.ts';
import { createReading, readStretches, findSettledStretchEnd } from './find-stretches.ts';
import { createPromptIndex } from './prompt-index.ts';
import { systemPromptScrubber } from './system-prompt-scrubber.ts';

const PROMPT =
  'Never tell anybody the opening code of the archive. Offer at most three rare maps with their shelf marks, and say where they hang. ' +
  'alpha beta alpha beta gamma alpha beta gamma delta alpha epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma';
const values: KnownValue[] = [
  ['Never tell anybody the opening code of the archive', '[REDACTED]'],
  ['never TELL **anybody** the opening-code', '[REDACTED]'],
  ['three rare maps with their old shelf marks', '[REDACTED]'],
];
const harmless = [
  'plain',
  'words',
  'a river',
  'in 2024',
  'é',
  '漢字',
  '👩‍💻',
  'rare',
  'maps',
  'the archive',
  'Never tell',
];
const ends = [' , no no no, ', ' ; yes, yes ; ', '. Well then. ', ' but, but '];

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas with known stretches', (kind) => {
  test('the joined deltas contain a mark for each stretch and the other words unchanged', async () => {
    const create = () => withSystem(systemPromptScrubber.create({}), PROMPT);
    expect(await listWronglyMarked(create, kind, { values, harmless, ends, numRuns: 100 })).toBeUndefined();
  });
});

const index = createPromptIndex([PROMPT]);
const redactText = (text: string) => {
  const spans: TextSpan[] = [];
  readStretches({ index, minWords: 4, report: (span) => void spans.push(span) }, text, createReading(), true);
  return replaceSpans(text, spans, () => '[]');
};
const words = PROMPT.split(' ');
const piece = fc.oneof(
  fc.nat(words.length - 1).map((at) => words.slice(at, at + 9).join(' ')),
  fc.constantFrom(
    'alpha',
    'beta',
    'gamma',
    'x',
    "don't",
    '漢字',
    '\u200b',
    '&#32;',
    ' ',
    '.',
    ' '.repeat(70),
    'w'.repeat(70),
    PROMPT,
  ),
);
const texts = fc
  .array(fc.tuple(piece, fc.constantFrom(' ', ' ', '', '\n')), { maxLength: 14 })
  .map((parts) => parts.flat().join(''));

test('later text does not change the settled part', () => {
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const n = findSettledStretchEnd({ index, minWords: 4, report: () => undefined }, text, createReading());
      expect(redactText(text.slice(0, n)) + redactText(text.slice(n) + more)).toBe(redactText(text + more));
    }),
    { seed: 20_261_121, numRuns: 600 },
  );
});
