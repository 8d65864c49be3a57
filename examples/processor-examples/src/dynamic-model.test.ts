import type { StepResult } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { dynamicModel } from './dynamic-model.ts';
import { callExample } from './testing/example-calls.ts';

const call = { toolCallId: '1', toolName: 'clock', args: {} };
const step = (toolCalls: StepResult['toolCalls']): StepResult => ({
  stepNumber: 0,
  text: '',
  reasoning: '',
  toolCalls,
  toolResults: [],
  finishReason: 'stop',
  usage: {},
  model: 'openai/a',
  fromCache: false,
});

test('dynamic-model selects a better model after tool calls, and removes the tools after too many steps', async () => {
  const callStep = (stepNumber: number, steps: StepResult[]) =>
    callExample(dynamicModel, 'processInputStep', { input: { steps }, stepNumber, options: { maxToolSteps: 2 } });
  expect(await callStep(0, [])).toMatchObject({ changes: { model: 'openai/gpt-5-mini' } });
  expect(await callStep(1, [step([call])])).toEqual({ type: 'continue', changes: { model: 'openai/gpt-5' } });
  expect(await callStep(2, [step([call]), step([call])])).toMatchObject({ changes: { toolChoice: 'none' } });
  expect(await callStep(1, [step([])])).toMatchObject({ changes: { model: 'openai/gpt-5-mini' } });
});
