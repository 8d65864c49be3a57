// Every processor with the option `maxRetries` requests a retry only while the agent allows one.
import type { JsonObject, Stage, StageInput } from '@millrace/contracts';
import { callStage, createHostedProcessors } from '@millrace/processor';
import { buildConversation, callContext, callEntry, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createProcessors, PROCESSORS } from '../processors.ts';

const scores = async () => ({ scores: { question: 1 } });
const served = createProcessors({ generateObject: scores });
const hosted = createHostedProcessors(served);

type RetryCase = { stage: Stage; options: JsonObject; input: Partial<StageInput> };
const asStep: Pick<RetryCase, 'stage' | 'input'> = {
  stage: 'processOutputStep',
  input: { text: 'Vile.', toolCalls: [], finishReason: 'stop', usage: {}, steps: [] },
};
const CASES: Record<string, RetryCase> = {
  'response-validator': { ...asStep, options: { mustMatch: ['#'], strategy: 'warn' } },
  'structured-output': { ...asStep, options: { schema: { type: 'object' }, strategy: 'warn' } },
  judge: {
    stage: 'processOutputResult',
    options: { model: 'openai/judge', question: 'Is it vile?', strategy: 'retry' },
    input: { conversation: buildConversation({ response: ['Vile.'] }), steps: [], answered: true },
  },
};

/** Returns whether the verdict requests a retry. */
async function isRetried(id: string, maxProcessorRetries?: number): Promise<boolean> {
  const { stage, options, input } = CASES[id] ?? { ...asStep, options: {} };
  const call = stageCall(stage, [callEntry(id, options)], { ...input, retryCount: 1 });
  const { verdicts } = await callStage(call, hosted, callContext({ retryCount: 1, maxProcessorRetries }));
  expect(verdicts).toMatchObject([{ violations: [{}] }]);
  return verdicts.some((verdict) => 'retry' in verdict && verdict.retry === true);
}

const writeSchema = (options: z.ZodType) =>
  JSON.stringify(z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' }));
const retrying = PROCESSORS.filter(({ options }) => writeSchema(options).includes('"maxRetries"')).map(({ id }) => id);

test('Each processor with the option maxRetries has a case', () => {
  expect(retrying.toSorted()).toEqual(Object.keys(CASES).toSorted());
});

describe.each(retrying)('%s', (id) => {
  test('requests a retry below the maximum of the agent, and of an orchestrator without one', async () => {
    expect([await isRetried(id, 2), await isRetried(id)]).toEqual([true, true]);
  });

  test('lets its strategy decide if the agent allows no more retries', async () => {
    expect([await isRetried(id, 1), await isRetried(id, 0)]).toEqual([false, false]);
  });
});
