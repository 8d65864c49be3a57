// Moderates by a list of words, with the comparison of the keyword processor.
import { createKeyedMap } from '../../guard/keyed-values.ts';
import type { GuardHit } from '../../guard/report.ts';
import type { StreamRule, TextGuard } from '../../guard/text-guard.ts';
import { createKeywordRules, prepareKeywords } from '../keyword/find-keywords.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { createTask } from '../../work/task.ts';
import type { ModerationOptions } from './moderation-options.ts';
import { SWEAR_WORDS } from './word-list.ts';

const MARK = '[REDACTED]';
type WordOptions = Pick<ModerationOptions, 'words'>;

const toKeywordOptions = ({ words }: WordOptions) => ({
  keywords: [...SWEAR_WORDS, ...words],
  patterns: [],
  wholeWords: true,
  strategy: 'warn' as const,
  response: undefined,
});
const toWordListHit = (hit: GuardHit): GuardHit => ({ ...hit, rule: 'word-list' });

const prepareWords: PrepareJudge<WordOptions, GuardHit[][]> = (options) => {
  const find = prepareKeywords(toKeywordOptions(options));
  return (texts) => find(texts).map((byRule) => byRule.map((hits) => hits.map(toWordListHit)));
};

export const wordTask = defineTask(import.meta.url, prepareWords);

export function createWordGuard({ words, strategy, response }: ModerationOptions): TextGuard {
  return {
    strategy,
    response,
    describe: () => 'A listed word was found.',
    task: createTask(wordTask, { words }),
    rules: createKeywordRules(toKeywordOptions({ words })).map((rule): StreamRule => ({
      ...rule,
      find: (text) => rule.find(text).map(toWordListHit),
    })),
    mark: () => MARK,
    mapValue: createKeyedMap(() => false),
  };
}
