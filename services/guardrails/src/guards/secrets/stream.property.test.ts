// Tests chunking: the concatenated deltas equal the redacted whole text, and the buffer is small.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createScan, findSettledLength } from '../../segments/segment-end.ts';
import { listWronglyMarked, type KnownValue } from '../../testing/known-values.ts';
import { streamText, type StreamKind } from '../../testing/stream-text.ts';
import { createPlace } from '../../text/json-place.ts';
import { replaceHits } from '../../text/replace-hits.ts';
import { createDetectSecrets } from './detect-secrets.ts';
import { prepareSecrets } from './find-secrets.ts';
import { MAX_BLOCK, createSecretSegments } from './secret-segments.ts';
import { secrets } from './secrets.ts';
import { secretsOptions } from './secrets-options.ts';

const SEED = 20_261_121;
const mixLetters = (length: number) => 'Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUa'.repeat(8).slice(0, length);
const GITHUB = ['gh', 'p_'].join('');
const dash = '-----';
const pem = `${dash}BEGIN RSA PRIVATE KEY${dash}\n${`${mixLetters(64)}\n`.repeat(12)}${dash}END RSA PRIVATE KEY${dash}`;

const values: KnownValue[] = [
  [pem, '[REDACTED]'],
  [`eyJ${mixLetters(33)}.eyJ${mixLetters(60)}.${mixLetters(43)}`, '[REDACTED]'],
  [`Bearer ${mixLetters(40)}`, 'Bearer [REDACTED]'],
  [`${GITHUB}${mixLetters(36)}`, '[REDACTED]'],
  ['my password is hunter2!', 'my password is [REDACTED]!'],
  ['client_secret: 8f14e45fceea167a', 'client_secret: [REDACTED]'],
  ['--password hunter2', '--password [REDACTED]'],
  ['curl -sS -u ada:l0velace', 'curl -sS -u [REDACTED]'],
  ['postgres://ada:s3cret@db.example.com/x', 'postgres://[REDACTED]@db.example.com/x'],
  ['X_SETTING=' + mixLetters(32), 'X_SETTING=[REDACTED]'],
];
const harmless = [
  'plain',
  'words',
  'a river',
  'in 2024',
  'x = 1',
  'é',
  '漢字',
  '👩‍💻',
  '"quoted"',
  'tokens',
  'the password',
];
const ends = [' , ', ' ; ', '\n', ' and '];

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas with known values', (kind) => {
  test('the joined deltas contain a mark for each value and the other words unchanged', async () => {
    const known = { values, harmless, ends, numRuns: 100 };
    expect(await listWronglyMarked(() => secrets.create({}), kind, known)).toBeUndefined();
  });
});

const detection = secretsOptions.parse({});
const segments = createSecretSegments(createDetectSecrets(detection).findCutPlace);
const find = prepareSecrets(detection);
const redactText = (text: string) => replaceHits(text, find([text])[0]?.[0] ?? [], () => '[]', createPlace(false));
const pieces = [
  values.map(([value]) => value),
  [
    dash,
    'BEGIN',
    ' PRIVATE KEY',
    '-----END',
    'password',
    'token',
    ':',
    '=',
    '"',
    ' ',
    '\n',
    '\\n',
    '\\"',
    'is',
    'hunter2',
  ],
  ['eyJ', mixLetters(64), mixLetters(1_500), 'a.b', '|', '://', '@', '--', '\u200b', '&#61;', ';', ',', 'x'],
].flat();
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(''));

test('later text does not change the settled part', () => {
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const n = findSettledLength(segments, text, createScan()).length;
      expect(redactText(text.slice(0, n)) + redactText(text.slice(n) + more)).toBe(redactText(text + more));
      expect(text.length - n).toBeLessThanOrEqual(MAX_BLOCK);
    }),
    { seed: SEED, numRuns: 400 },
  );
});

test('secrets buffers at most one word of prose', async () => {
  const { passed } = await streamText(secrets.create({}), 'Hello world. This is', [1], 'text', { end: false });
  expect(passed.join('')).toBe('Hello world. This ');
});
