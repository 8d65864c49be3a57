// Generates the training set from families and a seed: windows of attacks, alone or among harmless sentences, and
// windows of harmless texts.
import { ANSWER } from './attacks/answer.ts';
import { CLAIMS, INDIRECT, ORDERS } from './attacks/indirect.ts';
import { OVERRIDE } from './attacks/override.ts';
import { REVEAL } from './attacks/reveal.ts';
import { ROLE } from './attacks/role.ts';
import { TRANSLATED, translateLists } from './attacks/translated.ts';
import { ATTACK_WORDS } from './attacks/words.ts';
import { BENIGN_ASKED } from './benign/user-questions.ts';
import { BENIGN_BY_LANGUAGE } from './benign/languages.ts';
import { BENIGN_MODEL_WORK } from './benign/model-work.ts';
import { readPackageTexts } from './benign/packages.ts';
import { BENIGN_PLAIN, PLAIN_WORDS } from './benign/everyday-sentences.ts';
import { BENIGN_RECORDS, RECORD_LETTERS } from './benign/records.ts';
import { BENIGN_TEXTS } from './benign/texts.ts';
import { BENIGN_USER } from './benign/user.ts';
import { BENIGN_WORDS } from './benign/words.ts';
import { expand, type Lists, type Family } from './grammar.ts';
import type { TrainingRandom } from './random.ts';
import { readLexicons } from './guard-files.ts';
import { readLookedAtSamples } from './samples.ts';

export type Example = { text: string; isAttack: boolean; family: string };
export type TrainingSpeaker = 'user' | 'tool';

/** Maximum length of a window, in characters. */
const MAX_WINDOW = 192;
const WINDOWS = [64, 96, 192];
/** Minimum share of an attack inside of its window. */
const MIN_SHARE = 0.7;

/** Maximum length of a sample that is an attack as a whole. */
const MAX_ATTEMPT = 400;

/** Share of harmless texts that are mixed with words of attacks. */
const MIXED = 0.5;
const MAX_MIXED = 0.4;

const readClassLists = (lexicon: string): Lists =>
  Object.fromEntries(Object.entries(readLexicons([lexicon])).map(([name, words]) => [`@${name}`, words]));

const LISTS: Lists = {
  ...readClassLists('english'),
  ...readClassLists('english-concepts'),
  ...BENIGN_WORDS,
  ...PLAIN_WORDS,
  ...ATTACK_WORDS,
  ...translateLists(),
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
const selectBySpeaker = (families: readonly Family[], speaker: TrainingSpeaker): Family[] =>
  families.filter(({ where }) => where === 'both' || where === speaker);

export const listFamilies = (speaker: TrainingSpeaker): { attacks: Family[]; harmless: Family[] } => ({
  attacks: selectBySpeaker(attacks, speaker),
  harmless: selectBySpeaker(harmless, speaker),
});

const sentence = (family: Family, random: TrainingRandom): string =>
  expand(random.pick(family.templates), LISTS, random);

/** @param count of windows per family */
export function buildExamples(
  some: { attacks: readonly Family[]; harmless: readonly Family[] },
  counts: { attack: number; harmless: number },
  random: TrainingRandom,
): Example[] {
  const examples: Example[] = [];
  for (const family of some.attacks) {
    for (let n = 0; n < counts.attack; n++)
      examples.push({ text: cutAttackWindow(family, some.harmless, random), isAttack: true, family: family.id });
  }
  for (const family of some.harmless) {
    for (let n = 0; n < counts.harmless; n++) {
      const plain = cutText(writeHarmless(family, 1 + random.pickBelow(4), random), random.pick(WINDOWS), random);
      const text = random.next() < MIXED ? mixWords(plain, some.attacks, random) : plain;
      examples.push({ text, isAttack: false, family: family.id });
    }
  }
  return examples;
}

/** Creates windows of the samples. @param counts of windows per text */
export function buildSampleExamples(
  speaker: TrainingSpeaker,
  carriers: readonly Family[],
  counts: { attack: number; harmless: number },
  random: TrainingRandom,
): Example[] {
  const examples: Example[] = [];
  for (const { text, isAttack, where } of readLookedAtSamples()) {
    if (where !== speaker) continue;
    // In a long sample the place of the attack is unknown.
    if (isAttack && text.length > MAX_ATTEMPT) continue;
    for (let n = 0; n < (isAttack ? counts.attack : counts.harmless); n++) {
      const window = isAttack
        ? cutWindow(misspell(text, random), carriers, random)
        : cutText(text, random.pick(WINDOWS), random);
      examples.push({ text: window, isAttack, family: 'samples' });
    }
  }
  return examples;
}

/** Creates windows of documentation and code. */
export function buildPackageExamples(count: number, random: TrainingRandom): Example[] {
  const texts = readPackageTexts().flatMap(({ prose, code }) => [prose, prose, code].filter((text) => text !== ''));
  return Array.from({ length: count }, () => {
    const text = cutText(random.pick(texts), random.pick(WINDOWS), random);
    return { text, isAttack: false, family: 'packages' };
  });
}

/** Joins sentences of one kind. */
export const writeHarmless = (family: Family, sentences: number, random: TrainingRandom): string =>
  Array.from({ length: sentences }, () => sentence(family, random)).join(random.pick([' ', '\n', ' ']));

/** Generates an attack, alone or with harmless sentences around it. */
export function writeAttack(family: Family, carriers: readonly Family[], random: TrainingRandom): string {
  const said = sentence(family, random);
  if (random.next() < 0.5 || carriers.length === 0) return said;
  const carrier = random.pick(carriers);
  return [
    writeHarmless(carrier, random.pickBelow(3), random),
    said,
    writeHarmless(carrier, random.pickBelow(3), random),
  ]
    .filter((part) => part !== '')
    .join(random.pick([' ', '\n', '\n\n']));
}

const cutAttackWindow = (family: Family, carriers: readonly Family[], random: TrainingRandom): string =>
  cutWindow(misspell(sentence(family, random), random), carriers, random);

function cutWindow(said: string, carriers: readonly Family[], random: TrainingRandom): string {
  if (said.length >= MAX_WINDOW || random.next() < 0.4) return cutText(said, MAX_WINDOW, random);
  const carrier = random.pick(carriers);
  const before = writeHarmless(carrier, 1, random);
  const behind = writeHarmless(carrier, 1, random);
  const text = `${before} ${said} ${behind}`;
  const size = Math.max(random.pick(WINDOWS), said.length);
  const slack = size - Math.floor(said.length * MIN_SHARE);
  const start = Math.max(
    0,
    before.length + 1 - random.pickBelow(slack + 1) + random.pickBelow(Math.ceil(said.length * (1 - MIN_SHARE))),
  );
  return text.slice(start, start + size);
}

/** Replaces some words by words of attacks, because a single such word is no evidence. */
function mixWords(text: string, families: readonly Family[], random: TrainingRandom): string {
  const words = text.split(' ');
  const others = sentence(random.pick(families), random).split(' ');
  const share = random.next() * MAX_MIXED;
  const put = words.map((word) => (random.next() < share ? random.pick(others) : word)).join(' ');
  return put.slice(0, MAX_WINDOW);
}

function cutText(text: string, size: number, random: TrainingRandom): string {
  if (text.length <= size) return text;
  const start = random.pickBelow(text.length - size);
  return text.slice(start, start + size);
}

/** Sometimes swaps two letters, a common typing error. */
function misspell(text: string, random: TrainingRandom): string {
  if (random.next() < 0.85) return text;
  const at = 1 + random.pickBelow(Math.max(1, text.length - 3));
  return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
}
