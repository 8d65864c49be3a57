// Judges whether a text attacks the model that reads it: runs all rules on all views of the text, word by word and
// letter by letter. It judges form, not meaning.
import type { TextSpan } from '../../text/span.ts';
import { copyText } from '../../text/views/derived-text.ts';
import { isDisguised, createViews, type TextView } from '../../text/views/create-views.ts';
import { createConfiguredFinder } from './configured-phrases.ts';
import { findFloods } from './find-floods.ts';
import { findMarks } from './find-marks.ts';
import { createLexicon } from './lexicon/lexicon.ts';
import { VOCABULARIES } from './lexicon/lexicon-files.ts';
import { readLetterRun, readBackwards, readLetters } from './readings/letters-reading.ts';
import type { RuleReading } from './readings/reading.ts';
import { createEndSearch } from './readings/sentence-ends.ts';
import { readWords } from './readings/words-reading.ts';
import { weighMentions } from './mentions.ts';
import { weighOwnWords } from './own-words.ts';
import { weighQuotations } from './quotations.ts';
import { ALL_RULES } from './rules/rule-files.ts';
import { compileRules, type RuleMatch } from './rules/match-rules.ts';
import { listLiterals, WEIGHTS, type Aim } from './rules/rule.ts';
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
export type JudgeTextOptions = { from: 'user' | 'tool'; spend(characters: number): void };

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

export type JudgeText = (text: string, options: JudgeTextOptions) => InjectionJudgement;

export function createJudge({ aims, threshold, phrases, patterns }: InjectionOptions): JudgeText {
  const findConfigured = createConfiguredFinder(phrases, patterns);
  const wanted = new Set<Signal['aim']>(aims);
  return (text, { from, spend }) => {
    const views = createViews(text, spend);
    const isTool = from === 'tool';
    const found = views.map((view) => [
      ...weighPieces(text, view, findSignals(view, isTool)).filter(({ aim }) => wanted.has(aim)),
      ...findConfigured(view.text),
    ]);
    const placed = views.flatMap((view, at) => placeSignals(view, found[at] ?? []));
    const own = isTool ? placed : weighOwnWords(text, placed);
    const weighed = isTool ? placed : weighMentions(text, own);
    const judgement = judgeSignals(text, weighed, threshold);
    const isMentioned = weighed.some((signal, at) => signal !== own[at]);
    if (judgement.score >= threshold || isMentioned) return judgement;
    return judgeViews(views, found, threshold, judgement);
  };
}

/**
 * Judges each derived view in its own places, because all signals of one encoded piece have the same place in the text.
 * Returns the judgement with the highest score. @param plain judgement of all views together
 */
function judgeViews(
  views: readonly TextView[],
  found: readonly Signal[][],
  threshold: number,
  plain: InjectionJudgement,
): InjectionJudgement {
  return views.reduce((best, view, at) => {
    const signals = found[at] ?? [];
    if (view.codes.length === 0 || signals.length < 2) return best;
    const length = isPartial(view) ? (views[0]?.text.length ?? 0) : view.text.length;
    const judgement = judgeSignals(view.text, signals, threshold, length);
    return judgement.score > best.score ? { ...judgement, signals: placeSignals(view, judgement.signals) } : best;
  }, plain);
}

function findSignals(view: TextView, isTool: boolean): Signal[] {
  const isApart = view.codes.includes(LETTERS_APART);
  const letters = readLetterRun(view.scanned, isApart);
  const disguised = isDisguised(view);
  const hasEnd = createEndSearch(view.text);
  const isOverEnd = ({ start, end }: TextSpan): boolean =>
    !disguised && end - start > BEFORE_AN_END && hasEnd({ start: start + BEFORE_AN_END, end });
  const match = (reading: RuleReading): Signal[] =>
    matchRules(reading, isTool).map((found) => toSignal(view.text, found, isOverEnd(found)));
  // Each reading is valid until the next one.
  const inWords = match(readWords(view.scanned, lexicon, disguised));
  const inLetters = match(readLetters(letters, lexicon, isApart));
  // A reversed text stays reversed without its marks.
  const mayBeReversed = view.codes.at(-1) !== 'markup' && !disguised;
  const matches = [...inWords, ...inLetters, ...(mayBeReversed ? match(readBackwards(letters, lexicon)) : [])];
  const floods = findFloods(view.scanned).map((span) => ({
    rule: 'flood',
    aim: 'flood' as const,
    // A flood is long, and stops a text of any length.
    weight: WEIGHTS.decides,
    ...span,
  }));
  const signals = [...matches, ...findMarks(view.scanned, isTool), ...floods];
  return view.codes.length === 0 ? weighQuotations(view.text, signals) : signals;
}

function toSignal(text: string, { rule, negator, start, end }: RuleMatch, isOverEnd: boolean): Signal {
  const isNegated = negator !== undefined && negation.test(text.slice(negator, start));
  const weight = WEIGHTS[rule.weight] * (isNegated ? NEGATED : 1) * (isOverEnd ? OVER_AN_END : 1);
  return { rule: rule.id, aim: rule.aim, weight, start, end };
}

/** Maps signals to the source text. */
const placeSignals = ({ toSourceSpan, codes }: TextView, signals: readonly Signal[]): Signal[] =>
  signals.map((signal) => ({ ...signal, ...toSourceSpan(signal), ...(codes.length > 0 && { codes }) }));

/** Whether the view contains parts of the text, not a decoding of it. */
const isPartial = (view: TextView): boolean =>
  isDisguised(view) || view.codes.includes('literals') || view.codes.includes('markup');

/** Lowers the signals of views that join pieces of a long text, because program code contains such pieces, too. */
const weighPieces = (text: string, view: TextView, signals: readonly Signal[]): readonly Signal[] =>
  text.length > LONG && (isDisguised(view) || view.codes.includes('literals'))
    ? signals.map((signal) => ({ ...signal, weight: signal.weight * PIECES }))
    : signals;
/** Length of a text, in code units, from which a strong signal in such a view is no attack alone. */
const LONG = 2_000;
const PIECES = 0.75;

/** Judges one text with an unlimited budget, for tests and tools. */
export const judgeAlone = (
  judge: JudgeText,
  text: string,
  from: JudgeTextOptions['from'] = 'user',
): InjectionJudgement => judge(copyText(text).text, { from, spend: () => undefined });

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
