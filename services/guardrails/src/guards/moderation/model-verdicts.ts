// Requests the model's scores of texts and windows. With `when: doubt` it skips all texts without a listed word.
import type { CommonArgs } from '@millrace/processor';
import { refuseUnjudged, type GuardHit } from '../../guard/report.ts';
import type { AnswerGuard } from '../../model/judge-answer.ts';
import { isFlagged, reportAndBlock, requestFlags, type Flags, type ScoreGuard } from '../../model/score-texts.ts';
import type { Task } from '../../work/task.ts';
import type { ModerationOptions } from './moderation-options.ts';

export type ModelModeration = Omit<ModerationOptions, 'words'> & ScoreGuard & { words: Task<GuardHit[][]> };

/** Returns the flags of each text; empty if the text passes. Throws (abort, halt) if the strategy is block. */
export async function moderateTexts(
  guard: ModelModeration,
  args: CommonArgs,
  texts: readonly string[],
  what: string,
): Promise<Flags[]> {
  const asked = await selectTexts(guard, args, texts);
  const flags = await requestFlags(
    guard,
    args,
    texts.map((text) => (asked.has(text) ? text : '')),
  );
  reportAndBlock(guard, args, what, flags);
  return flags;
}

async function selectTexts(guard: ModelModeration, args: CommonArgs, texts: readonly string[]): Promise<Set<string>> {
  const distinct = [...new Set(texts)];
  if (guard.when === 'always') return new Set(distinct);
  const outcome = await guard.words.run(distinct, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, guard.response, outcome.exceeded);
  return new Set(distinct.filter((_, at) => (outcome.found[at] ?? []).flat().length > 0));
}

export const createAnswerModeration = (guard: ModelModeration): AnswerGuard => ({
  window: guard.window,
  context: guard.context,
  response: guard.response,
  bound: 'modelText',
  judgesReasoning: true,
  async judgeWindows(args, windows, what) {
    const flags = await moderateTexts(
      guard,
      args,
      windows.map(({ context, text }) => context + text),
      what,
    );
    return windows.map(({ text }, at) => (guard.strategy === 'filter' && isFlagged(flags[at]) ? '' : text));
  },
});
