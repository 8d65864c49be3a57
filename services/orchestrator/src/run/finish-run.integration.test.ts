import { isEnding } from '../state/interrupt.ts';
// The end of a successful run: the finish passes the output chain, is buffered, and repeats the result of
// processOutputResult.
import { buildTextMessage, type Chunk, type PlanEntry, type StageInput, type Verdict } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dataChunk, listTypes } from '../testing/chunks.ts';
import { maskingProcessor } from '../testing/masking-processor.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { makeAccepted, makeAnswer } from '../testing/run-states.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { endRun } from './end-run.ts';
import { finishRun } from './finish-run.ts';

const nats = useNats();
const stamper = defineProcessor({
  id: 'stamper',
  description: 'stamps the finish, and tries to drop it',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ drop: z.boolean().default(false) }),
  create: ({ drop }) => ({
    id: 'stamper',
    processOutputStream: async ({ part }) => {
      if (part.type !== 'finish') return part;
      return drop ? null : { ...part, payload: { ...part.payload, stamp: 'seen' } };
    },
  }),
});
useProcessors(nats, [stamper, maskingProcessor('masker')], 'guards');
const connection = useBus(nats, 'orchestrator');

type Options = { verdict?: Verdict; stream?: Partial<PlanEntry>; retries?: number };
async function driveFinish({ verdict = goOn, stream = {}, retries = 0 }: Options = {}) {
  const entries = [
    planEntry('stamper', { stages: ['processOutputStream'], ...stream }),
    planEntry('last', { stages: ['processOutputResult'], reads: ['response', 'steps'], attempts: 1 }),
  ];
  const made = createTestRun({ bus: connection.bus, entries, agent: { maxProcessorRetries: retries } });
  let published: Chunk[] = [];
  const last = scriptReplica(connection.bus, 'processOutputResult', ['last'], () => {
    published = [...made.published];
    return [verdict];
  });
  await connection.bus.nc.flush();
  made.run.dispatch({ action: 'input-passed' });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  for (const action of makeAccepted(makeAnswer(0, 'Hello.'))) made.run.dispatch(action);
  made.run.dispatch({ action: 'step-closed', results: [] });
  const interrupt = await finishRun(made.run);
  const finish = interrupt.form === 'finish' ? interrupt.finish : undefined;
  return {
    ...made,
    interrupt,
    finish,
    received: last.received,
    before: published,
  };
}

describe('the finish of a run', () => {
  test('is buffered until processOutputResult has ended; the step’s finish is not', async () => {
    const { finish, before, published } = await driveFinish();
    expect(listTypes(before)).toEqual(['step-finish']);
    expect(listTypes(published)).toEqual(['step-finish']);
    expect(finish).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'stop' } } });
  });

  test('keeps the members that the output stream’s processors add', async () => {
    expect((await driveFinish()).finish?.payload).toMatchObject({ stamp: 'seen', output: { text: 'Hello.' } });
  });

  test('has the text and the messages of processOutputResult, and keeps its stamp', async () => {
    const ops = [{ op: 'replace' as const, message: buildTextMessage('run-1.0', 'assistant', 'Changed.') }];
    const { finish } = await driveFinish({ verdict: { type: 'continue', changes: { ops } } });
    expect(finish?.payload).toMatchObject({
      stamp: 'seen',
      output: { text: 'Changed.', usage: { totalTokens: 15 } },
      messages: [{ content: { parts: [{ text: 'Changed.' }] } }],
    });
  });

  test('cannot be dropped', async () => {
    const { finish } = await driveFinish({ stream: { options: { drop: true } } });
    expect(finish?.payload.output).toMatchObject({ text: 'Hello.' });
  });
});

describe('processOutputResult', () => {
  test('receives the text, the steps, the usage, and whether a model has answered', async () => {
    const { received } = await driveFinish();
    expect(received[0]?.input).toMatchObject({
      text: 'Hello.',
      finishReason: 'stop',
      answered: true,
      stepNumber: 0,
      usage: { totalTokens: 15 },
      steps: [{ text: 'Hello.' }],
    });
  });

  test('may write custom chunks, before the last one', async () => {
    const { published } = await driveFinish({ verdict: { type: 'continue', data: [dataChunk('end')] } });
    expect(listTypes(published)).toEqual(['step-finish', 'data-end']);
  });

  test('with a retry opens its step again', async () => {
    const verdict: Verdict = { type: 'abort', reason: 'too short', retry: true };
    expect((await driveFinish({ verdict, retries: 1 })).interrupt).toEqual({
      form: 'rewind',
      to: 'step',
      feedback: 'too short',
    });
  });

  test('that aborts rejects everything', async () => {
    const { interrupt } = await driveFinish({ verdict: { type: 'abort', reason: 'no' } });
    expect(interrupt).toMatchObject({ form: 'tripwire', rejected: { what: 'run', from: 1 } });
  });
});

