import { isEnding } from '../state/interrupt.ts';
// The end of a run as the last batch of its step's own sessions: the entries that see it there, and the effect of a
// rejection there.
import { runActionSchema, type PlanEntry, type RunState } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listTypes } from '../testing/chunks.ts';
import { maskingProcessor } from '../testing/masking-processor.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { scriptModel, type Say } from '../testing/scripted-model.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun, type TestRunOptions } from '../testing/test-run.ts';
import { foldRun } from '../state/run-state.ts';
import { endRun } from './end-run.ts';
import { runLoop } from './run-loop.ts';

const nats = useNats();
/** The chunks that each session and batch had received when the finish arrived. */
const seen: string[][] = [];
/** The texts that entries judged or saved, at any replica. */
const saved: string[] = [];
const watcher = defineProcessor({
  id: 'watcher',
  description: 'records the chunks up to the finish, and stamps the finish',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ abortAtFinish: z.boolean().default(false), retry: z.boolean().default(false) }),
  create: ({ abortAtFinish, retry }) => ({
    id: 'watcher',
    processOutputStream: async ({ part, streamParts, abort }) => {
      if (part.type !== 'finish') return part;
      seen.push(streamParts.map(({ type }) => type));
      if (abortAtFinish && (!retry || seen.length === 1)) return abort('not like this', { retry });
      return { ...part, payload: { ...part.payload, stamp: 'seen' } };
    },
  }),
});
useProcessors(nats, [watcher, maskingProcessor('masker')], 'guards');
const connection = useBus(nats, 'orchestrator');
afterEach(() => void seen.splice(0));

const stream = (name: string, more: Partial<PlanEntry> = {}) =>
  planEntry(name, { stages: ['processOutputStream'], attempts: 1, ...more });
const memory = planEntry('memory', { stages: ['processOutputResult'], reads: ['response'], memory: true });
const result = planEntry('result', { stages: ['processOutputResult'], reads: ['response'] });

type Options = Pick<TestRunOptions, 'agent' | 'from'> & { entries?: PlanEntry[]; says?: Say[] };
async function driveStep({
  entries = [stream('watcher'), memory],
  says = [{ text: 'Hello.' }],
  ...more
}: Options = {}) {
  saved.splice(0);
  for (const { entry, stages } of entries.filter((one) => !one.stages.includes('processOutputStream')))
    for (const stage of stages)
      scriptReplica(connection.bus, stage, [entry], ({ input }) => (saved.push(`${entry} ${input.text}`), [goOn]));
  await connection.bus.nc.flush();
  const { models, asked } = scriptModel(...says);
  const made = createTestRun({ bus: connection.bus, entries, models, ...more });
  const outcome = await runLoop(made.run);
  if (!isEnding(outcome)) throw new Error('the run did not end');
  const { result: ended, lastChunk } = await endRun(made.run, outcome);
  const actions = made.records.map((record) => record.map(({ action }) => action));
  return { ...made, actions, ended, lastChunk, saved: [...saved], asked };
}

