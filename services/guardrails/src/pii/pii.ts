// pii: finds personal data in what the caller sends, the model's stream, tool calls and results, and the final answer. What it
// lets through is the same however the model's text is cut into chunks.
import { defineProcessor } from '@millrace/processor';
import { objectIn } from '../guard/entry-state.ts';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeChunk, judgeToolCall, judgeToolResult, type ToolGuard } from '../guard/judge-tools.ts';
import { createKeyedMap } from '../guard/keyed-values.ts';
import { segmentRule } from '../guard/segment-rule.ts';
import { createTask } from '../work/task.ts';
import { isBirthWord, isOpener, isPhoneWord } from './context-words.ts';
import { createDetect } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { markOf } from './marks.ts';
import { piiSegments } from './pii-segments.ts';
import { piiOptions, type PiiOptions } from './pii-options.ts';

export const LEFT_OUT = '[tool result left out: it held personal data]';
export const DENIED = 'The arguments hold personal data, which this tool must not be given.';

export const pii = defineProcessor({
  id: 'pii',
  description: 'Finds personal data in input, answer, tool calls and results, and redacts or refuses it.',
  aliases: ['PIIDetector'],
  stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
  reads: ['input', 'response'],
  processDataParts: true,
  options: piiOptions,
  create(options) {
    const guard = createGuard(options);
    return {
      id: 'pii',
      processInput: (args) => judgeInput(guard, args),
      processOutputStream: (args) => judgeChunk(guard, args),
      processToolCall: (args) => judgeToolCall(guard, args),
      processToolResult: (args) => judgeToolResult(guard, args),
      processOutputResult: (args) => judgeResult(guard, args),
    };
  },
});

/** What a name says of the digits that stand under it. */
const isTelling = (words: string): boolean =>
  words
    .toLowerCase()
    .split(' ')
    .some((word) => isOpener(word) || isBirthWord(word) || isPhoneWord(word));

function createGuard(options: PiiOptions): ToolGuard {
  const { strategy, response, method, toolArguments, types, regions, allow } = options;
  const detection = { types, regions, allow };
  const task = createTask('pii', preparePii, detection);
  return {
    strategy,
    response,
    toolArguments,
    leftOut: LEFT_OUT,
    denied: { reason: DENIED, code: 'personal-data' },
    describe: (rules) => `Personal data: ${rules.join(', ')}.`,
    task,
    rules: [segmentRule(piiSegments(createDetect(detection).cutPlace), (text) => task.now([text])[0]?.[0] ?? [])],
    mark: (hit, value, state) =>
      markOf(hit.rule, value, strategy === 'redact' ? method : 'remove', objectIn(state, 'placeholders')),
    mapValue: createKeyedMap(isTelling),
  };
}
