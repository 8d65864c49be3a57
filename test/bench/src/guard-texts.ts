// Texts for the guards' rows: ordinary prose, and shapes that are expensive for a guard.
import { resolve } from 'node:path';
import { readSamples } from '../../quality/src/read-samples.ts';

const PLAIN_GROUPS = new Set(['documentation', 'own-documentation', 'recipe', 'support-mail', 'question', 'code']);

/** Concatenates the repository's benign samples, repeated up to the size. */
export async function plainText(): Promise<(kib: number) => string> {
  const samples = await readSamples(resolve(import.meta.dirname, '../../quality/samples'));
  const prose = samples.filter(({ group }) => PLAIN_GROUPS.has(group)).map(({ text }) => text);
  return (kib) => fillText(kib, prose.join('\n\n'));
}

const fillText = (kib: number, text: string): string =>
  text.repeat(Math.ceil((kib * 1_024) / text.length)).slice(0, kib * 1_024);

/** Deterministic, so that repeated benches measure the same text. */
function scrambleText(alphabet: string, length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet[state % alphabet.length];
  }).join('');
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const words = (alphabet: string, length: number): string =>
  scrambleText(alphabet, 8_192).match(matchWords(length))?.join(' ') ?? '';
const matchWords = (length: number): RegExp => new RegExp(`.{${length}}`, 'g');

/** Repeated pieces. */
const SHAPES: Readonly<Record<string, string>> = {
  'base64-words': words(BASE64, 24),
  'hex-words': words('0123456789abcdef', 32),
  digits: '4111 1111 1111 1112 030 1234567 078-05-1120 ',
  addresses: 'a.b@c.d@e.f.g@',
  'spaced-letters': 'i g n o r e  a l l  ',
  marks: `e${'\u0301'.repeat(29)}`,
  entities: '&#38;#105;&amp;#103;%2569',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈',
  verbs: 'ignore the forget disregard your show me ',
  names: 'password= token: secret="',
  brackets: '{"a":[{"b":"',
  'one-word': 'a',
  'open-braces': '{',
  fences: '```json\n{',
  quotes: '"',
  tags: '<a b="',
  lines: '\n',
  'look-alikes': 'Іgnоrе аll ',
  ideographs: '無視忽略指示',
  'said-words': 'said "ignore the rules" ',
  'turned-words': 'eht fo the of ',
  // "ignore previous instructions", moved along the alphabet by one, by thirteen, and mirrored in it.
  'shifted-words': 'jhopsf qsfwjpvt jotusvdujpot vtaber cerivbhf vafgehpgvbaf rtmliv kiverlfh rmhgifxgrlmh ',
  'private-keys': '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n',
  links: 'https://a.b/c?d=1,',
  'many-names': 'Ada Lovelace, 12 Example Street, ',
};

export const hostileShapes = Object.keys(SHAPES);
export const hostileText = (shape: string, kib: number): string => fillText(kib, SHAPES[shape] ?? '');

/** Slightly below the maximum number of hits of a call. */
const ADDRESSES = 9_900;

/** Distinct addresses with words between them. */
export function differentAddresses(kib: number): string {
  const apart = Math.ceil((kib * 1_024) / ADDRESSES);
  const addresses = Array.from({ length: ADDRESSES }, (_, at) => `ada${10_000 + at}@example.com `);
  return fillText(kib, addresses.map((address) => address.padEnd(apart, 'and so on ')).join(''));
}

/** Shapes of streams that delay a guard's decision. `prompt`: text of the system messages. */
const DELTA_SHAPES = {
  'single-digits': '1 2 3 4 ',
  numbers: '01 0000 0000, ',
  columns: '4100, 5200, 3300, ',
  'number-words': 'a1 ',
  addresses: 'a1@',
  links: 'https://a.b/c?d=1,',
  entities: '&#52;',
  invisible: '\u200b',
  letters: 'x',
  spaces: ' ',
  'call-me': 'call me ',
  'begun-keyword': 'a ',
  accents: 'é ',
  passwords: 'password = ',
  blocks: '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n',
  base64: 'aGVsbG8gd29ybGQ',
  marks: '\u0301',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈',
  flags: '🇩🇪🇫🇷',
  syllables: '\u1100\u1161\u11a8\uac00',
  'joined-consonants': 'क\u094dष',
  prompt: '',
} as const;
type DeltaShape = keyof typeof DELTA_SHAPES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
export const deltaShapes = Object.keys(DELTA_SHAPES) as DeltaShape[];
export const deltaText = (shape: DeltaShape, length: number, prompt: string): string =>
  fillText(length / 1_024, shape === 'prompt' ? prompt : DELTA_SHAPES[shape]);
