import type { Chunk } from '@millrace/contracts';
import { callContext, callEntry, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callStage } from './call-stage.ts';
import { createHostedProcessors, refuseUnlikeDefinition } from './hosted-processor.ts';
import { defineProcessor } from '../processor-definition.ts';
import type { Processor } from '../processor.ts';

type Methods = Omit<Processor, 'id'>;
const guard = (methods: Methods, options: z.ZodType = z.strictObject({})) =>
  defineProcessor({
    id: 'guard',
    description: 'of a test',
    stages: ['processInput', 'processOutputStream'],
    reads: ['input'],
    options,
    create: () => methods,
  });
const complete = {
  processInput: () => undefined,
  processOutputStream: ({ part }: { part: Chunk }) => part,
} satisfies Methods;
const { processInput, processOutputStream } = complete;
const needy = z.strictObject({ word: z.string() });

describe('before it is served, a processor is refused', () => {
  test('that declares a stage without the method, by the name of the stage', () => {
    expect(() => refuseUnlikeDefinition(guard({ processOutputStream }))).toThrow(
      expect.objectContaining({ code: 'processor-invalid', path: 'processInput' }),
    );
    expect(() => refuseUnlikeDefinition(guard({ processInput }))).toThrow('no method processOutputStream');
  });

  test('that has a misspelt method: it is a declared stage without one', () => {
    const misspelt = { ...complete, processInput: undefined, proccessInput: () => undefined };
    // @ts-expect-error -- what a processor in JavaScript could do
    expect(() => refuseUnlikeDefinition(guard(misspelt))).toThrow('processInput');
  });

  test('that has a method which no stage calls', () => {
    const more = { ...complete, processOutputResult: () => undefined };
    expect(() => refuseUnlikeDefinition(guard(more))).toThrow(
      expect.objectContaining({ path: 'processOutputResult', remedy: expect.stringContaining('stages') }),
    );
  });
});

test('a processor of a class is served: its methods stand in the prototype', () => {
  class Guard {
    readonly id = 'guard';
    processInput() {}
    processOutputStream() {}
  }
  const definition = { ...guard(complete), create: () => new Guard() };
  expect(() => refuseUnlikeDefinition(definition)).not.toThrow();
});

test('a processor that lacks a method with the options of an agent fails that call, and never passes', async () => {
  const definition = guard({ processOutputStream }, needy);
  expect(() => refuseUnlikeDefinition(definition)).not.toThrow();
  const call = stageCall('processInput', [callEntry('guard', { word: 'x' })]);
  const { verdicts } = await callStage(call, createHostedProcessors([definition]), callContext());
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-invalid', retryable: false }]);
});