describe('the finish of an answer that no entry judges before it', () => {
  test('is the last chunk of the step’s own session, and counts as it leaves it', async () => {
    const { lastChunk, published } = await driveStep();
    expect(seen).toEqual([['step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish']]);
    expect(lastChunk).toMatchObject({ payload: { stamp: 'seen', output: { text: 'Hello.', steps: 1 } } });
    expect(listTypes(published)).toEqual(['step-start', 'text-start', 'text-delta', 'text-end', 'step-finish']);
  });

  test('shares one checkpoint with the answer, before memory saves', async () => {
    const { actions, saved } = await driveStep();
    expect(actions).toHaveLength(2);
    expect(actions[1]).toEqual(expect.arrayContaining(['answer-accepted', 'step-closed', 'result-judged']));
    expect(saved).toEqual(['memory Hello.']);
  });

  test('waits in the state if an entry judges the result before memory', async () => {
    const { actions, saved } = await driveStep({ entries: [stream('watcher'), result, memory] });
    expect(actions[1]).toEqual(expect.arrayContaining(['answer-accepted', 'finish-passed']));
    expect(actions[2]).toEqual(expect.arrayContaining(['result-judged']));
    expect(saved).toEqual(['result Hello.', 'memory Hello.']);
    expect(seen).toHaveLength(1);
  });

  test('has masked messages for memory and the result if the stream’s processors mask them there', async () => {
    const { ended } = await driveStep({ entries: [stream('masker'), memory], says: [{ text: 'To ada@example.org.' }] });
    expect(ended).toMatchObject({ text: 'To ***.', messages: [{ content: { parts: [{ text: 'To ***.' }] } }] });
  });

  test("that is rejected retracts everything, because it repeats the run's whole text", async () => {
    const { published, ended, saved } = await driveStep({
      entries: [stream('watcher', { options: { abortAtFinish: true } }), memory],
    });
    expect(published.at(-1)).toMatchObject({ type: 'retract', payload: { index: 1 } });
    expect(ended).toMatchObject({ status: 'aborted', text: '', messages: [], steps: [] });
    expect(saved).toEqual([]);
  });

  test('that is rejected with a retry repeats the model call', async () => {
    const options = { abortAtFinish: true, retry: true };
    const { ended, asked, saved } = await driveStep({
      entries: [stream('watcher', { options }), memory],
      agent: { maxProcessorRetries: 1 },
      says: [{ text: 'Rude.' }, { text: 'Better.' }],
    });
    expect(asked).toHaveLength(2);
    const { usage } = (await driveStep({ says: [{ text: 'Better.' }] })).ended;
    expect(ended.usage.totalTokens).toBe(2 * (usage.totalTokens ?? 0));
    expect(ended).toMatchObject({ status: 'finished', text: 'Better.' });
    expect(saved).toEqual(['memory Better.']);
  });
});

describe('the finish is a batch of its own, after the session', () => {
  test.each([
    ['processOutputStep', planEntry('step', { stages: ['processOutputStep'] })],
    ['processLLMResponse', planEntry('response', { stages: ['processLLMResponse'] })],
  ])('if %s sees the answer first', async (_stage, entry) => {
    await driveStep({ entries: [stream('watcher'), entry, memory] });
    expect(seen).toEqual([['step-finish', 'finish']]);
  });

  test('if an object is requested', async () => {
    const structuredOutput = { schema: { type: 'object' } };
    const { ended } = await driveStep({ agent: { structuredOutput }, says: [{ text: '{"a":1}' }] });
    expect(ended).toMatchObject({ object: { a: 1 } });
    expect(seen).toEqual([['step-finish', 'finish']]);
  });

  test('if the answer has calls and the step continues', async () => {
    const calls = [{ toolCallId: 'a', toolName: 'none', input: '{}' }];
    const { ended } = await driveStep({ says: [{ text: 'One. ', calls }, { text: 'Two.' }] });
    expect(ended).toMatchObject({ text: 'One. Two.', steps: [{}, {}] });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain('text-delta');
  });
});

test('a run that is lost after any of its checkpoints repeats neither the model call nor the finish', async () => {
  const first = await driveStep();
  const records = z.array(z.array(runActionSchema)).parse(JSON.parse(JSON.stringify(first.records)));
  const states = records.map((_, at) => foldRun(records.slice(0, at + 1).flat()));
  const ends = [];
  for (const from of states.filter((state): state is RunState => state !== undefined)) {
    seen.length = 0;
    const { ended, asked, saved } = await driveStep({ from });
    ends.push({ text: ended.text, asked: asked.length, passed: seen.length, saved: saved.length });
  }
  expect(ends).toEqual([
    { text: 'Hello.', asked: 1, passed: 1, saved: 1 },
    { text: 'Hello.', asked: 0, passed: 0, saved: 1 },
  ]);
});
