// Texts of processors and providers: a halt's answer, an abort's reason, an error's message. The output stream's
// processors judge them; a literal text of the agent's definition is exempt.
import type { Agent, RunAction, StageInput } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { makeText } from '../testing/chunks.ts';
import { maskingProcessor } from '../testing/masking-processor.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { makeAnswer } from '../testing/run-states.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import type { Ending } from '../state/interrupt.ts';
import { endRun } from './end-run.ts';
import { passPayload } from './guard-own-texts.ts';

const nats = useNats();
/** Removes forbidden texts together with their member. */
const taker = defineProcessor({
  id: 'taker',
  description: 'takes members out',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ member: z.string() }),
  create: ({ member }) => ({
    id: 'taker',
    processOutputStream: async ({ part }) => {
      if (part.type !== 'error' || typeof part.payload.error !== 'object') return part;
      const error = Object.fromEntries(Object.entries(part.payload.error ?? {}).filter(([name]) => name !== member));
      return { ...part, payload: { error } };
    },
  }),
});
useProcessors(nats, [maskingProcessor('guard'), taker], 'guards');
const connection = useBus(nats, 'orchestrator');

const stream = planEntry('guard', { stages: ['processOutputStream'] });
const memory = planEntry('message-history', { stages: ['processOutputResult'], memory: true, attempts: 1 });
const runWith = (agent: Partial<Agent> = {}, entries = [stream]) =>
  createTestRun({ bus: connection.bus, entries, agent });
const step = (text: string): RunAction[] => {
  const answer = makeAnswer(0, text, [{ toolCallId: 'c', toolName: 't', args: {} }]);
  return [
    { action: 'step-opened', firstIndex: 0 },
    { action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] },
    { action: 'answer-accepted', answer, tools: [] },
    {
      action: 'step-closed',
      results: [{ toolCallId: 'c', toolName: 't', args: {}, result: 'found', isError: false }],
    },
  ];
};
const halt = (response: string, more: object = {}): Ending => ({
  form: 'halt',
  response,
  processorId: 'p',
  answered: false,
  ...more,
});

describe('the answer of a halt', () => {
  test('is the text that the output stream’s processors pass, in the stream, the finish and the result', async () => {
    const { run, published } = runWith();
    const { result, lastChunk } = await endRun(run, halt('Write to ada@example.org.'));
    expect(makeText(published)).toBe('Write to ***.');
    expect(result).toMatchObject({ text: 'Write to ***.', finishReason: 'halted', status: 'finished' });
    expect(JSON.stringify([result, lastChunk, published])).not.toContain('ada@');
  });

  test('is empty if they reject it: the run has halted without a text', async () => {
    const { run, published } = runWith();
    const { result, lastChunk } = await endRun(run, halt('a forbidden answer'));
    expect(result).toMatchObject({ text: '', finishReason: 'halted', status: 'finished' });
    expect(JSON.stringify([result, lastChunk, published])).not.toContain('forbidden');
  });

  test('is judged if the caller has submitted it as a text of the schema', async () => {
    const text = 'Write to ada@example.org.';
    const structuredOutput = { schema: { type: 'object', title: text } };
    const made = createTestRun({
      bus: connection.bus,
      entries: [stream],
      agent: { structuredOutput, modelSettings: { stopSequences: [text] } },
      request: { structuredOutput, modelSettings: { stopSequences: [text] } },
    });
    expect(await endRun(made.run, halt(text))).toMatchObject({ result: { text: 'Write to ***.' } });
  });

  test('is not judged if it is a literal text of the agent’s definition', async () => {
    const response = 'That word is forbidden.';
    const { run, published } = runWith({ input: [{ use: 'keyword', options: { response } }] });
    expect((await endRun(run, halt(response))).result.text).toBe(response);
    expect(makeText(published)).toBe(response);
  });

  test('follows the earlier text, which has to pass too', async () => {
    const { run } = runWith();
    for (const action of step('It is ada@example.org.')) run.dispatch(action);
    const { result, lastChunk } = await endRun(run, halt('Sorry.', { answered: true }));
    expect(result.messages).toHaveLength(2);
    expect(result.steps).toMatchObject([{ text: 'It is ***.', toolResults: [{ result: 'found' }] }]);
    expect(JSON.stringify([result, lastChunk])).not.toContain('ada@');
  });

  test('is alone if the earlier text is rejected, and memory saves nothing of that', async () => {
    const saver = scriptReplica(connection.bus, 'processOutputResult', ['message-history'], () => [goOn]);
    const { run } = runWith({}, [stream, memory]);
    for (const action of step('a forbidden one')) run.dispatch(action);
    const { result, lastChunk } = await endRun(run, halt('Sorry.', { answered: true }));
    expect(result).toMatchObject({ text: 'Sorry.', steps: [{ text: '', toolResults: [] }] });
    expect(JSON.stringify([result, lastChunk])).not.toContain('forbidden');
    expect(saver.calls).toEqual([]);
  });

  test('is saved as it passed', async () => {
    const inputs: StageInput[] = [];
    scriptReplica(connection.bus, 'processOutputResult', ['message-history'], ({ input }) => {
      inputs.push(input);
      return [goOn];
    });
    const { run } = runWith({}, [stream, { ...memory, reads: ['input', 'response'] }]);
    await connection.bus.nc.flush();
    await endRun(run, halt('Write to ada@example.org.', { answered: true }));
    expect(inputs).toMatchObject([{ text: 'Write to ***.' }]);
    expect(JSON.stringify(inputs)).not.toContain('ada@');
  });
});

