// The stream of a step concurrent with a checkpoint: the model is asked during the write, and no client sees its text
// before.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { FencedError } from '../streams/fenced-error.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { say, makeText, listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { createTestRun, type TestRun, type TestRunOptions } from '../testing/test-run.ts';
import { streamStep, type StepChunkSource } from './step-stream.ts';

const nats = useNats();
/** Passes everything on. */
const pass = defineMethods('pass', { processOutputStream: async ({ part }) => part });
useProcessors(nats, [pass], 'guards');
const connection = useBus(nats, 'orchestrator');

function testRun(entries: PlanEntry[], options: TestRunOptions = {}): TestRun {
  const made = createTestRun({ bus: connection.bus, entries, ...options });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  return made;
}
const saying =
  (chunks: Chunk[]): StepChunkSource =>
  async (_signal, take) => {
    for (const one of chunks) await take([one]);
    return { finishReason: 'stop', usage: {}, warnings: [] };
  };
const first = makeChunk(RUN_ID, { type: 'step-start', payload: {} });
const stream = ({ run }: TestRun, source: StepChunkSource) =>
  streamStep(run, { retryCount: 0, stepNumber: 0 }, { makeFirst: () => first, source });

describe('a stream that begins during a checkpoint', () => {
  test('asks the model, and releases no text before the checkpoint is written', async () => {
    const made = testRun([planEntry('pass', { stages: ['processOutputStream'] })]);
    const gate = Promise.withResolvers<void>();
    made.onRecord(() => gate.promise);
    made.run.beginCheckpoint();
    let asked = 0;
    const source: StepChunkSource = (signal, take) => {
      asked += 1;
      return saying(say('a', 'b'))(signal, take);
    };
    const answered = stream(made, source);
    await eventually(() => asked === 1 && made.openSessions() === 1);
    await connection.bus.nc.flush();
    expect([made.published, made.records]).toEqual([[], []]);
    gate.resolve();
    expect(await answered).toMatchObject({ kind: 'answer' });
    expect(makeText(made.published)).toBe('ab');
  });

  test('ends by the checkpoint: a cancelled run publishes nothing', async () => {
    const made = testRun([]);
    made.askCancel();
    made.run.beginCheckpoint();
    const stopped = await stream(made, saying(say('a')));
    expect(stopped).toMatchObject({ kind: 'interrupt', interrupt: { form: 'cancel' } });
    expect(made.published).toEqual([]);
  });

  test('fails with the checkpoint: a fenced owner does not continue', async () => {
    const made = testRun([]);
    const fenced = new FencedError('acme', RUN_ID);
    made.onRecord(() => Promise.reject(fenced));
    made.run.beginCheckpoint();
    await expect(stream(made, saying(say('a')))).rejects.toBe(fenced);
    await expect(made.run.checkpoint()).rejects.toBe(fenced);
    expect(made.published).toEqual([]);
  });

  test('has its frame in one piece with the first text', async () => {
    const made = testRun([]);
    const batches: string[][] = [];
    const other = testRun([], { onPublish: (chunks) => batches.push(chunks.map(({ type }) => type)) });
    await stream(made, saying([]));
    await stream(other, saying(say('a')));
    expect(listTypes(made.published)).toEqual(['step-start']);
    expect(batches[0]).toEqual(['step-start', 'text-start']);
  });
});
