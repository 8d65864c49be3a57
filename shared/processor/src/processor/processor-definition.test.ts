import { processorDescriptorSchema } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromModelError } from '../serve/stage-methods.ts';
import { defineProcessor, describeProcessor } from './processor-definition.ts';
import { createRequestContext } from './request-context.ts';

const definition = defineProcessor({
  id: 'limit',
  name: 'Limiter of lengths',
  description: 'Limits.',
  aliases: ['Limiter'],
  stages: ['processOutputStream', 'processInput', 'processOutputResult'],
  reads: ['input'],
  policy: { timeoutMs: 30_000 },
  options: z.strictObject({ max: z.number().describe('characters'), unit: z.enum(['a', 'b']).default('a') }),
  create: ({ max, unit }) => ({ id: `limit ${max} ${unit}` }),
});

test('describeProcessor derives lists from the stages, the policy from the defaults and the options as a JSON Schema', () => {
  const descriptor = describeProcessor(definition);
  expect(processorDescriptorSchema.parse(descriptor)).toEqual(descriptor);
  expect(descriptor).toMatchObject({
    id: 'limit',
    name: 'Limiter of lengths',
    lists: ['output', 'input'],
    policy: { timeoutMs: 30_000, attempts: 2, onFailure: 'fail' },
    processDataParts: false,
    optionsSchema: {
      additionalProperties: false,
      required: ['max'],
      properties: { max: { type: 'number', description: 'characters' }, unit: { default: 'a' } },
    },
  });
});

test('create receives parsed options', () => {
  expect(definition.create({ max: 3 }).id).toBe('limit 3 a');
  expect(() => definition.create({ max: 'x' })).toThrow('max');
});

test('The request context contains the ids of the run, which the caller cannot set', () => {
  const sent = { locale: 'de', runId: 'forged', tenant: 'forged', threadId: 'forged' };
  const { threadId: _thread, ...withoutThread } = TEST_RUN;
  const { resourceId: _resource, ...withoutResource } = TEST_RUN;
  const context = createRequestContext(sent, withoutThread);
  expect([context.get('runId'), context.get('tenant'), context.get('resourceId')]).toEqual(['run-1', 'default', 'ada']);
  expect([context.get('locale'), context.has('threadId')]).toEqual(['de', false]);
  expect(createRequestContext(sent, TEST_RUN).get('threadId')).toBe('thread-1');
  expect(createRequestContext({ resourceId: 'forged' }, withoutResource).has('resourceId')).toBe(false);
  context.set('mine', [1]);
  expect(context.keys().toSorted()).toEqual(['locale', 'mine', 'resourceId', 'runId', 'tenant']);
  expect(sent).not.toHaveProperty('mine');
});

test("A model's error is rebuilt so that the provider packages recognize it", () => {
  const error = fromModelError({
    name: 'AI_APICallError',
    message: 'busy',
    statusCode: 429,
    isRetryable: true,
    responseBody: '{}',
  });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'AI_APICallError',
    message: 'busy',
    statusCode: 429,
    isRetryable: true,
    responseBody: '{}',
  });
  const markers = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'];
  expect(markers.map((marker) => Reflect.get(error, Symbol.for(marker)))).toEqual([true, true]);
});
