// Judges whether a text attacks the model that reads it: runs all rules on all views of the text, word by word and
// letter by letter. It judges form, not meaning.
import { copyText } from '../../text/views/derived-text.ts';
import { isDisguised, createViews, type TextView } from '../../text/views/create-views.ts';
import { createConfiguredFinder } from './configured-phrases.ts';
import { findFloods } from './find-floods.ts';
import { findMarks } from './find-marks.ts';
import { createLexicon } from './lexicon/lexicon.ts';
import { VOCABULARIES } from './lexicon/lexicon-files.ts';
import { readLetterRun, readBackwards, readLetters, insertSpaces } from './readings/letters-reading.ts';
import { isAcrossEnd, findSentenceEnds } from './readings/sentence-ends.ts';
import { readWords } from './readings/words-reading.ts';
import { weighMentions } from './mentions.ts';
import { weighQuotations } from './quotations.ts';
import { ALL_RULES } from './rules/rule-files.ts';
import { compileRules, type RuleMatch } from './rules/match-rules.ts';
import { AIMS, listLiterals, WEIGHTS, type Aim } from './rules/rule.ts';
import { findWording, isProse } from './wording/find-wording.ts';
import { judgeSignals, type InjectionJudgement, type Signal } from './signals.ts';
import { createCounter } from '../../work/bounds.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

export type InjectionOptions = {
  aims: readonly Aim[];
  threshold: number;
  phrases: readonly string[];
  patterns: readonly string[];
};
/** `tool`: the text is not the user's, so orders to the assistant are suspicious. */
export type JudgeOptions = { from: 'user' | 'tool'; spend(characters: number): void };

const lexicon = createLexicon(VOCABULARIES, listLiterals(ALL_RULES));
const LETTERS_APART = 'letters apart';
const matchRules = compileRules(ALL_RULES, lexicon);
/** Factor of a negated signal: "Do not ignore …" is often harmless, but not always. */
const NEGATED = 0.4;
/**
 * Words allowed between the negation and the phrase. "Don't worry, ignore …" and "do not hesitate to ignore …" do not
 * negate it.
 */
const negation = /^\s*(?:(?:ever|to|you|we|please|simply|just)\s+)?$/i;
/** Factor of a signal that crosses the end of a sentence. */
const OVER_AN_END = 0.6;
/** Code units that must precede that end; otherwise a period after the first words would weaken any attack. */
const BEFORE_AN_END = 24;

export type JudgeText = (text: string, options: JudgeOptions) => InjectionJudgement;

export function createJudge({ aims, threshold, phrases, patterns }: InjectionOptions): JudgeText {
  const findConfigured = createConfiguredFinder(phrases, patterns);
  const wanted = new Set<Signal['aim']>(aims);
  const hasAll = AIMS.every((aim) => aims.includes(aim));
  return (text, { from, spend }) => {
    const views = createViews(text, spend);
    const isTool = from === 'tool';
    const found = views.flatMap((view) => [
      ...findSignals(view, isTool).filter(({ aim }) => wanted.has(aim)),
      ...placeSignals(view, findConfigured(view.text)),
    ]);
    const toJudgement = (signals: readonly Signal[]) =>
      judgeSignals(isTool ? signals : weighMentions(text, signals), threshold);
    const judgement = toJudgement(found);
    // Rules have exact places. The wording counts only if they do not decide and all aims are selected.
    if (judgement.score >= threshold || !hasAll) return judgement;
    const wording = views.flatMap((view) => findWordingIn(view, from));
    return wording.length === 0 ? judgement : toJudgement([...found, ...wording]);
  };
}

function findSignals(view: TextView, isTool: boolean): Signal[] {
  const isApart = view.codes.includes(LETTERS_APART);
  const letters = readLetterRun(view.text, isApart);
  const disguised = isDisguised(view);
  const ends = disguised ? [] : findSentenceEnds(view.text);
  const readings = [readWords(view.text, lexicon, disguised), readLetters(letters, lexicon, isApart)];
  // A reversed text stays reversed without its marks.
  if (view.codes.at(-1) !== 'markup' && !disguised) readings.push(readBackwards(letters, lexicon));
  const matches = readings.flatMap((reading) =>
    matchRules(reading, isTool).map((match) =>
      toSignal(view.text, match, isAcrossEnd({ start: match.start + BEFORE_AN_END, end: match.end }, ends)),
    ),
  );
  const floods = findFloods(view.text).map(({ isDeluge, start, end }) => {
    const weight = isDeluge ? WEIGHTS.strong : WEIGHTS.weak;
    return { rule: 'flood', aim: 'flood' as const, weight, start, end };
  });
  return placeUnquoted(view, [...matches, ...findMarks(view.text, isTool), ...floods]);
}

/** Scores wording in decoded text only if it is prose, because it is usually noise. */
function findWordingIn(view: TextView, from: 'user' | 'tool'): Signal[] {
  const { text, codes } = view;
  if (codes.includes(LETTERS_APART)) {
    const words = insertSpaces(text, readLetters(readLetterRun(text, true), lexicon, true));
    // Uses the whole text as the place, because no stretch of disguised text is cut out.
    return placeSignals(
      view,
      findWording(words, from).map((signal) => ({ ...signal, start: 0, end: text.length })),
    );
  }
  return codes.length === 0 || isProse(text) ? placeUnquoted(view, findWording(text, from)) : [];
}

/** Maps signals to the source text, and lowers quoted ones in plain text. */
const placeUnquoted = (view: TextView, signals: readonly Signal[]): Signal[] =>
  placeSignals(view, view.codes.length === 0 ? weighQuotations(view.text, signals) : signals);

function toSignal(text: string, { rule, negator, start, end }: RuleMatch, isOverEnd: boolean): Signal {
  const isNegated = negator !== undefined && negation.test(text.slice(negator, start));
  const weight = WEIGHTS[rule.weight] * (isNegated ? NEGATED : 1) * (isOverEnd ? OVER_AN_END : 1);
  return { rule: rule.id, aim: rule.aim, weight, start, end };
}

const placeSignals = ({ toSourceSpan, codes }: TextView, signals: readonly Signal[]): Signal[] =>
  signals.map((signal) => ({ ...signal, ...toSourceSpan(signal), ...(codes.length > 0 && { codes }) }));

/** Judges one text with an unlimited budget, for tests and tools. */
export const judgeAlone = (judge: JudgeText, text: string, from: JudgeOptions['from'] = 'user'): InjectionJudgement =>
  judge(copyText(text).text, { from, spend: () => undefined });

/** `from`: author of the texts. */
type InjectionTask = InjectionOptions & { from: 'user' | 'tool' };

const prepareInjections: PrepareJudge<InjectionTask, InjectionJudgement> = ({ from, ...options }) => {
  const judge = createJudge(options);
  return (texts) => {
    const spend = createCounter('views');
    return texts.map((text) => judge(text, { from, spend }));
  };
};

export const injectionTask = defineTask(import.meta.url, prepareInjections);
