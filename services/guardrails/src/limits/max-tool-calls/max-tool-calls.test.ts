import { stepArgs as testStepArgs, catchStop } from '@millrace/testkit';
import type { StepResult, ToolCall } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { maxToolCalls } from './max-tool-calls.ts';

const calls = (count: number): ToolCall[] =>
  Array.from({ length: count }, (_, at) => ({ toolCallId: `c${at}`, toolName: `tool-${at}`, args: {} }));
const step = (count: number, stepNumber: number): StepResult => ({
  stepNumber,
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
  stepNumber: before.length,
  steps: [...before, asked].map(step),
});
const limit = (options: object, args: ReturnType<typeof stepArgs>) =>
  maxToolCalls.create(maxToolCalls.options.parse(options)).processOutputStep?.(args);
const listToolNames = (args: ReturnType<typeof stepArgs>) =>
  args.messageList.getSystemMessages('max-tool-calls').map(({ content }) => content);

test('max-tool-calls passes calls up to the limit', () => {
  const args = stepArgs(3);
  expect(limit({ perStep: 3 }, args)).toBeUndefined();
  expect([args.violations, listToolNames(args)]).toEqual([[], []]);
});

test('max-tool-calls keeps the first calls of an answer in order and informs the model of the others', () => {
  const args = stepArgs(9);
  expect(limit({ perStep: 2 }, args)).toEqual({ toolCalls: calls(2) });
  expect(args.violations).toMatchObject([{ rule: 'too-many-tool-calls-in-step', strategy: 'trim', count: 7 }]);
  expect(listToolNames(args)).toEqual([
    'Only the first 2 of your last tool calls were made. Not made: tool-2, tool-3, tool-4, tool-5, tool-6 and 2 more. ' +
      'Repeat those calls if you need them.',
  ]);
});

test('the next prompt does not repeat the notice of an earlier answer', () => {
  const state = {};
  void limit({ perStep: 1 }, stepArgs(2, [], state));
  const args = stepArgs(1, [1], state);
  void limit({ perStep: 1 }, args);
  expect(listToolNames(args)).toEqual([]);
  expect(args.messageList.takeOps()).toEqual([{ op: 'system', tag: 'max-tool-calls', contents: [] }]);
});

test('calls of all answers count towards the run limit, and the model is informed when none are left', () => {
  const args = stepArgs(3, [2, 2]);
  expect(limit({ perRun: 5 }, args)).toEqual({ toolCalls: calls(1) });
  expect(args.violations).toMatchObject([{ rule: 'too-many-tool-calls-in-run', count: 2 }]);
  expect(listToolNames(args)).toMatchObject(
    [/first 1/, /no tool calls left/].map((text) => expect.stringMatching(text)),
  );
});

test('a run with an exhausted limit makes no more calls', () => {
  expect(limit({ perRun: 4 }, stepArgs(1, [4]))).toEqual({ toolCalls: [] });
});

test.each([{ perStep: 0, perRun: 0 }])('0 disables the limit', (options) =>
  expect(limit(options, stepArgs(200, [100]))).toBeUndefined(),
);

test('the strategy block stops the run', async () => {
  expect(await catchStop(() => limit({ perStep: 1, strategy: 'block' }, stepArgs(2)))).toMatchObject({
    type: 'abort',
    metadata: { rules: ['too-many-tool-calls-in-step'] },
  });
});
