// Shared by the stages of names and addresses: decides whether to call the model, and masks its findings.
import type { CommonArgs } from '@millrace/processor';
import { BOUNDS, BoundExceeded } from '../../../work/bounds.ts';
import { hashIdentity } from '../../../guard/identity.ts';
import { clipHit, refuseUnjudged, type GuardHit } from '../../../guard/report.ts';
import { shouldReplace, type TextGuard } from '../../../guard/text-guard.ts';
import type { ModelJudge } from '../../../model/model-judge.ts';
import { createPlace } from '../../../text/json-place.ts';
import { replaceHits } from '../../../text/replace-hits.ts';
import { createNameFinder, type FindNames, type ListedNames } from './find-names.ts';

export type NameGuard = {
  guard: TextGuard;
  judge: ModelJudge<ListedNames>;
  when: 'doubt' | 'always';
  /** In lower case. */
  allow: readonly string[];
};

/**
 * Returns true for a text that is too long for a model, which is then rejected: checking its form would block other
 * calls.
 */
export const needsModel = ({ when }: NameGuard, text: string): boolean =>
  text.trim() !== '' && (when === 'always' || text.length > BOUNDS.modelText || mayHoldNames(text));

/** The finder throws (abort, halt) if there are more hits than the bound. */
export function createFinder(
  { guard, allow }: NameGuard,
  args: CommonArgs,
  answer: ListedNames | undefined,
): FindNames {
  const find = createNameFinder(answer ?? { found: [] }, allow);
  return (text) => {
    try {
      return find(text);
    } catch (error) {
      if (error instanceof BoundExceeded) return refuseUnjudged(args, guard.response, error.bound);
      throw error;
    }
  };
}

/** Returns the masked text from `known` on. @param hits that end after `known` */
export function maskNames(
  { guard }: NameGuard,
  { state }: CommonArgs,
  text: string,
  hits: readonly GuardHit[],
  known = 0,
): string {
  const own = text.slice(known);
  if (!shouldReplace(guard)) return own;
  const places = hits.map((hit) => clipHit(hit, known));
  const markHit = ({ hit }: { hit: GuardHit }) => guard.mark(hit, text.slice(hit.start, hit.end), state, hashIdentity);
  return replaceHits(own, places, markHit, createPlace(false));
}

const capitalized = /\p{Lu}[\p{Ll}\p{M}][\p{L}\p{M}’']*/gu;
const uncased = /\p{Lo}/u;

const STARTERS = new Set(
  (
    'the this that these those there here it its they we you he she what which who whose when where why how is are was were am do does ' +
    'did can could would should will may might must have has had please thanks thank hello hey ok okay yes no not sorry and or but if ' +
    'then so because while after before also now next first finally all some any each every many most in on at by for with without ' +
    'from to of as a an my your our their his her i let use make give tell show find get go see note write list explain summarize'
  ).split(' '),
);

/** Words that precede names and addresses, for texts without capitals. */
const CUES = new RegExp(
  String.raw`(?<!\p{L})(?:${[
    "name named called mr mrs ms dr i_am i'm i’m live lives living street road avenue lane apartment flat zip postcode dear regards",
    'sincerely herr frau ich_bin heiße heisse wohne wohnt straße strasse platz plz monsieur madame je_suis habite rue',
    'señora? me_llamo soy vivo calle signora? sono chiamo abito via piazza nome chamo moro rua morada',
    'ik_heet ik_ben woon woont straat nazywam mieszkam imię pani ulica зовут живу улица звати звуть мешкаю вулиця',
    'jmenuji bydlím ulice jag_heter jeg_hedder jeg_heter bor adım adresim nimeni asun numesc locuiesc strada hívnak lakom λένε μένω οδός',
  ]
    .join(' ')
    .replaceAll(' ', '|')
    .replaceAll('_', ' ')})(?!\p{L})`,
  'iu',
);

/**
 * Returns whether the form of a text permits a name or an address, so that the model is asked only then: a capitalized word that does not
 * usually begin a sentence, a script without capitals, or a cue word. A lower-case name without a cue word is missed.
 */
export function mayHoldNames(text: string): boolean {
  if (uncased.test(text) || CUES.test(text)) return true;
  for (const [word] of text.matchAll(capitalized)) if (!STARTERS.has(word.toLowerCase())) return true;
  return false;
}
