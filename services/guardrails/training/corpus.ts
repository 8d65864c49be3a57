// The training set, made from families and a seed: windows of attempts, alone or among harmless sentences, and windows of harmless texts.
import { ENGLISH } from '../src/prompt-injection/lexicon/english.ts';
import { ENGLISH_CONCEPTS } from '../src/prompt-injection/lexicon/english-concepts.ts';
import { ANSWER } from './attacks/answer.ts';
import { CLAIMS, INDIRECT, ORDERS } from './attacks/indirect.ts';
import { OVERRIDE } from './attacks/override.ts';
import { REVEAL } from './attacks/reveal.ts';
import { ROLE } from './attacks/role.ts';
import { TRANSLATED, translatedLists } from './attacks/translated.ts';
import { ATTACK_WORDS } from './attacks/words.ts';
import { BENIGN_ASKED } from './benign/asked.ts';
import { BENIGN_BY_LANGUAGE } from './benign/languages.ts';
import { BENIGN_MODEL_WORK } from './benign/model-work.ts';
import { packageTexts } from './benign/packages.ts';
import { BENIGN_PLAIN, PLAIN_WORDS } from './benign/plain.ts';
import { BENIGN_RECORDS, RECORD_LETTERS } from './benign/records.ts';
import { BENIGN_TEXTS } from './benign/texts.ts';
import { BENIGN_USER } from './benign/user.ts';
import { BENIGN_WORDS } from './benign/words.ts';
import type { Family } from './family.ts';
import { expand, type Lists } from './grammar.ts';
import type { Random } from './random.ts';
import { lookedAtSamples } from './samples.ts';

export type Example = { text: string; isAttack: boolean; family: string };
export type Speaker = 'user' | 'tool';

/** Characters of a window. */
const MAX_WINDOW = 192;
const WINDOWS = [64, 96, 192];
/** Of an attempt that stands among other sentences, so much is in its window. */
const MIN_SHARE = 0.7;

/** A longer text is not an attempt from its beginning to its end. */
const MAX_ATTEMPT = 400;

/** So many of the harmless texts are mixed with words of attempts, up to so many of their words. */
const MIXED = 0.5;
const MAX_MIXED = 0.4;

const spaced = (words: string): string[] =>
  words.split(/\s+/).flatMap((word) => (word === '' ? [] : [word.replace('*', '').replaceAll('_', ' ')]));
const classLists = (vocabulary: Readonly<Record<string, string>>): Lists =>
  Object.fromEntries(Object.entries(vocabulary).map(([name, words]) => [`@${name}`, spaced(words)]));

const LISTS: Lists = {
  ...classLists(ENGLISH),
  ...classLists(ENGLISH_CONCEPTS),
  ...BENIGN_WORDS,
  ...PLAIN_WORDS,
  ...ATTACK_WORDS,
  ...translatedLists(),
  letter: RECORD_LETTERS,
  order: ORDERS,
  claim: CLAIMS,
};

const attacks: readonly Family[] = [...OVERRIDE, ...REVEAL, ...ROLE, ...ANSWER, ...INDIRECT, ...TRANSLATED];
const harmless: readonly Family[] = [
  ...BENIGN_USER,
  ...BENIGN_TEXTS,
  ...BENIGN_PLAIN,
  ...BENIGN_MODEL_WORK,
  BENIGN_RECORDS,
  BENIGN_ASKED,
  { id: 'other-languages', where: 'both', templates: Object.values(BENIGN_BY_LANGUAGE).flat() },
];
const spokenBy = (families: readonly Family[], speaker: Speaker): Family[] =>
  families.filter(({ where }) => where === 'both' || where === speaker);

export const familiesOf = (speaker: Speaker): { attacks: Family[]; harmless: Family[] } => ({
  attacks: spokenBy(attacks, speaker),
  harmless: spokenBy(harmless, speaker),
});

const sentence = (family: Family, random: Random): string => expand(random.oneOf(family.templates), LISTS, random);

