import { isEnding } from '../state/interrupt.ts';
// Whole runs through their loop: the traces of a stage that rejects, at every position.
import { runActionSchema, type RunEnd, type Stage, type Verdict } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { dataChunk, listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { scriptModel } from '../testing/scripted-model.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { serveTool } from '../testing/test-servings.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { endRun } from './end-run.ts';
import type { Run } from '../state/run-context.ts';
import { foldRun } from '../state/run-state.ts';
import { runLoop } from './run-loop.ts';

const nats = useNats();
/** Stops at a tool's result with a secret, or masks it; sees nothing else. */
const watcher = defineProcessor({
  id: 'watcher',
  description: 'of tool results in the stream',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ does: z.enum(['abort', 'halt', 'mask']) }),
  create: ({ does }) => ({
    id: 'watcher',
    processOutputStream: async ({ part, abort, halt }) => {
      if (part.type !== 'tool-result') return part;
      if (does === 'abort') return abort('no');
      if (does === 'halt') return halt('Sorry.');
      return { ...part, payload: { ...part.payload, result: 'masked' } };
    },
  }),
});
useProcessors(nats, [watcher], 'guards');
const connection = useBus(nats, 'orchestrator');

const tool = lookTool({ idempotent: false, timeoutMs: 2_000 });
const calls = lookCalls();

const serveLook = (result: string) => serveTool(connection.bus, 'look', async () => ({ result }));

async function awaitEnd(run: Run): Promise<RunEnd> {
  const outcome = await runLoop(run);
  if (!isEnding(outcome)) throw new Error('the run was handed over');
  return endRun(run, outcome);
}

const judge = (stage: Stage, name: string, ...verdicts: Verdict[]) =>
  scriptReplica(connection.bus, stage, [name], () => [verdicts.shift() ?? { type: 'continue' }]);

describe.each(['abort', 'halt', 'mask'])('a tool result that the stream’s processors alone %s', (does) => {
  test('is absent from every output of the run: chunks, result, memory', async () => {
    serveLook('the secret');
    const saver = judge('processOutputResult', 'message-history');
    const { models, asked } = scriptModel({ text: 'Let me see.', calls }, { text: 'Done.' });
    const made = createTestRun({
      bus: connection.bus,
      tools: [tool],
      models,
      entries: [
        planEntry('watcher', { stages: ['processOutputStream'], options: { does } }),
        planEntry('message-history', { stages: ['processOutputResult'], reads: ['response', 'steps'], memory: true }),
      ],
    });
    const ended = await awaitEnd(made.run);
    expect(ended.result.status).toBe(does === 'abort' ? 'aborted' : 'finished');
    // The raw result is only in the state's record of the tool, for processToolResult.
    const left = [ended, made.published, saver.received, asked.map(({ prompt }) => prompt), made.events];
    expect(JSON.stringify(left)).not.toContain('the secret');
    expect(JSON.stringify(made.run.getState().conversation)).not.toContain('the secret');
    expect(asked).toHaveLength(does === 'mask' ? 2 : 1);
  });
});

test('the records of a run with tools, retries and changes rebuild exactly its state', async () => {
  serveLook('noon');
  judge('processInput', 'changes', {
    type: 'continue',
    changes: { ops: [{ op: 'system', tag: 'hint', contents: ['Only today.'] }] },
    state: { n: 1 },
  });
  judge('processOutputStep', 'rude', { type: 'abort', reason: 'rude', retry: true });
  const { models } = scriptModel({ text: 'Rude.' }, { text: 'Let me see.', calls }, { text: 'Noon.' });
  const entries = [
    planEntry('changes', { stages: ['processInput'] }),
    planEntry('rude', { stages: ['processOutputStep'] }),
  ];
  const made = createTestRun({
    bus: connection.bus,
    models,
    tools: [tool],
    entries,
    agent: { maxProcessorRetries: 1 },
  });
  expect(await runLoop(made.run)).toMatchObject({ form: 'finish' });
  await made.run.checkpoint();
  const actions = z.array(runActionSchema).parse(JSON.parse(JSON.stringify(made.records.flat())));
  expect(foldRun(actions)).toEqual(made.run.getState());
  expect(made.run.getState()).toMatchObject({ states: { changes: { n: 1 } }, steps: [{}, {}] });
});

test("a retry of processInput retracts its stage's chunks, and the model receives its feedback", async () => {
  const again: Verdict = { type: 'abort', reason: 'once more', retry: true, data: [dataChunk('first')] };
  judge('processInput', 'input', again, { type: 'continue', data: [dataChunk('second')] });
  const { models, asked } = scriptModel({ text: 'Hello.' });
  const entries = [planEntry('input', { stages: ['processInput'] })];
  const made = createTestRun({ bus: connection.bus, models, entries, agent: { maxProcessorRetries: 1 } });
  made.run.transcript.append([makeChunk('run-1', { type: 'start', payload: {} })]);
  expect(await runLoop(made.run)).toMatchObject({ form: 'finish' });
  expect(listTypes(made.published).slice(0, 5)).toEqual([
    'start',
    'data-first',
    'step-finish',
    'retract',
    'data-second',
  ]);
  expect(made.published[3]).toMatchObject({ payload: { index: 1 } });
  expect(JSON.stringify(asked[0]?.prompt)).toContain('once more');
});
