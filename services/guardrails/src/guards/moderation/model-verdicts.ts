// Requests the model's scores and returns the categories above the threshold. It skips empty texts, and with `when:
// doubt` all texts without a listed word.
import type { CommonArgs } from '@millrace/processor';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import type { ModelJudge } from '../../model/model-judge.ts';
import type { Task } from '../../work/task.ts';
import type { GuardHit } from '../../guard/report.ts';
import type { ModerationOptions } from './moderation-options.ts';
import type { Scores } from './moderation-question.ts';

export type ModelModeration = Omit<ModerationOptions, 'words'> & {
  judge: ModelJudge<Scores>;
  words: Task<GuardHit[][]>;
};

/** Categories above the threshold, with their scores. */
export type Flags = Record<string, number>;

/** Returns the flags of each text; empty if the text passes. @throws coded errors of the model layer */
export async function requestFlags(
  guard: ModelModeration,
  args: CommonArgs,
  texts: readonly string[],
): Promise<Flags[]> {
  const asked = await selectTexts(guard, args, [...new Set(texts.filter((text) => text.trim() !== ''))]);
  const answers = await guard.judge.askEach(asked, args.abortSignal);
  const flags = new Map(asked.map((text, at) => [text, selectFlags(guard, answers[at])]));
  return texts.map((text) => flags.get(text) ?? {});
}

async function selectTexts(guard: ModelModeration, args: CommonArgs, texts: string[]): Promise<string[]> {
  if (guard.when === 'always') return texts;
  const outcome = await guard.words.run(texts, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, guard.response, outcome.exceeded);
  return texts.filter((_, at) => (outcome.found[at] ?? []).flat().length > 0);
}

function selectFlags({ threshold }: ModelModeration, answer: Scores | undefined): Flags {
  return Object.fromEntries(Object.entries(answer?.scores ?? {}).filter(([, score]) => score >= threshold));
}

/** Reports one violation per category, with the highest score. Throws (abort, halt) if the strategy is block. */
export function report(guard: ModelModeration, args: CommonArgs, what: string, flagged: readonly Flags[]): void {
  const rules = [...new Set(flagged.flatMap((flags) => Object.keys(flags)))];
  if (rules.length === 0) return;
  const { strategy, response } = guard;
  for (const rule of rules) {
    const scores = flagged.flatMap((flags) => flags[rule] ?? []);
    const detail = { what, score: Math.max(...scores) };
    args.onViolation({ message: `Moderation: ${rule}.`, rule, strategy, count: scores.length, detail });
  }
  if (strategy === 'block') refuse(args, response, `Moderation: ${rules.join(', ')}.`, { rules });
}

export const isFlagged = (flags: Flags | undefined): boolean => Object.keys(flags ?? {}).length > 0;
