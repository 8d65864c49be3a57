// pii: finds personal data in the caller's messages, the stream, tool calls and results, and the final answer. The
// result does not depend on the chunks of the stream.
import { defineProcessor, type Processor, type ProcessorDefinition } from '@millrace/processor';
import { readObject } from '../../guard/entry-state.ts';
import { judgeInput, judgeResult } from '../../guard/judge-stages.ts';
import { judgeChunk, judgeToolCall, judgeToolResult, type ToolGuard } from '../../guard/judge-tools.ts';
import { createKeyedMap } from '../../guard/keyed-values.ts';
import { createSegmentRule } from '../../guard/judge-segments.ts';
import type { TextGuard } from '../../guard/text-guard.ts';
import { NO_MODELS, type GuardModels } from '../../model/guard-models.ts';
import { createModelJudge } from '../../model/model-judge.ts';
import { modelPolicy } from '../../model/model-options.ts';
import { createTask } from '../../work/task.ts';
import { isBirthWord, isNearWord, isOpener, isPhoneWord } from './context-words.ts';
import { createDetect } from './detect.ts';
import { piiTask } from './find-pii.ts';
import { needsIdentity, buildMark } from './marks.ts';
import type { NameGuard } from './names/name-guard.ts';
import { judgeNamesOfResult, judgeNamesOfStream } from './names/judge-answer-names.ts';
import { judgeNamesOfAnswer, judgeNamesOfInput } from './names/judge-input-names.ts';
import { createNameQuestion } from './names/find-names.ts';
import { createPiiSegments } from './pii-segments.ts';
import { piiOptions, type PiiOptions } from './pii-options.ts';

export const LEFT_OUT = '[tool result removed: it contained personal data]';
export const DENIED = 'The arguments contain personal data, which this tool must not receive.';

/**
 * The result for a stream does not depend on its chunks. Under `output` the processor judges the answer, tool calls and
 * tool results; under `input` it judges the caller's messages, and tool calls with `toolArguments: deny`.
 *
 * If `model` is set, a model finds names and postal addresses, which no rule can find. It reads the caller's messages,
 * and the text and reasoning of answers in windows of 200 code units. The rules run first, so that the model never
 * receives the values that they mark.
 *
 * @verdict continue: with values marked, removed, or (warn) unchanged
 * @verdict abort: strategy block; with any strategy, if the texts of a call exceed 4,194,304 characters or have more
 * than 10,000 findings, or if a text for the model exceeds 65,536 characters
 * @verdict halt: in the cases of abort, if `response` is set
 * @verdict failure: the model is unavailable or returns an invalid answer
 * @verdict deny: a tool call with personal data in its arguments, with `toolArguments: deny`
 * @cannot Find names and postal addresses without a model. A model does not judge tool calls and results. Passport
 * numbers have no detectable form.
 * @cannot Find a spelled-out address such as "ada at example dot com".
 * @cannot Classify every number: digits without a word such as "phone" or "card" near pass unless they have a plus sign, an area code in
 * brackets, dots between the groups of a North American number, or the printed groups of a card. With `strict` such numbers are marked, and so is one order number in ten.
 * @cannot Read images, audio and documents: of files it reads only text, such as text/* and JSON.
 * @example
 * input:
 *   - use: pii
 *     options: { types: [email, phone, iban], method: placeholder }
 * output:
 *   - use: pii
 *     options: { allow: ['@example.com'] }
 */
export const definePii = (models: GuardModels): ProcessorDefinition =>
  defineProcessor({
    id: 'pii',
    description: 'Finds personal data in input, answer, tool calls and results, and redacts or rejects it.',
    aliases: ['PIIDetector'],
    stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
    positions: { input: 160, output: 150 },
    judgesText: true,
    reads: ['input', 'response'],
    changes: {
      processInput: { option: 'strategy', values: ['redact', 'filter'] },
      processToolCall: 'never',
      processToolResult: { option: 'strategy', values: ['redact', 'filter'] },
      processOutputResult: { option: 'strategy', values: ['redact', 'filter'] },
    },
    processDataParts: true,
    policy: modelPolicy,
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
        : addModel(guard, createNameGuard(models, options, options.model, guard), byRules);
    },
  });
export const pii = definePii(NO_MODELS);

/** Runs the rules first, so that the model never reads the values that they mark. */
function addModel(guard: ToolGuard, names: NameGuard, byRules: Processor): Processor {
  return {
    ...byRules,
    async processInput(args) {
      await judgeInput(guard, args);
      await judgeNamesOfInput(names, args);
    },
    async processToolResult(args) {
      const judged = await judgeToolResult(guard, args);
      if (args.resultOrigin !== 'caller') return judged;
      return (await judgeNamesOfAnswer(names, args, judged?.result ?? args.result, LEFT_OUT)) ?? judged;
    },
    processOutputStream: async (args) => judgeNamesOfStream(names, args, await judgeChunk(guard, args)),
    async processOutputResult(args) {
      await judgeResult(guard, args);
      await judgeNamesOfResult(names, args);
    },
  };
}

function createNameGuard(models: GuardModels, options: PiiOptions, model: string, guard: TextGuard): NameGuard {
  const { modelTypes, modelTimeoutMs: timeoutMs, when, allow, response } = options;
  const judge = createModelJudge({ models, model, timeoutMs, question: createNameQuestion(modelTypes), response });
  return { guard, judge, when, allow: allow.map((value) => value.toLowerCase()) };
}

/** Returns whether a member's name describes the digits of its value. */
const describesValue = (words: string): boolean =>
  words
    .toLowerCase()
    .split(' ')
    .some((word) => isOpener(word) || isBirthWord(word) || isPhoneWord(word) || isNearWord(word));

function createGuard(options: PiiOptions): ToolGuard {
  const { strategy, response, method, toolArguments, types, regions, allow, strict } = options;
  const detection = { types, regions, allow, strict };
  const task = createTask(piiTask, detection);
  return {
    strategy,
    response,
    toolArguments,
    leftOut: LEFT_OUT,
    denied: { reason: DENIED, code: 'personal-data' },
    describe: (rules) => `Personal data: ${rules.join(', ')}.`,
    task,
    rules: [
      createSegmentRule(
        createPiiSegments(createDetect(detection).findCutPlace),
        (text) => task.runNow([text])[0]?.[0] ?? [],
      ),
    ],
    remembersClean: true,
    identifies: strategy === 'redact' && needsIdentity(method),
    mark: (hit, value, state, identify) =>
      buildMark(
        hit.rule,
        value,
        strategy === 'redact' ? method : 'remove',
        readObject(state, 'placeholders'),
        identify,
      ),
    mapValue: createKeyedMap(describesValue),
  };
}
