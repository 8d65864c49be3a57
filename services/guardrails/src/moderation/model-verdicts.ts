// What the model says of texts, as categories that count: asked only about what has something to judge, and with `when: doubt` only
// where a word of the list stands.
import type { CommonArgs } from '@millrace/processor';
import { refuse, refuseUnjudged } from '../guard/report.ts';
import type { ModelJudge } from '../model/model-judge.ts';
import type { Task } from '../work/task.ts';
import type { Hit } from '../guard/report.ts';
import type { ModerationOptions } from './moderation-options.ts';
import type { Scores } from './moderation-question.ts';

export type ModelModeration = Omit<ModerationOptions, 'words'> & { judge: ModelJudge<Scores>; words: Task<Hit[][]> };

/** The categories that count, with their scores. */
export type Flags = Record<string, number>;

/** For each text its flags; none where it may pass. @throws coded errors of the model layer */
export async function flagsOf(guard: ModelModeration, args: CommonArgs, texts: readonly string[]): Promise<Flags[]> {
  const asked = await textsToAsk(guard, args, [...new Set(texts.filter((text) => text.trim() !== ''))]);
  const answers = await guard.judge.askEach(asked, args.abortSignal);
  const flags = new Map(asked.map((text, at) => [text, counting(guard, answers[at])]));
  return texts.map((text) => flags.get(text) ?? {});
}

async function textsToAsk(guard: ModelModeration, args: CommonArgs, texts: string[]): Promise<string[]> {
  if (guard.when === 'always') return texts;
  const outcome = await guard.words.run(texts, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, guard.response, outcome.exceeded);
  return texts.filter((_, at) => (outcome.found[at] ?? []).flat().length > 0);
}

function counting({ threshold }: ModelModeration, answer: Scores | undefined): Flags {
  return Object.fromEntries(Object.entries(answer?.scores ?? {}).filter(([, score]) => score >= threshold));
}

/** One violation for each category, with the highest score. Throws (abort, halt) with strategy block. */
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