describe('the result of a run', () => {
  type Judges = Record<string, (input: StageInput) => Promise<Verdict> | Verdict>;
  /** A run with the text `text`; one entry of processOutputResult for each judge, including memory's. */
  async function runThatSaid(text: string, judges: Judges, stream = ['masker']) {
    const inputs: StageInput[] = [];
    const entries = [
      ...stream.map((name) => planEntry(name, { stages: ['processOutputStream'] })),
      ...Object.keys(judges).map((name) =>
        planEntry(name, {
          stages: ['processOutputResult'],
          reads: ['response'],
          memory: name === 'memory',
          attempts: 1,
        }),
      ),
    ];
    const made = createTestRun({ bus: connection.bus, entries });
    for (const [name, judge] of Object.entries(judges)) {
      scriptReplica(connection.bus, 'processOutputResult', [name], async ({ input }) => {
        inputs.push(input);
        return [await judge(input)];
      });
    }
    await connection.bus.nc.flush();
    const answer = makeAnswer(0, text);
    made.run.dispatch({ action: 'input-passed' });
    made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    made.run.dispatch({
      action: 'messages-changed',
      ops: [{ op: 'add', source: 'response', message: answer.message }],
    });
    made.run.dispatch({ action: 'answer-accepted', answer, tools: [] });
    made.run.dispatch({ action: 'step-closed', results: [] });
    const end = async () => {
      const interrupt = await finishRun(made.run);
      if (!isEnding(interrupt)) throw new Error('the run went back');
      return endRun(made.run, interrupt);
    };
    return { ...made, inputs, end };
  }
  const saying = (text: string): Verdict => ({
    type: 'continue',
    changes: { ops: [{ op: 'replace', message: buildTextMessage('run-1.0', 'assistant', text) }] },
  });

  test("is the text that the stream's processors passed: in text, messages, steps, and for memory", async () => {
    const { end, inputs } = await runThatSaid('It is ada@example.org.', { memory: () => goOn });
    const ended = await end();
    expect(ended.result).toMatchObject({ text: 'It is ***.', steps: [{ text: 'It is ***.' }] });
    expect(inputs).toMatchObject([{ text: 'It is ***.' }]);
    expect(JSON.stringify([ended, inputs[0]?.conversation])).not.toContain('ada@');
  });

  test('passes the stream’s processors again if processOutputResult has changed it, before memory receives it', async () => {
    const judges = { changer: () => saying('Now ada@example.org.'), memory: () => goOn };
    const { end, inputs } = await runThatSaid('Hello.', judges);
    const ended = await end();
    expect(ended).toMatchObject({ lastChunk: { type: 'finish' }, result: { text: 'Now ***.' } });
    expect(inputs[1]).toMatchObject({ text: 'Now ***.' });
    expect(JSON.stringify([ended, inputs[1]?.conversation])).not.toContain('ada@');
  });

  test.each([
    ['the finish', 'a forbidden text', {}],
    ['the output of processOutputResult', 'Hello.', { changer: () => saying('a forbidden text') }],
  ])('is empty if the stream’s processors reject %s, and memory is not called', async (_what, text, judges) => {
    const { end, inputs, published } = await runThatSaid(text, { ...judges, memory: () => goOn });
    const ended = await end();
    expect(ended).toMatchObject({ result: { status: 'aborted', text: '', messages: [], steps: [] } });
    expect(inputs).toHaveLength(Object.keys(judges).length);
    expect(JSON.stringify([ended, published])).not.toContain('forbidden text');
  });

  test("is not undone by a cancel during memory's save: the run finishes", async () => {
    const saving = Promise.withResolvers<void>();
    const saved = Promise.withResolvers<Verdict>();
    const judges = { memory: () => (saving.resolve(), saved.promise) };
    const { end, stop } = await runThatSaid('Hello.', judges);
    const ending = end();
    await saving.promise;
    stop('cancelled');
    saved.resolve(goOn);
    expect(await ending).toMatchObject({ result: { status: 'finished', text: 'Hello.' } });
  });

  test('is a cancelled run within a second if the save does not end', async () => {
    const saving = Promise.withResolvers<void>();
    const judges = { memory: () => (saving.resolve(), new Promise<Verdict>(() => undefined)) };
    const { end, stop } = await runThatSaid('Hello.', judges);
    const ending = end();
    await saving.promise;
    const started = performance.now();
    stop('cancelled');
    expect(await ending).toMatchObject({ result: { status: 'cancelled' } });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("is a cancelled run if the cancel preceded memory's save", async () => {
    const judging = Promise.withResolvers<void>();
    const judges = { slow: () => (judging.resolve(), new Promise<Verdict>(() => undefined)), memory: () => goOn };
    const { end, stop, inputs } = await runThatSaid('Hello.', judges);
    const ending = end();
    await judging.promise;
    stop('cancelled');
    expect(await ending).toMatchObject({ result: { status: 'cancelled' } });
    expect(inputs).toHaveLength(1);
  });
});

test('an output chain that cannot be called for the finish fails the run, and processOutputResult stores nothing', async () => {
  const { interrupt, received } = await driveFinish({ stream: { processor: 'nobody', attempts: 1 } });
  expect(interrupt).toMatchObject({ form: 'error', error: { code: 'processor-not-there' } });
  expect(received).toEqual([]);
});
