// Adds up the signals of a text. Rules with the same evidence count once; different evidence adds up within a window,
// because a long text collects weak signals by chance.
import { selectIndependent } from './independent-signals.ts';
import type { TextSpan } from '../../text/span.ts';
import type { Aim } from './rules/rule.ts';

/**
 * `aim`: `any` if the signal counts only with all aims selected. `weight`: 0 to 1. `codes`: encodings of the text from
 * the outermost in, if any.
 */
export type Signal = TextSpan & {
  rule: string;
  aim: Aim | 'any' | 'configured';
  weight: number;
  codes?: readonly string[];
};
export type InjectionJudgement = {
  /** Score of the strongest stretch, 0 to 1. */
  score: number;
  /** Signals of the stretches above the threshold, or all signals if there is none. In order. */
  signals: Signal[];
  /** Whether the text has some evidence below the threshold, so that a model may decide. */
  doubt: boolean;
};

/** Distance above which signals do not add up, in code units. */
const WINDOW = 2_500;
export const DEFAULT_THRESHOLD = 0.7;
/** Score below which a text has no evidence. */
const DOUBT = 0.3;
/** Maximum number of reported signals. */
const MAX_SIGNALS = 100;

export function judgeSignals(found: readonly Signal[], threshold: number): InjectionJudgement {
  const signals = selectDistinct(found.toSorted((a, b) => a.start - b.start || b.weight - a.weight));
  const own = groupEvidence(signals);
  const near = createNear(own);
  const deciding = new Set<Signal>();
  let score = 0;
  let from = 0;
  for (const [at, signal] of signals.entries()) {
    near.add(signal);
    for (; signal.start - (signals[from]?.start ?? 0) > WINDOW; from++) near.remove(signals[from] ?? signal);
    const here = near.score();
    score = Math.max(score, here);
    if (here >= threshold) {
      for (let n = from; n <= at && deciding.size < MAX_SIGNALS; n++) deciding.add(signals[n] ?? signal);
    }
  }
  const told = deciding.size > 0 ? [...deciding] : signals.slice(0, MAX_SIGNALS);
  return { score, signals: told, doubt: score >= DOUBT && score < threshold };
}

/** Groups signals by evidence. The wording is separate evidence from the words and adds to them. */
function groupEvidence(signals: readonly Signal[]): Set<Signal> {
  const isWording = ({ aim }: Signal): boolean => aim === 'any';
  return new Set([...selectIndependent(signals.filter((signal) => !isWording(signal))), ...signals.filter(isWording)]);
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

/**
 * Tracks nearby signals. Of signals with the same evidence the strongest counts. Counts per weight, because there are
 * few weights.
 */
function createNear(own: ReadonlySet<Signal>) {
  const known = new Map<string, Map<number, number>>();
  const count = ({ rule, weight }: Signal, by: 1 | -1) => {
    const name = getEvidence(rule);
    const weights = known.get(name) ?? new Map<number, number>();
    known.set(name, weights);
    const left = (weights.get(weight) ?? 0) + by;
    if (left > 0) weights.set(weight, left);
    else weights.delete(weight);
  };
  return {
    add: (signal: Signal) => void (own.has(signal) && count(signal, 1)),
    remove: (signal: Signal) => void (own.has(signal) && count(signal, -1)),
    score: () => 1 - [...known.values()].reduce((left, weights) => left * (1 - Math.max(0, ...weights.keys())), 1),
  };
}

/** Rules with the same evidence: an order about the form of an answer often matches several of them, and only the strongest counts. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  /** Addressee and format of an answer, which both tasks and attacks contain. */
  'answer-form': [
    'persona',
    'forced-answer',
    'only-answer',
    'nothing-else',
    'literal-answer',
    'answer-named',
    'forced-start',
  ],
  /** Claims that the model has no limits. */
  limits: ['no-limits', 'harm-named', 'scruples-gone'],
  /** Announcements of a new conversation or part. */
  renewal: ['new-instructions', 'new-session', 'order-of-parts'],
};

const names = new Map(Object.entries(SAME).flatMap(([name, rules]) => rules.map((rule) => [rule, name] as const)));

/** Returns the evidence of a rule: a name shared with equivalent rules, or its own. */
const getEvidence = (rule: string): string => names.get(rule) ?? rule;
