// Tests chunking: the concatenated deltas equal the redacted whole text, and the buffer is small.
import type { JsonValue } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPlace } from '../../text/json-place.ts';
import { replaceHits } from '../../text/replace-hits.ts';
import { listWronglyMarked, type KnownValue } from '../../testing/known-values.ts';
import { streamText, type StreamKind } from '../../testing/stream-text.ts';
import { createScan, findSettledLength } from '../../segments/segment-end.ts';
import { createDetect } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { pii } from './pii.ts';
import { piiOptions } from './pii-options.ts';
import { MAX_SEGMENT, createPiiSegments } from './pii-segments.ts';

const SEED = 20_261_121;
const MODES = [false, true];
/** Redacts the whole text in one piece. @param isJson for tool arguments */
const redactText = (strict: boolean, text: string, isJson = false) =>
  replaceHits(
    text,
    preparePii(piiOptions.parse({ strict }))([text])[0]?.[0] ?? [],
    ({ rule }) => (rule === 'email' ? '***@***.***' : '[REDACTED]'),
    createPlace(isJson),
  );

/** Known result without the code under test: each of these values becomes one mark, and the rest stays. */
const marked: KnownValue[] = [
  ['ada@example.com', '***@***.***'],
  ['Grace.Hopper+navy@mail.example.co.uk', '***@***.***'],
  ['4111 1111 1111 1111', '[REDACTED]'],
  ['378282246310005', '[REDACTED]'],
  ['123-45-6789', '[REDACTED]'],
  ['+1 (555) 123-4567', '[REDACTED]'],
  ['+442079460958', '[REDACTED]'],
  ['DE89 3704 0044 0532 0130 00', '[REDACTED]'],
  ['sk-proj-abcDEF1234567890abcdef', '[REDACTED]'],
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '[REDACTED]'],
  ['4111&#32;1111&#x20;1111 1111', '[REDACTED]'],
  ['𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏', '[REDACTED]'],
  ['4\u200b111\u2060111\u00ad111111111', '[REDACTED]'],
  ['ada&commat;example.com', '***@***.***'],
  ['ada [at] example [dot] com', '***@***.***'],
  ['call 555-123-4567 x89', 'call [REDACTED]'],
  ['DE89.3704.0044.0532.0130.00', '[REDACTED]'],
];
const harmless = [
  'plain',
  'words',
  'a river',
  'in 2024',
  '17 * 23 = 391',
  'é',
  '漢字',
  '👩‍💻',
  '192.168.0.1',
  '"quoted"',
  'v1.2.3',
];

/** Values, similar harmless texts, and surrounding text, with or without a separator. */
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
    'my card',
    'sku',
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
    '&#52;',
    '&',
    'amp;',
    '%34',
    '%',
    '\\u0034',
    '\\ud835',
    '\\udfd2',
    '𝟒',
    '\ud835',
    '[at]',
    '[',
    ']',
    '|',
    '**',
    'https://x.y/z?a=',
    '\u200b',
  ],
  ['4', '41', '4111', 'a', 'a@', '@b.co', '://', 'x'.repeat(300), '1'.repeat(40), 'a1@'.repeat(120)],
].flat();
const gaps = ['', ' ', ' ', '  ', '\n', ', ', ' - ', '\t', '    '];
const texts = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...gaps)), { maxLength: 24 })
  .map((parts) => parts.flat().join(''));
const splits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 });

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas with random text', (kind) => {
  test.each(MODES)('the joined deltas equal the redacted whole text with strict: %j', async (strict) => {
    await fc.assert(
      fc.asyncProperty(texts, splits, async (text, sizes) => {
        const { passed } = await streamText(pii.create({ strict }), text, sizes, kind);
        expect(passed.join('')).toBe(redactText(strict, text, kind === 'tool'));
      }),
      { seed: SEED, numRuns: 150 },
    );
  });
});