/** @param count of windows for each family */
export function examplesOf(
  some: { attacks: readonly Family[]; harmless: readonly Family[] },
  counts: { attack: number; harmless: number },
  random: Random,
): Example[] {
  const examples: Example[] = [];
  for (const family of some.attacks) {
    for (let n = 0; n < counts.attack; n++)
      examples.push({ text: attackWindow(family, some.harmless, random), isAttack: true, family: family.id });
  }
  for (const family of some.harmless) {
    for (let n = 0; n < counts.harmless; n++) {
      const plain = cut(harmlessText(family, 1 + random.below(4), random), random.oneOf(WINDOWS), random);
      const text = random.next() < MIXED ? mixed(plain, some.attacks, random) : plain;
      examples.push({ text, isAttack: false, family: family.id });
    }
  }
  return examples;
}

/** Windows of attempts and harmless texts that people wrote. @param counts of windows for each text */
export function sampleExamples(
  speaker: Speaker,
  carriers: readonly Family[],
  counts: { attack: number; harmless: number },
  random: Random,
): Example[] {
  const examples: Example[] = [];
  for (const { text, isAttack, where } of lookedAtSamples()) {
    if (where !== speaker) continue;
    // Of a long attempt nobody knows which part is one.
    if (isAttack && text.length > MAX_ATTEMPT) continue;
    for (let n = 0; n < (isAttack ? counts.attack : counts.harmless); n++) {
      const window = isAttack
        ? windowOf(misspelt(text, random), carriers, random)
        : cut(text, random.oneOf(WINDOWS), random);
      examples.push({ text: window, isAttack, family: 'samples' });
    }
  }
  return examples;
}

/** Windows of documentation and code that people wrote. */
export function packageExamples(count: number, random: Random): Example[] {
  const texts = packageTexts().flatMap(({ prose, code }) => [prose, prose, code].filter((text) => text !== ''));
  return Array.from({ length: count }, () => {
    const text = cut(random.oneOf(texts), random.oneOf(WINDOWS), random);
    return { text, isAttack: false, family: 'packages' };
  });
}

/** Sentences of one kind, one after the other. */
export const harmlessText = (family: Family, sentences: number, random: Random): string =>
  Array.from({ length: sentences }, () => sentence(family, random)).join(random.oneOf([' ', '\n', ' ']));

/** An attempt as it is sent: alone, or with harmless sentences before and behind it. */
export function attackText(family: Family, carriers: readonly Family[], random: Random): string {
  const said = sentence(family, random);
  if (random.next() < 0.5 || carriers.length === 0) return said;
  const carrier = random.oneOf(carriers);
  return [harmlessText(carrier, random.below(3), random), said, harmlessText(carrier, random.below(3), random)]
    .filter((part) => part !== '')
    .join(random.oneOf([' ', '\n', '\n\n']));
}

const attackWindow = (family: Family, carriers: readonly Family[], random: Random): string =>
  windowOf(misspelt(sentence(family, random), random), carriers, random);

function windowOf(said: string, carriers: readonly Family[], random: Random): string {
  if (said.length >= MAX_WINDOW || random.next() < 0.4) return cut(said, MAX_WINDOW, random);
  const carrier = random.oneOf(carriers);
  const before = harmlessText(carrier, 1, random);
  const behind = harmlessText(carrier, 1, random);
  const text = `${before} ${said} ${behind}`;
  const size = Math.max(random.oneOf(WINDOWS), said.length);
  const slack = size - Math.floor(said.length * MIN_SHARE);
  const start = Math.max(
    0,
    before.length + 1 - random.below(slack + 1) + random.below(Math.ceil(said.length * (1 - MIN_SHARE))),
  );
  return text.slice(start, start + size);
}

/** Some of its words are those of attempts: one of them alone says nothing. */
function mixed(text: string, families: readonly Family[], random: Random): string {
  const words = text.split(' ');
  const others = sentence(random.oneOf(families), random).split(' ');
  const share = random.next() * MAX_MIXED;
  const put = words.map((word) => (random.next() < share ? random.oneOf(others) : word)).join(' ');
  return put.slice(0, MAX_WINDOW);
}

function cut(text: string, size: number, random: Random): string {
  if (text.length <= size) return text;
  const start = random.below(text.length - size);
  return text.slice(start, start + size);
}

/** Now and then two letters are the wrong way round, as people type. */
function misspelt(text: string, random: Random): string {
  if (random.next() < 0.85) return text;
  const at = 1 + random.below(Math.max(1, text.length - 3));
  return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
}
