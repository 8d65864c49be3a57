import type { Chunk } from '@millrace/contracts';
import { callContext, callEntry, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callStage } from './call-stage.ts';
import { createHostedProcessors, refuseInvalidDescriptor, refuseUnlikeDefinition } from './hosted-processor.ts';
import { defineProcessor } from '../processor/processor-definition.ts';
import type { Processor } from '../processor/processor.ts';

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

describe('rejection before serving', () => {
  test('A declared stage without its method is rejected by name', () => {
    expect(() => refuseUnlikeDefinition(guard({ processOutputStream }))).toThrow(
      expect.objectContaining({ code: 'processor-invalid', path: 'processInput' }),
    );
    expect(() => refuseUnlikeDefinition(guard({ processInput }))).toThrow('no method processOutputStream');
  });

  test('A misspelled method is rejected as a declared stage without a method', () => {
    const misspelt = { ...complete, processInput: undefined, proccessInput: () => undefined };
    // @ts-expect-error -- what a processor in JavaScript could do
    expect(() => refuseUnlikeDefinition(guard(misspelt))).toThrow('processInput');
  });

  test('A method without a declared stage is rejected', () => {
    const more = { ...complete, processOutputResult: () => undefined };
    expect(() => refuseUnlikeDefinition(guard(more))).toThrow(
      expect.objectContaining({ path: 'processOutputResult', remedy: expect.stringContaining('stages') }),
    );
  });
});

test('A definition without a schema of its options is rejected', () => {
  // @ts-expect-error -- JavaScript has no types
  expect(() => refuseUnlikeDefinition({ ...guard(complete), options: undefined })).toThrow(
    expect.objectContaining({ code: 'processor-invalid', path: 'options' }),
  );
});

test('A definition that discovery would refuse is rejected with the member', () => {
  const valid = guard(complete);
  expect(() => refuseInvalidDescriptor(valid)).not.toThrow();
  const invalid = (member: string) =>
    expect.objectContaining({
      code: 'processor-invalid',
      message: expect.stringContaining(`"guard" is invalid: ${member}`),
    });
  // @ts-expect-error -- JavaScript has no types
  expect(() => refuseInvalidDescriptor({ ...valid, reads: ['inputs'] })).toThrow(invalid('reads'));
  expect(() => refuseInvalidDescriptor({ ...valid, policy: { timeoutMs: -5 } })).toThrow(invalid('policy.timeoutMs'));
});

test('A processor of a class is accepted, with its methods on the prototype', () => {
  class Guard {
    readonly id = 'guard';
    processInput() {}
    processOutputStream() {}
  }
  const definition = { ...guard(complete), create: () => new Guard() };
  expect(() => refuseUnlikeDefinition(definition)).not.toThrow();
});

test("A processor that lacks a method for an agent's options fails that call and never passes input", async () => {
  const definition = guard({ processOutputStream }, needy);
  expect(() => refuseUnlikeDefinition(definition)).not.toThrow();
  const call = stageCall('processInput', [callEntry('guard', { word: 'x' })]);
  const { verdicts } = await callStage(call, createHostedProcessors([definition]), callContext());
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-invalid', retryable: false }]);
});
