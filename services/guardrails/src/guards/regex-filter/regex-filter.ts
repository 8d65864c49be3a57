// regex-filter: blocks or marks matches of patterns in the caller's messages, tool results, the stream and the final
// answer. Patterns run in linear time, so none can block the process.
import { defineProcessor } from '@millrace/processor';
import { judgeInput, judgeResult } from '../../guard/judge-stages.ts';
import { judgeStream } from '../../guard/judge-stream.ts';
import { judgeToolResult } from '../../guard/judge-tools.ts';
import { createKeyedMap } from '../../guard/keyed-values.ts';
import type { TextGuard } from '../../guard/text-guard.ts';
import { weighPatterns } from '../../text/linear-pattern.ts';
import { createTask, getInlineCost } from '../../work/task.ts';
import { filterPatterns, filterRule, matchTask } from './find-matches.ts';
import { DEFAULT_MARK, regexFilterOptions, type RegexFilterOptions } from './regex-filter-options.ts';

/**
 * Runs patterns in linear time (RE2), so no pattern can block the process, and finds a match that spans two chunks of
 * the stream as in the whole text.
 *
 * @verdict continue: nothing was found, or strategy warn; with redact, the text with marks
 * @verdict abort: strategy block; with any strategy, if the texts of a call exceed 4,194,304 characters or have more
 * than 10,000 matches
 * @verdict halt: in the cases of abort, if `response` is set
 * @cannot Accept look-around, back references and anchors: `agents apply` refuses them with `options-invalid`.
 * @cannot Find a match of more than 512 characters.
 * @cannot Judge tool calls: their arguments pass unchanged.
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
  description: 'Blocks or marks matches of configured patterns in input, tool results and answer, in linear time.',
  aliases: ['RegexFilterProcessor'],
  stages: ['processInput', 'processOutputStream', 'processToolResult', 'processOutputResult'],
  judgesText: true,
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
  const weight = weighPatterns(patterns);
  return {
    strategy,
    response,
    weight,
    describe: () => 'A pattern was found.',
    task: createTask(matchTask, options, getInlineCost(weight)),
    remembersClean: true,
    rules: [filterRule(patterns)],
    mark: ({ detail }) => (typeof detail?.['mark'] === 'string' ? detail['mark'] : DEFAULT_MARK),
    mapValue: createKeyedMap(() => false),
  };
}