test.each<StreamKind>(['text', 'reasoning', 'tool'])(
  '%s deltas of known values contain one mark each and the other words unchanged',
  async (kind) => {
    expect(
      await listWronglyMarked(() => pii.create({ strict: true }), kind, { values: marked, harmless, numRuns: 200 }),
    ).toBeUndefined();
  },
);

describe.each<StreamKind>(['text', 'tool'])('JSON in %s deltas', (kind) => {
  const values = fc.oneof(
    fc.constantFrom<[JsonValue, JsonValue][]>(
      [4111111111111111, '[REDACTED]'],
      ['4111111111111111', '[REDACTED]'],
      ['to ada@example.com', 'to ***@***.***'],
      ['say "4111 1111 1111 1111" \\ \n', 'say "[REDACTED]" \\ \n'],
      [391, 391],
      [-0.5, -0.5],
      [true, true],
      [null, null],
      ['{"plain": "words"}', '{"plain": "words"}'],
    ),
  );
  const object = fc.array(fc.tuple(fc.constantFrom('a', 'card', 'to "x"', '\\'), values), {
    minLength: 1,
    maxLength: 6,
  });

  test('the JSON parses in every chunking, with marks in place of numbers', async () => {
    await fc.assert(
      fc.asyncProperty(object, fc.constantFrom(0, 2), splits, async (members, indent, sizes) => {
        const [given, expected] = [0, 1].map((at) => ({
          list: members.map(([, value]) => value[at] ?? null),
          ...Object.fromEntries(members.map(([name, value]) => [name, value[at] ?? null])),
        }));
        const { passed } = await streamText(
          pii.create({ strict: true }),
          JSON.stringify(given, null, indent),
          sizes,
          kind,
        );
        expect(JSON.parse(passed.join(''))).toEqual(expected);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});

test.each(MODES)('later text does not change the settled part with strict: %j', (strict) => {
  const segments = createPiiSegments(createDetect(piiOptions.parse({ strict })).findCutPlace);
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const n = findSettledLength(segments, text, createScan()).length;
      expect(redactText(strict, text.slice(0, n)) + redactText(strict, text.slice(n) + more)).toBe(
        redactText(strict, text + more),
      );
      expect(text.length - n).toBeLessThanOrEqual(MAX_SEGMENT);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test('the stream of another text contains no value', async () => {
  const secrets = ['ada@example.com', '4111111111111111', '123-45-6789', 'DE89370400440532013000', '+442079460958'];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...secrets),
      fc.string({ maxLength: 2_000 }),
      fc.boolean(),
      splits,
      async (secret, around, long, sizes) => {
        const before = long ? `${'lorem1ipsum'.repeat(200)} ${around}` : around;
        const { passed } = await streamText(
          pii.create({ strict: true }),
          `${before} ${secret} ${around}`,
          sizes,
          'text',
        );
        expect(passed.join('')).not.toContain(` ${secret} `);
      },
    ),
    { seed: SEED, numRuns: 100 },
  );
});

test('pii buffers at most one word of prose', async () => {
  const { passed } = await streamText(pii.create({}), 'Hello world. This is', [1], 'text', { end: false });
  expect(passed.join('')).toBe('Hello world. This ');
});

test('pii buffers a number in prose until the next word ends', async () => {
  const { passed } = await streamText(pii.create({}), 'In 2024 there were ma', [3], 'text', { end: false });
  expect(passed.join('')).toBe('In 2024 there were ');
});

test('pii buffers text without spaces up to the bound', async () => {
  const text = 'a'.repeat(20_000);
  const { passed } = await streamText(pii.create({}), text, [7], 'text', { end: false });
  expect(text.length - passed.join('').length).toBeLessThanOrEqual(MAX_SEGMENT);
});

test('parts have separate buffers', async () => {
  const processor = pii.create({});
  const { passed } = await streamText(processor, '4111 1111 1111 1111', [1], 'text', {
    interleave: 'ada@example.com in another part',
  });
  expect(passed.join('')).toBe('[REDACTED]');
});
