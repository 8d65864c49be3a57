// Whatever the chunking: the concatenated deltas are the redaction of the whole text, and little is held back.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { streamText, type StreamKind } from '../testing/stream-text.ts';
import { mapHits, settledLength } from './map-hits.ts';
import { pii } from './pii.ts';
import { piiOptions } from './pii-options.ts';
import { MAX_SEGMENT } from './segments.ts';

const SEED = 20_261_121;
const options = piiOptions.parse({});
const redacted = (text: string) =>
  mapHits(text, options, (hit) => (hit.type === 'email' ? '***@***.***' : '[REDACTED]'));

/** Secrets, what looks like them, and what stands around them; joined with or without anything between. */
const pieces = [
  ['ada@example.com', '4111 1111 1111 1111', '123-45-6789', '+1 (555) 123-4567', '030 123456', '192.168.0.1'],
  ['DE89 3704 0044 0532 0130 00', 'postgres://a:b;c@host/x', 'https://x.y/?a=1', '2001:db8::1', 'sk-abcdefgh12345678'],
  [
    '123e4567-e89b-12d3-a456-426614174000',
    'born on',
    'March 3, 1980',
    'ssn',
    '123456789',
    'call me at',
    'version',
    '1.2.3.4',
  ],
  [
    'plain',
    'words',
    'é',
    '👩‍💻',
    '漢字',
    '\\',
    '\\n',
    '\\"',
    '{',
    '"',
    ':',
    ',',
    '.',
    '(',
    ')',
    '-',
    '+',
    '@',
    '=',
    '٤١١١',
    '\u200b',
  ],
  ['4', '41', '4111', 'a', 'a@', '@b.co', '://', 'x'.repeat(300), '1'.repeat(40), 'a1@'.repeat(120)],
].flat();
const gaps = ['', ' ', ' ', '  ', '\n', ', ', ' - ', '\t', '    '];
const texts = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...gaps)), { maxLength: 24 })
  .map((parts) => parts.flat().join(''));
const splits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 });

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas', (kind) => {
  test('are together the redaction of the whole text', () => {
    fc.assert(
      fc.property(texts, splits, (text, sizes) => {
        expect(streamText(pii.create({}), text, sizes, kind).passed.join('')).toBe(redacted(text));
      }),
      { seed: SEED, numRuns: 150 },
    );
  });
});

test('what is settled stays so whatever follows', () => {
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const n = settledLength(text, options);
      expect(redacted(text.slice(0, n)) + redacted(text.slice(n) + more)).toBe(redacted(text + more));
      expect(text.length - n).toBeLessThanOrEqual(MAX_SEGMENT);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test('no secret is seen in the stream of another text', () => {
  const secrets = ['ada@example.com', '4111111111111111', '123-45-6789', 'DE89370400440532013000', '+442079460958'];
  fc.assert(
    fc.property(
      fc.constantFrom(...secrets),
      fc.string({ maxLength: 2_000 }),
      fc.boolean(),
      splits,
      (secret, around, long, sizes) => {
        const before = long ? `${'lorem1ipsum'.repeat(200)} ${around}` : around;
        const passed = streamText(pii.create({}), `${before} ${secret} ${around}`, sizes, 'text').passed.join('');
        expect(passed).not.toContain(` ${secret} `);
      },
    ),
    { seed: SEED, numRuns: 100 },
  );
});

test('prose is held back no more than a word', () => {
  const { passed } = streamText(pii.create({}), 'Hello world. This is', [1], 'text', { end: false });
  expect(passed.join('')).toBe('Hello world. This ');
});

test('a number in prose is held back until the next word ends', () => {
  const { passed } = streamText(pii.create({}), 'In 2024 there were ma', [3], 'text', { end: false });
  expect(passed.join('')).toBe('In 2024 there were ');
});

test('text without spaces is held back no more than the bound', () => {
  const text = 'a'.repeat(20_000);
  const { passed } = streamText(pii.create({}), text, [7], 'text', { end: false });
  expect(text.length - passed.join('').length).toBeLessThanOrEqual(MAX_SEGMENT);
});

test('parts are kept apart', () => {
  const processor = pii.create({});
  const { passed } = streamText(processor, '4111 1111 1111 1111', [1], 'text', {
    interleave: 'ada@example.com in another part',
  });
  expect(passed.join('')).toBe('[REDACTED]');
});
