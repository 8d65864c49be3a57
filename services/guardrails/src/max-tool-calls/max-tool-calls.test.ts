import { stepArgs as testStepArgs, stopOf } from '@millrace/testkit';
import type { StepResult, ToolCall } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { maxToolCalls } from './max-tool-calls.ts';

const calls = (count: number): ToolCall[] =>
  Array.from({ length: count }, (_, at) => ({ toolCallId: `c${at}`, toolName: `tool-${at}`, args: {} }));
const step = (count: number): StepResult => ({
  stepNumber: 0,
  text: '',
  reasoning: '',
  toolCalls: calls(count),
  toolResults: [],
  finishReason: 'tool-calls',
  usage: {},
  model: 'openai/x',
  fromCache: false,
});
const stepArgs = (asked: number, before: number[] = [], state = {}) => ({
  ...testStepArgs('', state),
  toolCalls: calls(asked),
  steps: before.map(step),
});
const limit = (options: object, args: ReturnType<typeof stepArgs>) =>
  maxToolCalls.create(maxToolCalls.options.parse(options)).processOutputStep?.(args);
const told = (args: ReturnType<typeof stepArgs>) =>
  args.messageList.getSystemMessages('max-tool-calls').map(({ content }) => content);

test('calls up to the limit are made', () => {
  const args = stepArgs(3);
  expect(limit({ perStep: 3 }, args)).toBeUndefined();
  expect([args.violations, told(args)]).toEqual([[], []]);
});

test('the first calls of an answer stay, in their order, and the model is told of the others', () => {
  const args = stepArgs(9);
  expect(limit({ perStep: 2 }, args)).toEqual({ toolCalls: calls(2) });
  expect(args.violations).toMatchObject([{ rule: 'too-many-tool-calls-in-step', strategy: 'trim', count: 7 }]);
  expect(told(args)).toEqual([
    'Of your last tool calls only the first 2 were made. Not made: tool-2, tool-3, tool-4, tool-5, tool-6 and 2 more. ' +
      'Ask for those again if you need them.',
  ]);
});

test('what was told of one answer does not stand there in the next', () => {
  const state = {};
  void limit({ perStep: 1 }, stepArgs(2, [], state));
  const args = stepArgs(1, [1], state);
  void limit({ perStep: 1 }, args);
  expect(told(args)).toEqual([]);
  expect(args.messageList.takeOps()).toEqual([{ op: 'system', tag: 'max-tool-calls', contents: [] }]);
});

test('calls of all answers count towards the limit of the run, and the model is told when none are left', () => {
  const args = stepArgs(3, [2, 2]);
  expect(limit({ perRun: 5 }, args)).toEqual({ toolCalls: calls(1) });
  expect(args.violations).toMatchObject([{ rule: 'too-many-tool-calls-in-run', count: 2 }]);
  expect(told(args)).toMatchObject([/first 1/, /no tool calls left/].map((text) => expect.stringMatching(text)));
});

test('a run whose calls are used up makes no more', () => {
  expect(limit({ perRun: 4 }, stepArgs(1, [4]))).toEqual({ toolCalls: [] });
});

test.each([{ perStep: 0, perRun: 0 }])('0 is no limit', (options) =>
  expect(limit(options, stepArgs(200, [100]))).toBeUndefined(),
);

test('with strategy block the run stops', async () => {
  expect(await stopOf(() => limit({ perStep: 1, strategy: 'block' }, stepArgs(2)))).toMatchObject({
    kind: 'abort',
    options: { metadata: { rules: ['too-many-tool-calls-in-step'] } },
  });
});
