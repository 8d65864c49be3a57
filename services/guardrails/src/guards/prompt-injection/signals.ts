// Adds up the signals of each passage of a text as log-odds. Rules with the same evidence count once, and a weak signal counts only near a
// medium one, because a long text contains weak signals by chance.
import type { TextSpan } from '../../text/span.ts';
import { selectIndependent } from './independent-signals.ts';
import { createSentenceFinder } from './readings/sentences.ts';
import type { Aim } from './rules/rule.ts';

/** `weight`: log-odds that the signal adds. `codes`: encodings of the text from the outermost in, if any. */
export type Signal = TextSpan & {
  rule: string;
  aim: Aim | 'configured';
  weight: number;
  codes?: readonly string[];
};
export type InjectionJudgement = {
  /** Probability of the strongest passage, 0 to 1; 0 without signals. */
  score: number;
  /** Signals of the passages above the threshold, or all signals if there is none. In order. */
  signals: Signal[];
  /** Whether the text has some evidence below the threshold, so that a model may decide. */
  doubt: boolean;
};

export const DEFAULT_THRESHOLD = 0.75;
/** Score below which a text has no evidence. */
const DOUBT = 0.3;
/** Log-odds of a passage without signals. A strong signal alone reaches the default threshold in a text below 1,700 code units, and two medium ones do in any. */
const PRIOR = -3;
/** Added to the prior of a text of up to SHORT code units. It decreases with the logarithm of the length, because each passage may match by chance. */
const SHORT_PRIOR = 1;
const SHORT = 700;
/** Weight from which a signal makes the weaker ones in its passage count: a medium one, also in a disguise. */
const MIN_ANCHOR = 1.8;
/** Maximum number of reported signals. */
const MAX_SIGNALS = 100;

/** Creates the score of a sum of log-odds. */
const toScore = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/**
 * @param text source of the signals' places
 * @param length of the text without its encoding
 */
export function judgeSignals(
  text: string,
  found: readonly Signal[],
  threshold: number,
  length: number = text.length,
): InjectionJudgement {
  if (found.length === 0) return { score: 0, signals: [], doubt: false };
  const signals = selectDistinct(found.toSorted((a, b) => a.start - b.start || b.weight - a.weight));
  const own = selectIndependent(signals);
  const prior = PRIOR + Math.max(0, SHORT_PRIOR - Math.max(0, Math.log(length / SHORT)));
  const deciding = new Set<Signal>();
  let score = toScore(prior + Math.max(...signals.map(({ weight }) => weight)));
  for (const passage of listPassages(text, signals)) {
    const here = toScore(prior + addEvidence(passage.filter((signal) => own.has(signal))));
    score = Math.max(score, here);
    if (here >= threshold) for (const signal of passage) if (deciding.size < MAX_SIGNALS) deciding.add(signal);
  }
  for (const signal of signals)
    if (toScore(prior + signal.weight) >= threshold && deciding.size < MAX_SIGNALS) deciding.add(signal);
  const shown = deciding.size > 0 ? signals.filter((signal) => deciding.has(signal)) : signals.slice(0, MAX_SIGNALS);
  return { score, signals: shown, doubt: score >= DOUBT && score < threshold };
}

/** Lists the signals of each sentence with an anchor and of its two neighbors. */
function listPassages(text: string, signals: readonly Signal[]): Signal[][] {
  if (signals.length === 1 || !signals.some(isAnchor)) return [];
  const findSentence = createSentenceFinder(text);
  const sentences = Map.groupBy(signals, ({ start }) => findSentence(start));
  return [...sentences].flatMap(([at, some]) =>
    some.some(isAnchor) ? [[...(sentences.get(at - 1) ?? []), ...some, ...(sentences.get(at + 1) ?? [])]] : [],
  );
}

const isAnchor = ({ weight }: Signal): boolean => weight >= MIN_ANCHOR;

/** Adds the strongest signal of each evidence. */
function addEvidence(signals: readonly Signal[]): number {
  const strongest = new Map<string, number>();
  for (const { rule, weight } of signals) {
    const name = getEvidence(rule);
    strongest.set(name, Math.max(weight, strongest.get(name) ?? 0));
  }
  return [...strongest.values()].reduce((sum, weight) => sum + weight, 0);
}

/** Keeps one signal per place if several views show it: the one of the plainest view. In the order of their start. */
function selectDistinct(signals: readonly Signal[]): Signal[] {
  const last = new Map<string, Signal>();
  const kept = new Set<Signal>();
  for (const signal of signals) {
    const before = last.get(signal.rule);
    if (before && signal.start < before.end) {
      if (isPlainer(before, signal)) continue;
      kept.delete(before);
    }
    last.set(signal.rule, signal);
    kept.add(signal);
  }
  return [...kept].toSorted((a, b) => a.start - b.start);
}

const isPlainer = (one: Signal, other: Signal): boolean =>
  one.weight > other.weight || (one.weight === other.weight && (one.codes?.length ?? 0) <= (other.codes?.length ?? 0));

/** Rules with the same evidence: an order about the form of an answer often matches several of them, and only the strongest counts. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  /** Addressee and format of an answer, which both tasks and attacks contain. */
  'answer-form': ['persona', 'forced-answer', 'nothing-else', 'answer-named', 'forced-start'],
  /** Claims that the model has no limits. */
  limits: ['no-limits', 'harm-named', 'scruples-gone'],
  /** Announcements of a new conversation or part. */
  renewal: ['new-instructions', 'new-session', 'order-of-parts'],
};

const names = new Map(Object.entries(SAME).flatMap(([name, rules]) => rules.map((rule) => [rule, name] as const)));

/** Returns the evidence of a rule: a name shared with equivalent rules, or its own. */
const getEvidence = (rule: string): string => names.get(rule) ?? rule;
