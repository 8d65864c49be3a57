// The stream of a step whose run is being saved: the model is asked meanwhile, and nobody sees what it says.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import { defineProcessor, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FencedError } from '../state/fenced-error.ts';
import { chunk } from '../state/make-chunk.ts';
import { say, textOf, typesOf } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { createTestRun, type TestRun, type TestRunOptions } from '../testing/test-run.ts';
import { streamStep, type ChunkSource } from './step-stream.ts';

const nats = useNats();
const pass = defineProcessor({
  id: 'pass',
  description: 'passes everything on',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({}),
  create: () => ({ id: 'pass', processOutputStream: async ({ part }) => part }),
});
useProcessors(nats, [pass], 'guards');
const connection = useBus(nats, 'orchestrator');
const runs: TestRun[] = [];
afterEach(() => runs.splice(0).forEach((run) => run.close()));

function testRun(entries: PlanEntry[], options: TestRunOptions = {}): TestRun {
  const made = createTestRun({ bus: connection.bus, entries, ...options });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  runs.push(made);
  return made;
}
const saying =
  (chunks: Chunk[]): ChunkSource =>
  async (_signal, take) => {
    for (const one of chunks) await take([one]);
    return { finishReason: 'stop', usage: {}, warnings: [] };
  };
const first = chunk(RUN_ID, { type: 'step-start', payload: {} });
const stream = ({ run }: TestRun, source: ChunkSource) =>
  streamStep(run, { retryCount: 0, stepNumber: 0 }, { first: () => first, source });

describe('a stream that begins beside a checkpoint', () => {
  test('asks the model, and gives what it says to nobody before the checkpoint is written', async () => {
    const made = testRun([planEntry('pass', { stages: ['processOutputStream'] })]);
    const gate = Promise.withResolvers<void>();
    made.onRecord(() => gate.promise);
    made.run.beginCheckpoint();
    let asked = 0;
    const source: ChunkSource = (signal, take) => {
      asked += 1;
      return saying(say('a', 'b'))(signal, take);
    };
    const answered = stream(made, source);
    await eventually(() => asked === 1 && made.openSessions() === 1);
    await connection.bus.nc.flush();
    expect([made.published, made.records]).toEqual([[], []]);
    gate.resolve();
    expect(await answered).toMatchObject({ kind: 'answer' });
    expect(textOf(made.published)).toBe('ab');
  });

  test('ends with what the checkpoint says: a run that was cancelled publishes nothing', async () => {
    const made = testRun([]);
    made.askCancel();
    made.run.beginCheckpoint();
    const stopped = await stream(made, saying(say('a')));
    expect(stopped).toMatchObject({ kind: 'interrupt', interrupt: { ending: { form: 'cancel' } } });
    expect(made.published).toEqual([]);
  });

  test('breaks as the checkpoint does: an owner that was fenced goes no further', async () => {
    const made = testRun([]);
    const fenced = new FencedError('acme', RUN_ID);
    made.onRecord(() => Promise.reject(fenced));
    made.run.beginCheckpoint();
    await expect(stream(made, saying(say('a')))).rejects.toBe(fenced);
    await expect(made.run.checkpoint()).rejects.toBe(fenced);
    expect(made.published).toEqual([]);
  });

  test('has its frame in one piece with the first words', async () => {
    const made = testRun([]);
    const batches: string[][] = [];
    const other = testRun([], { onPublish: (chunks) => batches.push(chunks.map(({ type }) => type)) });
    await stream(made, saying([]));
    await stream(other, saying(say('a')));
    expect(typesOf(made.published)).toEqual(['step-start']);
    expect(batches[0]).toEqual(['step-start', 'text-start']);
  });
});
