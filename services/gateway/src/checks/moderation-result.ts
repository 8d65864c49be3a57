// Converts the verdict of a check to a result of OpenAI's moderations. Pure.
import type { CheckAnswer } from '@millrace/contracts';

/** The categories of OpenAI's API, which each result lists. */
const OPENAI_CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

export type ModerationResult = {
  flagged: boolean;
  categories: Record<string, boolean>;
  category_scores: Record<string, number>;
  category_applied_input_types: Record<string, string[]>;
};

/** @param types of the input. Processors have no scores: a category that was found has the score 1, all others have 0. */
export function writeModeration(answer: CheckAnswer, types: string[]): ModerationResult {
  const found = new Set(answer.violations.map(({ processorId, rule }) => chooseCategory(processorId, rule)));
  const flagged = answer.action === 'block';
  if (flagged && found.size === 0) found.add(answer.processor ?? 'blocked');
  const names = [...new Set([...OPENAI_CATEGORIES, ...found])];
  const collect = <T>(value: (isFound: boolean) => T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, value(found.has(name))]));
  return {
    flagged,
    categories: collect((isFound) => isFound),
    category_scores: collect((isFound) => (isFound ? 1 : 0)),
    category_applied_input_types: collect((isFound) => (isFound ? types : [])),
  };
}

/** Rules of `moderation` that OpenAI has under another name. */
const RENAMED: Readonly<Record<string, string>> = {
  threat: 'harassment/threatening',
  'sexual-minors': 'sexual/minors',
};

/** A rule of `moderation` is a category; every other processor is one category, by its id. */
function chooseCategory(processorId: string, rule: string | undefined): string {
  if (processorId !== 'moderation' || rule === undefined) return processorId;
  return Object.hasOwn(RENAMED, rule) ? (RENAMED[rule] ?? rule) : rule;
}
