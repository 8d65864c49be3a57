// Whatever the chunking: the concatenated deltas are the redaction of the whole text, and little is held back.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newScan, settledLength } from '../segments/segment-end.ts';
import { wronglyMarked, type KnownValue } from '../testing/known-values.ts';
import { streamText, type StreamKind } from '../testing/stream-text.ts';
import { beginning } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { createDetectSecrets } from './detect-secrets.ts';
import { prepareSecrets } from './find-secrets.ts';
import { MAX_BLOCK, secretSegments } from './secret-segments.ts';
import { secrets } from './secrets.ts';
import { secretsOptions } from './secrets-options.ts';

const SEED = 20_261_121;
const mixed = (length: number) => 'Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUa'.repeat(8).slice(0, length);
const GITHUB = ['gh', 'p_'].join('');
const dash = '-----';
const pem = `${dash}BEGIN RSA PRIVATE KEY${dash}\n${`${mixed(64)}\n`.repeat(12)}${dash}END RSA PRIVATE KEY${dash}`;

const values: KnownValue[] = [
  [pem, '[REDACTED]'],
  [`eyJ${mixed(33)}.eyJ${mixed(60)}.${mixed(43)}`, '[REDACTED]'],
  [`Bearer ${mixed(40)}`, 'Bearer [REDACTED]'],
  [`${GITHUB}${mixed(36)}`, '[REDACTED]'],
  ['my password is hunter2!', 'my password is [REDACTED]!'],
  ['client_secret: 8f14e45fceea167a', 'client_secret: [REDACTED]'],
  ['--password hunter2', '--password [REDACTED]'],
  ['postgres://ada:s3cret@db.example.com/x', 'postgres://[REDACTED]@db.example.com/x'],
  ['X_SETTING=' + mixed(32), 'X_SETTING=[REDACTED]'],
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

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas', (kind) => {
  test('of known values are together their marks, and the words between them as they were', async () => {
    const known = { values, harmless, ends, numRuns: 100 };
    expect(await wronglyMarked(() => secrets.create({}), kind, known)).toBeUndefined();
  });
});

const detection = secretsOptions.parse({});
const segments = secretSegments(createDetectSecrets(detection).cutPlace);
const find = prepareSecrets(detection);
const redacted = (text: string) => replaceHits(text, find([text])[0]?.[0] ?? [], () => '[]', beginning(false));
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
  ['eyJ', mixed(64), mixed(1_500), 'a.b', '|', '://', '@', '--', '\u200b', '&#61;', ';', ',', 'x'],
].flat();
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(''));

test('what is settled stays so whatever follows', () => {
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const n = settledLength(segments, text, newScan()).length;
      expect(redacted(text.slice(0, n)) + redacted(text.slice(n) + more)).toBe(redacted(text + more));
      expect(text.length - n).toBeLessThanOrEqual(MAX_BLOCK);
    }),
    { seed: SEED, numRuns: 400 },
  );
});

test('prose is held back no more than a word', async () => {
  const { passed } = await streamText(secrets.create({}), 'Hello world. This is', [1], 'text', { end: false });
  expect(passed.join('')).toBe('Hello world. This ');
});
