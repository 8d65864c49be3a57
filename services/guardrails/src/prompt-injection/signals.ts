// What was found in a text, and how it adds up. Signals of one rule, and of rules that say the same, say it once; those of others add to it, where they
// stand near one another: a long text gathers weak ones by chance.
import { independent } from './independent.ts';
import { evidenceOf } from './same-evidence.ts';
import type { Span } from '../text/span.ts';
import type { Aim } from './rules/rule.ts';

/** `aim`: `any` where only all of them together are known; `weight`: 0 to 1; `codes`: how it was said, from the outside in, where not plainly. */
export type Signal = Span & {
  rule: string;
  aim: Aim | 'any' | 'configured';
  weight: number;
  codes?: readonly string[];
};
export type Judgement = {
  /** 0 to 1: of the stretch that says most. */
  score: number;
  /** Those that stand where the score is over the threshold; all of them where it is nowhere. In order. */
  signals: Signal[];
  /** Whether there is something, and not enough of it: what a model may be asked about. */
  doubt: boolean;
};

/** Signals that are farther apart do not add up, code units. */
const WINDOW = 2_500;
export const DEFAULT_THRESHOLD = 0.7;
/** Below it a text says nothing at all. */
const DOUBT = 0.3;
/** What is told of a text. */
const MAX_SIGNALS = 100;

export function judgementOf(found: readonly Signal[], threshold: number): Judgement {
  const signals = distinct(found.toSorted((a, b) => a.start - b.start || b.weight - a.weight));
  const own = evidenceIn(signals);
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

/** The wording of a text is evidence of another kind than its words: it counts beside them. */
function evidenceIn(signals: readonly Signal[]): Set<Signal> {
  const isWording = ({ aim }: Signal): boolean => aim === 'any';
  return new Set([...independent(signals.filter((signal) => !isWording(signal))), ...signals.filter(isWording)]);
}

/** What several views show at one place is told once, as the plainest of them shows it. In the order of their start. */
function distinct(signals: readonly Signal[]): Signal[] {
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

/** Signals that stand near one another: of what is evidence of the same the one that says most counts. There are few weights, so they are counted. */
function createNear(own: ReadonlySet<Signal>) {
  const known = new Map<string, Map<number, number>>();
  const count = ({ rule, weight }: Signal, by: 1 | -1) => {
    const name = evidenceOf(rule);
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
