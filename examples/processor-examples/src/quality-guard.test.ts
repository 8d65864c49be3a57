import { expect, test } from 'vitest';
import { qualityGuard } from './quality-guard.ts';
import { callExample } from './testing/example-calls.ts';

const options = { words: 4, topics: ['mill'], maxRetries: 1 };
const callGuard = (text: string, retryCount = 0, more: object = {}) =>
  callExample(qualityGuard, 'processOutputStep', { input: { text, ...more }, options, retryCount });

test('quality-guard lets a good answer through', async () => {
  expect(await callGuard('The mill turns slowly.')).toEqual({ type: 'continue' });
});

test('quality-guard asks again with its score, then stops', async () => {
  expect(await callGuard('It turns.')).toEqual({
    type: 'abort',
    reason: 'Response quality too low. Please provide more detail.',
    retry: true,
    metadata: { qualityScore: 0.25 },
  });
  expect(await callGuard('It turns.', 1)).toEqual({
    type: 'abort',
    reason: 'Response quality too low after multiple attempts.',
    metadata: { qualityScore: 0.25 },
  });
});

test('quality-guard waits for the answer if tools are called first', async () => {
  const toolCalls = [{ toolCallId: '1', toolName: 'clock', args: {} }];
  expect(await callGuard('', 0, { toolCalls })).toEqual({ type: 'continue' });
});
