// pii: finds personal data in what the caller sends, the model's stream, tool calls and results, and the final answer. What it
// lets through is the same however the model's text is cut into chunks.
import { defineProcessor, type Processor, type ProcessorDefinition } from '@millrace/processor';
import { objectIn } from '../guard/entry-state.ts';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeChunk, judgeToolCall, judgeToolResult, type ToolGuard } from '../guard/judge-tools.ts';
import { createKeyedMap } from '../guard/keyed-values.ts';
import { segmentRule } from '../guard/segment-rule.ts';
import type { TextGuard } from '../guard/text-guard.ts';
import { NO_MODELS, type GuardModels } from '../model/guard-models.ts';
import { createModelJudge } from '../model/model-judge.ts';
import { createTask } from '../work/task.ts';
import { isBirthWord, isOpener, isPhoneWord } from './context-words.ts';
import { createDetect } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { identifies, markOf } from './marks.ts';
import type { NameGuard } from './names/name-guard.ts';
import { judgeNamesOfResult, judgeNamesOfStream } from './names/names-of-answer.ts';
import { judgeNamesOfInput } from './names/names-of-input.ts';
import { nameQuestion } from './names/name-question.ts';
import { piiSegments } from './pii-segments.ts';
import { piiOptions, type PiiOptions } from './pii-options.ts';

export const LEFT_OUT = '[tool result left out: it held personal data]';
export const DENIED = 'The arguments hold personal data, which this tool must not be given.';

/**
 * What it lets through of a stream is the same however the model's text is cut into chunks. Under `output` it judges the answer, tool
 * calls and tool results; under `input` what the caller sends, and tool calls with `toolArguments: deny`.
 *
 * With `model` a model finds names and postal addresses in what the rules have left: messages of the caller, text and reasoning of
 * answers, these in windows of 200 code units.
 *
 * @verdict continue: with what was found marked, removed, or (warn) left as it is
 * @verdict abort: strategy block, or a text that is more than can be judged
 * @verdict halt: the same, where `response` is set
 * @verdict failure: the model cannot be asked, or does not answer as it should
 * @verdict deny: of a tool call with personal data in its arguments, with `toolArguments: deny`
 * @cannot Find names and postal addresses without a model, nor with one in tool calls and results; passports: those have no form.
 * @cannot Find an address that is written out, such as "ada at example dot com".
 * @cannot Tell every number: bare digits are a phone number only after words that say so, and one order number in ten looks like a card.
 * @cannot Read images, audio and the bytes of files.
 * @example
 * input:
 *   - use: pii
 *     options: { types: [email, phone, iban], method: placeholder }
 * output:
 *   - use: pii
 *     options: { allow: ['@example.com'] }
 */
export const piiWith = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'pii',
    description: 'Finds personal data in input, answer, tool calls and results, and redacts or refuses it.',
    aliases: ['PIIDetector'],
    stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
    reads: ['input', 'response'],
    changes: {
      processInput: { option: 'strategy', values: ['redact', 'filter'] },
      processToolCall: 'never',
      processToolResult: { option: 'strategy', values: ['redact', 'filter'] },
      processOutputResult: { option: 'strategy', values: ['redact', 'filter'] },
    },
    processDataParts: true,
    options: piiOptions,
    create(options) {
      const guard = createGuard(options);
      const byRules: Processor = {
        id: 'pii',
        processInput: (args) => judgeInput(guard, args),
        processOutputStream: (args) => judgeChunk(guard, args),
        processToolCall: (args) => judgeToolCall(guard, args),
        processToolResult: (args) => judgeToolResult(guard, args),
        processOutputResult: (args) => judgeResult(guard, args),
      };
      return options.model === undefined
        ? byRules
        : byModelToo(guard, nameGuard(models, options, options.model, guard), byRules);
    },
  });
export const pii = piiWith(NO_MODELS);

/** The rules first: what they have marked no model reads. */
function byModelToo(guard: ToolGuard, names: NameGuard, byRules: Processor): Processor {
  return {
    ...byRules,
    async processInput(args) {
      await judgeInput(guard, args);
      await judgeNamesOfInput(names, args);
    },
    processOutputStream: async (args) => judgeNamesOfStream(names, args, await judgeChunk(guard, args)),
    async processOutputResult(args) {
      await judgeResult(guard, args);
      await judgeNamesOfResult(names, args);
    },
  };
}

function nameGuard(models: GuardModels, options: PiiOptions, model: string, guard: TextGuard): NameGuard {
  const { modelTypes, modelTimeoutMs: timeoutMs, when, allow } = options;
  const judge = createModelJudge({ models, model, timeoutMs, question: nameQuestion(modelTypes) });
  return { guard, judge, when, allow: allow.map((value) => value.toLowerCase()) };
}

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
    remembersClean: true,
    identifies: strategy === 'redact' && identifies(method),
    mark: (hit, value, state, identify) =>
      markOf(hit.rule, value, strategy === 'redact' ? method : 'remove', objectIn(state, 'placeholders'), identify),
    mapValue: createKeyedMap(isTelling),
  };
}
