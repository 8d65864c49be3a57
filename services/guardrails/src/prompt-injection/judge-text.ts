// What a text may be trying to do to a model that reads it: all its views, read word by word and letter by letter, by all rules. It judges form,
// not meaning.
import { inStep } from '../text/views/derived-text.ts';
import { isDisguised, viewsOf, type View } from '../text/views/views-of.ts';
import { createConfiguredFinder } from './configured.ts';
import { findFloods } from './flood.ts';
import { findMarks } from './find-marks.ts';
import { createLexicon } from './lexicon/lexicon.ts';
import { VOCABULARIES } from './lexicon/vocabularies.ts';
import { lettersOf, readBackwards, readLetters, spacedOut } from './readings/letters-reading.ts';
import { crossesEnd, sentenceEnds } from './readings/sentence-ends.ts';
import { readWords } from './readings/words-reading.ts';
import { withMentions } from './mentions.ts';
import { withQuotations } from './quotations.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import { compileRules, type RuleMatch } from './rules/match-rules.ts';
import { AIMS, literalsIn, WEIGHTS, type Aim } from './rules/rule.ts';
import { findWording, isProse } from './wording/find-wording.ts';
import { judgementOf, type Judgement, type Signal } from './signals.ts';

export type InjectionOptions = {
  aims: readonly Aim[];
  threshold: number;
  phrases: readonly string[];
  patterns: readonly string[];
};
/** `tool`: no user speaks, so that words for the assistant are out of place. */
export type JudgeOptions = { from: 'user' | 'tool'; spend(characters: number): void };

const lexicon = createLexicon(VOCABULARIES, literalsIn(ALL_RULES));
const LETTERS_APART = 'letters apart';
const matchRules = compileRules(ALL_RULES, lexicon);
/** "Do not ignore …" is said by people who mean it. It says less, not nothing. */
const NEGATED = 0.4;
/** What may stand between. "Don't worry, ignore …" and "do not hesitate to ignore …" are said by others. */
const negation = /^\s*(?:(?:ever|to|you|we|please|simply|just)\s+)?$/i;
/** What is found over the end of a sentence. */
const OVER_AN_END = 0.6;
/** So much of it stands before the end, code units: a mark behind its first words would take the weight of any attempt. */
const BEFORE_AN_END = 24;

export type JudgeText = (text: string, options: JudgeOptions) => Judgement;

export function createJudge({ aims, threshold, phrases, patterns }: InjectionOptions): JudgeText {
  const findConfigured = createConfiguredFinder(phrases, patterns);
  const wanted = new Set<Signal['aim']>(aims);
  const hasAll = AIMS.every((aim) => aims.includes(aim));
  return (text, { from, spend }) => {
    const views = viewsOf(text, spend);
    const isTool = from === 'tool';
    const found = views.flatMap((view) => [
      ...signalsIn(view, isTool).filter(({ aim }) => wanted.has(aim)),
      ...placed(view, findConfigured(view.text)),
    ]);
    const judged = (signals: readonly Signal[]) =>
      judgementOf(isTool ? signals : withMentions(text, signals), threshold);
    const judgement = judged(found);
    // What the rules know has its places: the wording is asked where they do not decide, and where all of it is wanted.
    if (judgement.score >= threshold || !hasAll) return judgement;
    const wording = views.flatMap((view) => wordingIn(view, from));
    return wording.length === 0 ? judgement : judged([...found, ...wording]);
  };
}

function signalsIn(view: View, isTool: boolean): Signal[] {
  const isApart = view.codes.includes(LETTERS_APART);
  const letters = lettersOf(view.text, isApart);
  const disguised = isDisguised(view);
  const ends = disguised ? [] : sentenceEnds(view.text);
  const readings = [readWords(view.text, lexicon, disguised), readLetters(letters, lexicon, isApart)];
  // What is written backwards is so whatever its marks.
  if (view.codes.at(-1) !== 'markup' && !disguised) readings.push(readBackwards(letters, lexicon));
  const matches = readings.flatMap((reading) =>
    matchRules(reading, isTool).map((match) =>
      signalOf(view.text, match, crossesEnd({ start: match.start + BEFORE_AN_END, end: match.end }, ends)),
    ),
  );
  const floods = findFloods(view.text).map(({ isDeluge, start, end }) => {
    const weight = isDeluge ? WEIGHTS.strong : WEIGHTS.weak;
    return { rule: 'flood', aim: 'flood' as const, weight, start, end };
  });
  return told(view, [...matches, ...findMarks(view.text, isTool), ...floods]);
}

/** What another code says is noise as a rule. */
function wordingIn(view: View, from: 'user' | 'tool'): Signal[] {
  const { text, codes } = view;
  if (codes.includes(LETTERS_APART)) {
    const words = spacedOut(text, readLetters(lettersOf(text, true), lexicon, true));
    // Where in it does not matter: it is no text that anybody cuts something out of.
    return placed(
      view,
      findWording(words, from).map((signal) => ({ ...signal, start: 0, end: text.length })),
    );
  }
  return codes.length === 0 || isProse(text) ? told(view, findWording(text, from)) : [];
}

/** Where they stand in the text; in what it says plainly, less where that is quoted. */
const told = (view: View, signals: readonly Signal[]): Signal[] =>
  placed(view, view.codes.length === 0 ? withQuotations(view.text, signals) : signals);

function signalOf(text: string, { rule, negator, start, end }: RuleMatch, isOverEnd: boolean): Signal {
  const isNegated = negator !== undefined && negation.test(text.slice(negator, start));
  const weight = WEIGHTS[rule.weight] * (isNegated ? NEGATED : 1) * (isOverEnd ? OVER_AN_END : 1);
  return { rule: rule.id, aim: rule.aim, weight, start, end };
}

const placed = ({ spanOf, codes }: View, signals: readonly Signal[]): Signal[] =>
  signals.map((signal) => ({ ...signal, ...spanOf(signal), ...(codes.length > 0 && { codes }) }));

/** For tests and whoever judges one text: no budget but the text's own. */
export const judgeAlone = (judge: JudgeText, text: string, from: JudgeOptions['from'] = 'user'): Judgement =>
  judge(inStep(text).text, { from, spend: () => undefined });
