// keyword: blocks or redacts configured words, phrases and patterns in the caller's messages, the stream and the final
// answer. It compares words on normalized text, so "the droplet table" is not "drop table".
import { defineProcessor } from '@millrace/processor';
import { judgeInput, judgeResult } from '../../guard/judge-stages.ts';
import { judgeStream } from '../../guard/judge-stream.ts';
import { createKeyedMap } from '../../guard/keyed-values.ts';
import type { TextGuard } from '../../guard/text-guard.ts';
import { compilePattern, weighPatterns } from '../../text/linear-pattern.ts';
import { createTask, getInlineCost } from '../../work/task.ts';
import { MARK, createKeywordRules, keywordTask } from './find-keywords.ts';
import { keywordOptions, type KeywordOptions } from './keyword-options.ts';

/**
 * Compares words without accents and case, whole words by default: the keyword "drop table" is not found in "the droplet table". No part
 * of a keyword reaches a client: the processor buffers the start of a possible keyword until it can be judged.
 *
 * @verdict continue: nothing was found, or strategy warn; with redact, the text with marks
 * @verdict abort: strategy block
 * @verdict halt: strategy block, if `response` is set
 * @cannot Find a keyword with another spelling: put unicode-normalizer before it for invisible characters.
 * @cannot Judge tool results.
 * @cannot Accept patterns with anchors (`^`, `$`, `\A`, `\z`), because a part of a stream has no start and no end:
 * `agents apply` refuses them with `options-invalid`.
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
  positions: { input: 120, output: 130 },
  judgesText: true,
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
  const weight = weighPatterns(options.patterns.map(compilePattern));
  return {
    strategy,
    response,
    describe: () => 'A keyword was found.',
    weight,
    task: createTask(keywordTask, options, getInlineCost(weight)),
    remembersClean: true,
    rules: createKeywordRules(options),
    mark: () => MARK,
    mapValue: createKeyedMap(() => false),
  };
}
