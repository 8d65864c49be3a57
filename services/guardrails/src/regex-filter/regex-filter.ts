// regex-filter: blocks or marks what patterns find in what the caller sends, tool results, the model's stream and the final answer.
// Patterns run in linear time: none can hang it.
import { defineProcessor } from '@millrace/processor';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeStream } from '../guard/judge-stream.ts';
import { judgeToolResult } from '../guard/judge-tools.ts';
import { createKeyedMap } from '../guard/keyed-values.ts';
import type { TextGuard } from '../guard/text-guard.ts';
import { weightOf } from '../text/linear-pattern.ts';
import { createTask, inlineCostOf } from '../work/task.ts';
import { filterPatterns, filterRule, prepareMatches } from './find-matches.ts';
import { DEFAULT_MARK, regexFilterOptions, type RegexFilterOptions } from './regex-filter-options.ts';

/**
 * Patterns run in linear time (RE2), so none can hang it, and a match that spans two chunks of the stream is found as in the whole text.
 *
 * @verdict continue: nothing was found, or strategy warn; with redact, the text with marks
 * @verdict abort: strategy block, or a text that is more than can be judged
 * @verdict halt: the same, where `response` is set
 * @cannot Take look-around, back references and anchors, or find a match that is longer than 512 characters.
 * @cannot Judge tool calls: their arguments pass as the model wrote them.
 * @example
 * input:
 *   - use: regex-filter
 *     options:
 *       rules: [{ pattern: 'PRJ-\d{4}', name: project-number }]
 *       strategy: redact
 * output:
 *   - use: regex-filter
 *     options:
 *       rules: [{ pattern: 'PRJ-\d{4}', name: project-number, mark: '[PROJECT]' }]
 *       strategy: redact
 */
export const regexFilter = defineProcessor({
  id: 'regex-filter',
  description: 'Blocks or marks what configured patterns find in input, tool results and answer, in linear time.',
  aliases: ['RegexFilterProcessor'],
  stages: ['processInput', 'processOutputStream', 'processToolResult', 'processOutputResult'],
  reads: ['input', 'response'],
  changes: {
    processInput: { option: 'strategy', values: ['redact'] },
    processToolResult: { option: 'strategy', values: ['redact'] },
    processOutputResult: { option: 'strategy', values: ['redact'] },
  },
  processDataParts: true,
  options: regexFilterOptions,
  create(options) {
    const guard = createGuard(options);
    const { phase } = options;
    return {
      id: 'regex-filter',
      processInput: (args) => (phase === 'output' ? undefined : judgeInput(guard, args)),
      processToolResult: (args) => (phase === 'output' ? undefined : judgeToolResult(guard, args)),
      processOutputStream: (args) => (phase === 'input' ? [args.part] : judgeStream(guard, args)),
      processOutputResult: (args) => (phase === 'input' ? undefined : judgeResult(guard, args, phase)),
    };
  },
});

function createGuard({ strategy, response, rules, presets, mark }: RegexFilterOptions): TextGuard {
  const options = { rules, presets, mark };
  const patterns = filterPatterns(options);
  const weight = weightOf(patterns);
  return {
    strategy,
    response,
    weight,
    describe: () => 'A pattern was found.',
    task: createTask('regex-filter', prepareMatches, options, inlineCostOf(weight)),
    remembersClean: true,
    rules: [filterRule(patterns)],
    mark: ({ detail }) => (typeof detail?.['mark'] === 'string' ? detail['mark'] : DEFAULT_MARK),
    mapValue: createKeyedMap(() => false),
  };
}
