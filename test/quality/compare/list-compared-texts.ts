// Lists texts of many shapes on which two versions of prompt-injection must agree: the samples and their disguises, files, attacks inside
// of files, damaged attacks, and generated texts. The same files give the same texts.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hostileShapes, hostileText } from '../../bench/src/guard-texts.ts';
import { DISGUISES, disguiseText } from '../src/disguises/disguises.ts';
import { readSamples } from '../src/read-samples.ts';
import { createRandom, type SeededRandom } from './random.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FILES = [
  'docs/**/*.md',
  '*/*/**/*.{ts,md,json,yaml}',
  'node_modules/.pnpm/*/node_modules/**/*.{md,js,json,html,ts,css}',
];
const MAX_FILES = 6_000;
/** In code units; a longer file is cut. */
const MAX_FILE = 24_000;
const [INSIDE, DAMAGED, GENERATED] = [6_000, 10_000, 4_000];
/** Signs that damage a text, or separate the pieces of a generated one. */
const SIGNS = [
  ...Array.from(' \n.,!?:;-_*"\'`<>[]{}()/\\|@$+=%&#0123456789aeiouxzAEIZ'),
  '\u00e9',
  '\u0456',
  '\u200b',
  '\u2019',
  '\u3002',
  '\ud83d\ude00',
  '\ud83d',
];

export type ComparedGroup = { name: string; texts: Iterable<string> };

export async function listComparedTexts(): Promise<ComparedGroup[]> {
  const samples = await readSamples(resolve(import.meta.dirname, '../samples'));
  const attacks = samples.filter(({ label }) => label === 'attack').map(({ text }) => text);
  const files = await readFiles();
  return [
    { name: 'samples', texts: samples.map(({ text }) => text) },
    { name: 'disguised samples', texts: disguiseAll(samples.map(({ text }) => text)) },
    { name: 'files', texts: files },
    {
      name: 'attacks inside of files',
      texts: repeat(INSIDE, 1, (random) => insert(random, pick(random, files), pick(random, attacks))),
    },
    { name: 'damaged attacks', texts: repeat(DAMAGED, 2, (random) => damage(random, pick(random, attacks))) },
    { name: 'generated', texts: repeat(GENERATED, 3, (random) => generate(random, attacks)) },
  ];
}

async function readFiles(): Promise<string[]> {
  const found = globSync(FILES, { cwd: ROOT }).toSorted();
  const names = [
    ...found.filter((name) => !name.startsWith('node_modules')),
    ...found.filter((name) => name.startsWith('node_modules')),
  ];
  const every = Math.max(1, Math.floor(names.length / MAX_FILES));
  const chosen = names.filter((_, at) => at % every === 0).slice(0, MAX_FILES);
  const texts = await Promise.all(chosen.map((name) => readFile(resolve(ROOT, name), 'utf8').catch(() => '')));
  return texts.map((text) => text.slice(0, MAX_FILE)).filter((text) => text !== '');
}

function* disguiseAll(texts: readonly string[]): Generator<string> {
  for (const text of texts)
    for (const form of Object.keys(DISGUISES)) {
      const messages = disguiseText(form, text);
      if (messages) yield messages.join('\n');
    }
}

function* repeat(count: number, seed: number, create: (random: SeededRandom) => string): Generator<string> {
  const random = createRandom(seed);
  for (let at = 0; at < count; at++) yield create(random);
}

const pick = (random: SeededRandom, some: readonly string[]): string =>
  some[Math.floor(random.next() * some.length)] ?? '';

function insert(random: SeededRandom, text: string, attack: string): string {
  const at = Math.floor(random.next() * text.length);
  return `${text.slice(0, at)}${pick(random, ['\n', ' ', '. '])}${attack}${pick(random, ['\n', ' '])}${text.slice(at)}`;
}

/** Removes, doubles or replaces a unit at one of about twenty places. */
function damage(random: SeededRandom, text: string): string {
  const share = random.next() * 0.1;
  return Array.from(text, (character) => {
    if (random.next() >= share) return character;
    return pick(random, [
      '',
      character.repeat(2),
      character.toUpperCase(),
      pick(random, SIGNS),
      character + pick(random, SIGNS),
    ]);
  }).join('');
}

/** Joins pieces of hostile shapes, of attacks and of disguised attacks. */
function generate(random: SeededRandom, attacks: readonly string[]): string {
  const pieces = Array.from({ length: 2 + Math.floor(random.next() * 10) }, () => {
    const length = 4 + Math.floor(random.next() * 200);
    const attack = pick(random, attacks);
    const form = pick(random, Object.keys(DISGUISES));
    const from = Math.floor(random.next() * attack.length);
    return pick(random, [
      hostileText(pick(random, hostileShapes), 1).slice(0, length),
      attack.slice(from, from + length),
      disguiseText(form, attack.slice(from, from + length))?.join('\n') ?? '',
      pick(random, SIGNS).repeat(1 + Math.floor(random.next() * 20)),
    ]);
  });
  return pieces.join(pick(random, SIGNS));
}