describe('the reason of an abort', () => {
  const tripwire = (reason: string, metadata?: string): Ending => ({
    form: 'tripwire',
    tripwire: { reason, processorId: 'p', ...(metadata !== undefined && { metadata: { found: metadata } }) },
  });

  test('is masked together with its metadata, in the last chunk and in the result', async () => {
    const { result, lastChunk } = await endRun(runWith().run, tripwire('about ada@example.org', 'ada@example.org'));
    expect(result.tripwire).toEqual({ reason: 'about ***', processorId: 'p', metadata: { found: '***' } });
    expect(lastChunk).toMatchObject({ type: 'tripwire', payload: { reason: 'about ***' } });
  });

  test.each([
    ['a member’s name', { 'ada@example.org': true }, { '***': true }],
    ['a number', { found: 4_111_111_111 }, { found: 0 }],
  ])('is judged together with its metadata if that consists of %s', async (_what, metadata, masked) => {
    const ending: Ending = { form: 'tripwire', tripwire: { reason: '', processorId: 'p', metadata } };
    const { result, lastChunk } = await endRun(runWith().run, ending);
    expect(result.tripwire?.metadata).toEqual(masked);
    expect(JSON.stringify([result, lastChunk])).not.toMatch(/ada@|4111111111/);
  });

  test('keeps its metadata if the reason alone is rejected', async () => {
    const { result, lastChunk } = await endRun(runWith().run, tripwire('forbidden', 'ada@example.org'));
    expect(result.tripwire).toEqual({ reason: 'text-withheld', processorId: 'p', metadata: { found: '***' } });
    expect(JSON.stringify([result, lastChunk])).not.toContain('forbidden');
  });

  test.each([
    ['it', 'forbidden', undefined],
    ['its metadata', 'fine', 'forbidden'],
  ])('leaves only its code if %s is rejected', async (_what, reason, metadata) => {
    const { result, lastChunk } = await endRun(runWith().run, tripwire(reason, metadata));
    expect(result.tripwire).toEqual({ reason: 'text-withheld', processorId: 'p' });
    expect(JSON.stringify([result, lastChunk])).not.toContain('forbidden');
  });

  test('is not judged if it is a literal text of the agent’s definition', async () => {
    const agent = { output: [{ use: 'keyword', options: { reason: 'That is forbidden.' } }] };
    const { result } = await endRun(runWith(agent).run, tripwire('That is forbidden.'));
    expect(result.tripwire).toMatchObject({ reason: 'That is forbidden.' });
  });
});

describe('the message of an error', () => {
  const error = (message: string, code: 'store-unavailable' | 'model-call-failed' = 'store-unavailable'): Ending => ({
    form: 'error',
    error: { code, message, path: 'processInput/p', remedy: 'Start a replica.' },
  });

  test('is masked, whatever its code is; code, path and remedy stay', async () => {
    expect((await endRun(runWith().run, error('for ada@example.org'))).result.error).toEqual({
      code: 'store-unavailable',
      message: 'for ***',
      path: 'processInput/p',
      remedy: 'Start a replica.',
    });
  });

  test('leaves only code and path if it is rejected', async () => {
    const { result, lastChunk } = await endRun(runWith().run, error('forbidden', 'model-call-failed'));
    expect(result.error?.message).toBe('The run failed at processInput/p (model-call-failed).');
    expect(JSON.stringify([result, lastChunk])).not.toContain('forbidden');
  });

  test('leaves only code and path if no replica can judge it', async () => {
    const nobody = planEntry('nobody', { stages: ['processOutputStream'], attempts: 1, timeoutMs: 200 });
    const { run } = runWith({}, [nobody]);
    expect((await endRun(run, error('for ada@example.org'))).result.error?.message).not.toContain('ada@');
  });
});

describe('a member that the output stream’s processors remove', () => {
  const without = (member: string) =>
    runWith({}, [planEntry('taker', { stages: ['processOutputStream'], options: { member } })]).run;
  const ending: Ending = {
    form: 'tripwire',
    tripwire: { reason: 'about ada', processorId: 'p', metadata: { found: 'ada' } },
  };

  test('is not published: an abort’s metadata', async () => {
    const { result, lastChunk } = await endRun(without('metadata'), ending);
    expect(result.tripwire).toEqual({ reason: 'about ada', processorId: 'p', metadata: null });
    expect(JSON.stringify([result, lastChunk])).not.toContain('found');
  });

  test('is not published: an abort’s reason', async () => {
    const { result, lastChunk } = await endRun(without('reason'), ending);
    expect(result.tripwire).toEqual({ reason: 'text-withheld', processorId: 'p' });
    expect(JSON.stringify([result, lastChunk])).not.toContain('ada');
  });

  test('is not published: the payload of a suspension', async () => {
    expect(await passPayload(without('payload'), { about: 'ada' })).toBeUndefined();
  });

  test('is not published: the message of an error', async () => {
    const error = { code: 'store-unavailable' as const, message: 'for ada' };
    const { result } = await endRun(without('message'), { form: 'error', error });
    expect(JSON.stringify(result)).not.toContain('ada');
  });
});
