// The end of a run that went well: the finish passes the chain, is held, and says what processOutputResult left.
import { textMessage, type Chunk, type PlanEntry, type Verdict } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dataChunk, typesOf } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { answerOf } from '../testing/run-states.ts';
import { goOn, scriptReplica, type ScriptedReplica } from '../testing/scripted-replica.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
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
useProcessors(nats, [stamper], 'stream-service');
const connection = useBus(nats, 'orchestrator');
const replicas: ScriptedReplica[] = [];
const runs: TestRun[] = [];
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  for (const run of runs.splice(0)) run.close();
});

type Options = { verdict?: Verdict; stream?: Partial<PlanEntry>; retries?: number };
async function finished({ verdict = goOn, stream = {}, retries = 0 }: Options = {}) {
  const entries = [
    planEntry('stamper', { stages: ['processOutputStream'], ...stream }),
    planEntry('last', { stages: ['processOutputResult'], reads: ['response', 'steps'], attempts: 1 }),
  ];
  const made = createTestRun({ bus: connection.bus, entries, agent: { maxProcessorRetries: retries } });
  runs.push(made);
  let published: Chunk[] = [];
  const last = scriptReplica(connection.bus, 'processOutputResult', ['last'], () => {
    published = [...made.published];
    return [verdict];
  });
  replicas.push(last);
  await connection.bus.nc.flush();
  made.run.dispatch({ action: 'input-passed' });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  made.run.dispatch({ action: 'answer-accepted', answer: answerOf(0, 'Hello.'), tools: [] });
  made.run.dispatch({ action: 'step-closed', results: [] });
  const interrupt = await finishRun(made.run);
  const finish = interrupt.kind === 'end' && interrupt.ending.form === 'finish' ? interrupt.ending.finish : undefined;
  return {
    ...made,
    interrupt,
    finish,
    received: last.received,
    before: published,
  };
}

describe('the finish', () => {
  test('is held until processOutputResult has ended; the step’s finish is not', async () => {
    const { finish, before, published } = await finished();
    expect(typesOf(before)).toEqual(['step-finish']);
    expect(typesOf(published)).toEqual(['step-finish']);
    expect(finish).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'stop' } } });
  });

  test('keeps what the output stream’s processors put into it', async () => {
    expect((await finished()).finish?.payload).toMatchObject({ stamp: 'seen', output: { text: 'Hello.' } });
  });

  test('has the text and the messages that processOutputResult left, and the stamp still', async () => {
    const ops = [{ op: 'replace' as const, message: textMessage('run-1.0', 'assistant', 'Changed.') }];
    const { finish } = await finished({ verdict: { type: 'continue', changes: { ops } } });
    expect(finish?.payload).toMatchObject({
      stamp: 'seen',
      output: { text: 'Changed.', usage: { totalTokens: 15 } },
      messages: [{ content: { parts: [{ text: 'Changed.' }] } }],
    });
  });

  test('cannot be dropped', async () => {
    const { finish } = await finished({ stream: { options: { drop: true } } });
    expect(finish?.payload.output).toMatchObject({ text: 'Hello.' });
  });
});

describe('processOutputResult', () => {
  test('is told the text, the steps, the usage, and that a model has answered', async () => {
    const { received } = await finished();
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
    const { published } = await finished({ verdict: { type: 'continue', data: [dataChunk('end')] } });
    expect(typesOf(published)).toEqual(['step-finish', 'data-end']);
  });

  test('that wants another try has its step opened again', async () => {
    const verdict: Verdict = { type: 'abort', reason: 'too short', retry: true };
    expect((await finished({ verdict, retries: 1 })).interrupt).toEqual({
      kind: 'rewind',
      to: 'step',
      feedback: 'too short',
    });
  });

  test('that aborts rejects everything', async () => {
    const { interrupt } = await finished({ verdict: { type: 'abort', reason: 'no' } });
    expect(interrupt).toMatchObject({ ending: { form: 'tripwire', rejected: { what: 'run', from: 1 } } });
  });
});

test('a chain that cannot be asked for the finish fails the run, and processOutputResult stores nothing', async () => {
  const { interrupt, received } = await finished({ stream: { processor: 'nobody', attempts: 1 } });
  expect(interrupt).toMatchObject({ ending: { form: 'error', error: { code: 'processor-not-there' } } });
  expect(received).toEqual([]);
});
