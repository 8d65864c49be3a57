// Moderation by a list of words: the keyword processor's way of comparing, with the list of this folder.
import { createKeyedMap } from '../guard/keyed-values.ts';
import type { Hit } from '../guard/report.ts';
import type { StreamRule, TextGuard } from '../guard/text-guard.ts';
import { keywordRules, prepareKeywords } from '../keyword/find-keywords.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { createTask } from '../work/task.ts';
import type { ModerationOptions } from './moderation-options.ts';
import { SWEAR_WORDS } from './word-list.ts';

const MARK = '[REDACTED]';
type WordOptions = Pick<ModerationOptions, 'words'>;

const keywordOptions = ({ words }: WordOptions) => ({
  keywords: [...SWEAR_WORDS, ...words],
  patterns: [],
  wholeWords: true,
  strategy: 'warn' as const,
  response: undefined,
});
const renamed = (hit: Hit): Hit => ({ ...hit, rule: 'word-list' });

export const prepareWords: PrepareJudge<WordOptions, Hit[][]> = (options) => {
  const find = prepareKeywords(keywordOptions(options));
  return (texts) => find(texts).map((byRule) => byRule.map((hits) => hits.map(renamed)));
};

export function wordGuard({ words, strategy, response }: ModerationOptions): TextGuard {
  return {
    strategy,
    response,
    describe: () => 'A word of the list was found.',
    task: createTask('moderation', prepareWords, { words }),
    rules: keywordRules(keywordOptions({ words })).map((rule): StreamRule => ({
      ...rule,
      find: (text) => rule.find(text).map(renamed),
    })),
    mark: () => MARK,
    mapValue: createKeyedMap(() => false),
  };
}
