// Asks a model for scores of texts and reports the ones at or above a threshold: one rule per score.
import type { CommonArgs } from '@millrace/processor';
import { refuse } from '../guard/report.ts';
import { hashItem, type JudgedItem, type ModelJudge } from './model-judge.ts';

/** Likelihood (0 to 1) of each rule. */
export type Scores = { scores: Record<string, number> };
/** Rules at or above the threshold, with their scores. */
export type Flags = Record<string, number>;

export type ScoreGuard = {
  /** Begins the message of a violation. */
  title: string;
  judge: ModelJudge<Scores>;
  threshold: number;
  strategy: string;
  response?: string | undefined;
};

/** Returns the flags of each text and file. One that occurs twice is judged once, an empty text never. */
export async function requestFlags(
  guard: ScoreGuard,
  args: CommonArgs,
  items: readonly JudgedItem[],
): Promise<Flags[]> {
  const keys = items.map(hashItem);
  const asked = new Map(items.flatMap((item, at) => (isBlank(item) ? [] : [[keys[at], item] as const])));
  const answers = await guard.judge.askEach([...asked.values()], args);
  const flags = new Map([...asked.keys()].map((key, at) => [key, selectFlags(guard, answers[at])]));
  return keys.map((key) => flags.get(key) ?? {});
}

const isBlank = (item: JudgedItem): boolean => typeof item === 'string' && item.trim() === '';

const selectFlags = ({ threshold }: ScoreGuard, answer: Scores | undefined): Flags =>
  Object.fromEntries(Object.entries(answer?.scores ?? {}).filter(([, score]) => score >= threshold));

/**
 * Reports one violation per rule, with the highest score, and returns the message.
 * @param what judged text, for the detail
 */
export function reportFlags(
  { title, strategy }: ScoreGuard,
  args: CommonArgs,
  what: string,
  flagged: readonly Flags[],
): { rules: string[]; message: string } {
  const rules = [...new Set(flagged.flatMap((flags) => Object.keys(flags)))];
  for (const rule of rules) {
    const scores = flagged.flatMap((flags) => flags[rule] ?? []);
    const detail = { what, score: Math.max(...scores) };
    args.onViolation({ message: `${title}: ${rule}.`, rule, strategy, count: scores.length, detail });
  }
  return { rules, message: `${title}: ${rules.join(', ')}.` };
}

/** Reports the flags. Throws (abort, halt) if the strategy is block. */
export function reportAndBlock(guard: ScoreGuard, args: CommonArgs, what: string, flagged: readonly Flags[]): void {
  const { rules, message } = reportFlags(guard, args, what, flagged);
  if (rules.length > 0 && guard.strategy === 'block') refuse(args, guard.response, message, { rules });
}

export const isFlagged = (flags: Flags | undefined): boolean => Object.keys(flags ?? {}).length > 0;
