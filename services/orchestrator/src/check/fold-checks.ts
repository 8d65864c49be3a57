// Adds the verdicts of a check up to its answer. Pure.
import type { CheckAnswer, EntryUsage, PublicViolation } from '@millrace/contracts';
import type { CheckJudgement } from './judge-text.ts';

/** @param given the texts before they were judged @param undecided absent: the texts are complete */
export function foldChecks(
  given: readonly string[],
  judged: readonly Omit<CheckJudgement, 'passedFiles'>[],
  undecided?: readonly number[],
): CheckAnswer {
  const violations = sumViolations(judged.flatMap((one) => one.violations));
  const usage = sumUsage(judged.flatMap((one) => one.usage));
  const block = judged.find((one) => one.block)?.block;
  if (block) return { action: 'block', texts: [], ...block, violations, usage };
  const texts = judged.flatMap((one) => one.texts);
  const isChanged = texts.some((text, at) => text !== given[at]);
  const action = isChanged ? 'changed' : 'pass';
  return { action, texts, ...(undecided && { undecided: [...undecided] }), violations, usage };
}

/**
 * Returns the number of UTF-16 code units at the end of `whole` that are not decided yet.
 *
 * @param decided the text that processors release if the answer breaks off here
 * @param whole the text that they release if the answer ends here
 */
export function countUndecided(decided: string, whole: string): number {
  const most = Math.min(decided.length, whole.length);
  let same = 0;
  while (same < most && decided.charCodeAt(same) === whole.charCodeAt(same)) same += 1;
  // A pair of surrogates is decided together.
  if (same > 0 && same < whole.length && isHighSurrogate(whole.charCodeAt(same - 1))) same -= 1;
  return whole.length - same;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit <= 0xdb_ff;

function sumViolations(violations: readonly PublicViolation[]): PublicViolation[] {
  const sums = new Map<string, PublicViolation>();
  for (const one of violations) {
    const key = JSON.stringify([one.processorId, one.rule]);
    sums.set(key, { ...one, count: (sums.get(key)?.count ?? 0) + one.count });
  }
  return [...sums.values()];
}

function sumUsage(usage: readonly EntryUsage[]): EntryUsage[] {
  const sums = new Map<string, EntryUsage>();
  for (const { entry, modelCalls, inputTokens, outputTokens } of usage) {
    const sum = sums.get(entry) ?? { entry, modelCalls: 0, inputTokens: 0, outputTokens: 0 };
    sums.set(entry, {
      entry,
      modelCalls: sum.modelCalls + modelCalls,
      inputTokens: sum.inputTokens + inputTokens,
      outputTokens: sum.outputTokens + outputTokens,
    });
  }
  return [...sums.values()];
}
