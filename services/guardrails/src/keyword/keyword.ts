// keyword: blocks or redacts configured words, phrases and patterns in what the caller sends, the model's stream and the final
// answer. Words are compared on normalized text; "the droplet table" is not "drop table".
import { defineProcessor } from '@millrace/processor';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeStream } from '../guard/judge-stream.ts';
import { createKeyedMap } from '../guard/keyed-values.ts';
import type { TextGuard } from '../guard/text-guard.ts';
import { compilePattern, weightOf } from '../text/linear-pattern.ts';
import { createTask, inlineCostOf } from '../work/task.ts';
import { MARK, keywordRules, prepareKeywords } from './find-keywords.ts';
import { keywordOptions, type KeywordOptions } from './keyword-options.ts';

/**
 * Compares words, on text without accents and case, so that "the droplet table" is not "drop table". Nothing of a keyword reaches a
 * client: its beginning is held back until it can be judged.
 *
 * @verdict continue: nothing was found, or strategy warn; with redact, the text with marks
 * @verdict abort: strategy block
 * @verdict halt: strategy block, where `response` is set
 * @cannot Find a keyword that is spelled otherwise: put unicode-normalizer before it for invisible characters.
 * @cannot See tool results.
 * @cannot Take patterns with anchors: a stretch of a stream has no beginning and no end.
 * @example
 * input:
 *   - use: keyword
 *     options: { keywords: [project nightingale], response: I cannot talk about that. }
 * output:
 *   - use: keyword
 *     options: { keywords: [project nightingale], strategy: redact }
 */
export const keyword = defineProcessor({
  id: 'keyword',
  description: 'Blocks or redacts configured words, phrases and patterns in input and answer.',
  aliases: ['KeywordGuard'],
  stages: ['processInput', 'processOutputStream', 'processOutputResult'],
  reads: ['input', 'response'],
  changes: {
    processInput: { option: 'strategy', values: ['redact'] },
    processOutputResult: { option: 'strategy', values: ['redact'] },
  },
  processDataParts: true,
  options: keywordOptions,
  create(options) {
    const guard = createGuard(options);
    return {
      id: 'keyword',
      processInput: (args) => judgeInput(guard, args),
      processOutputStream: (args) => judgeStream(guard, args),
      processOutputResult: (args) => judgeResult(guard, args),
    };
  },
});

function createGuard(options: KeywordOptions): TextGuard {
  const { strategy, response } = options;
  const weight = weightOf(options.patterns.map(compilePattern));
  return {
    strategy,
    response,
    describe: () => 'A keyword was found.',
    weight,
    task: createTask('keyword', prepareKeywords, options, inlineCostOf(weight)),
    remembersClean: true,
    rules: keywordRules(options),
    mark: () => MARK,
    mapValue: createKeyedMap(() => false),
  };
}
