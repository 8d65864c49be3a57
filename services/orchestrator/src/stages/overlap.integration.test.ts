// A group that judges concurrently with the first model call, against real streams: no output of the run is published,
// stored, called or repeated before its verdict.
import { type Agent, type Plan, type PlanEntry, type StageCall, type Verdict } from '@millrace/contracts';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { lookTool } from '../testing/look-tool.ts';
import { dataChunk, makeText, listTypes } from '../testing/chunks.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import type { Say } from '../testing/scripted-model.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { createRunStop } from '../state/run-stop.ts';
import { driveRun } from '../takeover/drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, serveTool, pending, becomes, orchestrator, resume } = useSuspendedRuns(stream);

/** Chunks that passed the output chain, released or not. */
let heard = '';
/** The verdict of a test's entry at a stage. */
const answers = new Map<string, Verdict>();
beforeEach(() => ((heard = ''), answers.clear()));
const passing = (id: string, isStopped: boolean) =>
  defineMethods(id, {
    processOutputStream: async ({ part, abort }) => {
      if (part.type === 'text-delta') heard += part.payload.text;
      return isStopped && part.type === 'text-end' ? abort('the chain stops it') : part;
    },
  });
useProcessors(nats, [passing('ear', false), passing('chain', true)], 'hearing');
const ear = planEntry('ear', { service: 'hearing', lists: ['output'], stages: ['processOutputStream'] });

type Options = { others?: PlanEntry[]; agent?: Partial<Agent>; tools?: Plan['tools']; judge?: Partial<PlanEntry> };

/** A run with an input that is judged when the test decides: `gates`, one for each call of the judge. */
async function overlapRun(script: Say[], { others = [ear], agent = {}, tools = [], judge = {} }: Options = {}) {
  const gates: PromiseWithResolvers<Verdict>[] = [];
  const called: string[] = [];
  const serve = (entry: PlanEntry, answer: (call: StageCall) => Promise<Verdict> | Verdict) => {
    for (const stage of entry.stages) {
      if (stage === 'processOutputStream') continue;
      scriptReplica(
        connection.bus,
        stage,
        [entry.entry],
        async (call) => (called.push(`${entry.entry} ${stage}`), [await answer(call)]),
      );
    }
  };
  const judging = planEntry('judge', { timeoutMs: 60_000, reads: ['input'], attempts: 1, ...judge });
  serve(judging, () => {
    const gate = Promise.withResolvers<Verdict>();
    gates.push(gate);
    return gate.promise;
  });
  for (const other of others) serve(other, (call) => answers.get(`${other.entry} ${call.stage}`) ?? goOn);
  const plan: Plan = {
    ...makePlan([judging, ...others], tools),
    groups: [{ list: 'input', members: ['judge'], overlap: 'model' }],
  };
  const made = driver(...script);
  const run = await made.begin({ agent: await made.apply({ tools: tools.map(({ name }) => name), ...agent }, plan) });
  const driving = run.drive();
  onTestFinished(async () => {
    for (const gate of gates) gate.resolve(goOn);
    await driving.catch(() => undefined);
  });
  const decide = async (verdict: Verdict, at = 0) => {
    await eventually(() => gates.length > at);
    gates[at]?.resolve(verdict);
  };
  return { ...made, run, driving, gates, called, decide, end: async () => (await driving, (await run.end())?.result) };
}
async function replay(run: DrivenRun): Promise<string[]> {
  const head = await run.head();
  if (!head) return [];
  const { batches } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  return batches.flatMap(({ chunks }) => chunks.map(({ type }) => type));
}

/** Long enough for pending work to happen. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await connection.bus.nc.flush();
}

const abort: Verdict = { type: 'abort', reason: 'not this' };
const at = (entry: string, ...stages: PlanEntry['stages']) =>
  planEntry(entry, { stages, reads: ['input', 'response', 'chunks'] });
const look = lookTool({ timeoutMs: 5_000 });
const call = { toolCallId: 'c1', toolName: 'look', input: '{}' };

describe('before the verdict of an overlapping group', () => {
  test('no text of the model is published, logged or stored; the verdict releases everything', async () => {
    const cache = at('cache', 'processLLMResponse');
    const { run, decide, driving, called, end } = await overlapRun([{ text: 'Hello.' }], { others: [ear, cache] });
    await eventually(() => heard === 'Hello.');
    await connection.bus.nc.flush();
    expect(listTypes(run.chunks())).toEqual(['start']);
    expect((await replay(run)).filter((type) => type !== 'start')).toEqual([]);
    expect((await run.head())?.records).toBe(0);
    expect(called).toEqual(['judge processInput']);
    await decide(goOn);
    await driving;
    expect(makeText(run.chunks())).toBe('Hello.');
    expect(await replay(run)).toEqual(listTypes(run.chunks()));
    expect(called).toEqual(['judge processInput', 'cache processLLMResponse']);
    expect(await end()).toMatchObject({ status: 'finished', text: 'Hello.' });
  });

  test('custom chunks wait too: of other processors of the input, and of its members', async () => {
    const data: Verdict = { type: 'continue', data: [dataChunk('early')] };
    answers.set('writer processInputStep', data);
    const { run, decide, driving } = await overlapRun([{ text: 'Hello.' }], {
      others: [ear, at('writer', 'processInputStep')],
    });
    await eventually(() => heard === 'Hello.');
    expect(listTypes(run.chunks())).toEqual(['start']);
    await decide({ type: 'continue', data: [dataChunk('late')] });
    await driving;
    expect(listTypes(run.chunks()).filter((type) => type.startsWith('data-'))).toEqual(['data-early', 'data-late']);
  });

  test('no tool is called', async () => {
    const made = await overlapRun([{ calls: [call] }, { text: 'Seen.' }], { tools: [look] });
    let looked = 0;
    serveTool(connection.bus, 'look', async () => ({ result: (looked += 1) }));
    await eventually(() => made.asked.length === 1);
    await someTurns();
    expect(looked).toBe(0);
    await made.decide(goOn);
    expect(await made.end()).toMatchObject({ status: 'finished', text: 'Seen.' });
    expect(looked).toBe(1);
    expect(made.called).toEqual(['judge processInput']);
  });

  test('a failed model is not asked again', async () => {
    const error = Object.assign(new Error('busy'), {
      [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
      name: 'AI_APICallError',
      statusCode: 503,
      isRetryable: true,
      responseHeaders: { 'retry-after': '0' },
    });
    const made = await overlapRun([{ error }, { text: 'Hello.' }]);
    await eventually(() => made.asked.length === 1 && made.gates.length === 1);
    await someTurns();
    expect(made.asked).toHaveLength(1);
    await made.decide(abort);
    expect(await made.end()).toMatchObject({ status: 'aborted' });
    expect(made.asked).toHaveLength(1);
  });

  test('no question is asked: the run is suspended when the input has passed, and it is not judged again', async () => {
    answers.set('gate processInputStep', { type: 'suspend', payload: 'sure?' });
    const made = await overlapRun([{ text: 'Hello.' }], { others: [ear, at('gate', 'processInputStep')] });
    await eventually(() => made.called.includes('gate processInputStep'));
    expect((await made.run.head())?.status).toBe('running');
    expect(await pending(made.run)).toEqual([]);
    await made.decide(goOn);
    await made.driving;
    expect((await made.run.head())?.status).toBe('suspended');
    answers.clear();
    orchestrator({ text: 'Hello.' });
    const [asked] = await pending(made.run);
    await resume(made.run, asked?.resumeToken ?? '', 'yes');
    await becomes(made.run, 'finished');
    expect(made.called.filter((one) => one === 'judge processInput')).toHaveLength(1);
  });
});

describe('an overlapping group that stops', () => {
  test('with an abort ends the run at once: the model call is cancelled and counted, and its text is dropped', async () => {
    const saver = at('saver', 'processOutputResult', 'processLLMResponse');
    const made = await overlapRun([{ text: 'Unjudged words.', until: new Promise(() => undefined) }], {
      others: [ear, saver],
    });
    await eventually(() => heard === 'Unjudged words.');
    await made.decide(abort);
    expect(await made.end()).toMatchObject({
      status: 'aborted',
      text: '',
      messages: [],
      steps: [],
      tripwire: { reason: 'not this', processorId: 'judge' },
      usage: { inputTokens: expect.any(Number), outputTokens: 4 },
    });
    expect(listTypes(made.run.chunks())).toEqual(['start', 'tripwire']);
    expect(JSON.stringify(await replay(made.run))).not.toContain('text');
    expect(made.asked[0]?.abortSignal?.aborted).toBe(true);
    expect(made.called).toEqual(['judge processInput']);
  });

  test('with a halt has its text as the answer, and saves nothing', async () => {
    const history = planEntry('message-history', {
      memory: true,
      stages: ['processInput', 'processOutputResult'],
      lists: ['input', 'output'],
    });
    const made = await overlapRun([{ text: 'Unjudged words.' }], { others: [ear, history] });
    await made.decide({ type: 'halt', response: 'I cannot help with that.' });
    expect(await made.end()).toMatchObject({
      status: 'finished',
      finishReason: 'halted',
      text: 'I cannot help with that.',
    });
    expect(makeText(made.run.chunks())).toBe('I cannot help with that.');
    expect(JSON.stringify(made.run.chunks())).not.toContain('Unjudged');
    expect(made.called.toSorted()).toEqual(['judge processInput', 'message-history processInput']);
  });

  test('with a retry rewinds to the input, is called again, and the model receives the reason', async () => {
    const made = await overlapRun([{ text: 'first' }, { text: 'second' }], { agent: { maxProcessorRetries: 1 } });
    await eventually(() => heard === 'first');
    await made.decide({ ...abort, retry: true });
    await made.decide(goOn, 1);
    expect(await made.end()).toMatchObject({ status: 'finished', text: 'second' });
    expect(makeText(made.run.chunks())).toBe('second');
    expect(JSON.stringify(made.asked[1]?.prompt)).toContain('not this');
  });

  test.each<[string, Verdict, object]>([
    // The halt's own text passes the chain, which stops all text.
    ['its halt counts', { type: 'halt', response: 'judged' }, { status: 'finished', finishReason: 'halted', text: '' }],
    ['its abort counts', abort, { status: 'aborted', tripwire: { processorId: 'judge' } }],
    ['the chain’s counts where it agrees', goOn, { status: 'aborted', tripwire: { processorId: 'chain' } }],
  ])('after the output chain has stopped the answer: %s', async (_what, verdict, result) => {
    const chain = planEntry('chain', { service: 'hearing', lists: ['output'], stages: ['processOutputStream'] });
    const made = await overlapRun([{ text: 'Hello.' }], { others: [chain] });
    await eventually(() => heard === 'Hello.');
    expect(listTypes(made.run.chunks())).toEqual(['start']);
    await made.decide(verdict);
    expect(await made.end()).toMatchObject(result);
  });

  test('by its failure fails the run, and nothing is published', async () => {
    const made = await overlapRun([{ text: 'Unjudged words.' }], { judge: { timeoutMs: 500 } });
    expect(await made.end()).toMatchObject({
      status: 'failed',
      text: '',
      error: { code: 'processor-timeout', path: 'processInput/judge' },
    });
    expect(listTypes(made.run.chunks())).toEqual(['start', 'error']);
  });
});

describe('a run that is stopped before the verdict', () => {
  test('by a cancel publishes no unjudged text', async () => {
    const made = await overlapRun([{ text: 'Unjudged words.', until: new Promise(() => undefined) }]);
    await eventually(() => heard === 'Unjudged words.');
    made.run.stop.stop('cancelled');
    expect(await made.end()).toMatchObject({ status: 'cancelled', text: '', messages: [] });
    expect(listTypes(made.run.chunks())).toEqual(['start', 'abort']);
  });

  test('by a cancel after the model has ended publishes no unjudged text either', async () => {
    const made = await overlapRun([{ text: 'Unjudged words.' }], { others: [] });
    await eventually(() => made.asked.length === 1);
    await someTurns();
    made.run.stop.stop('cancelled');
    expect(await made.end()).toMatchObject({ status: 'cancelled', text: '', messages: [], steps: [] });
    expect(listTypes(made.run.chunks())).toEqual(['start', 'abort']);
  });

  test('by its owner’s loss is judged again by the next one, and the model is asked again', async () => {
    const made = await overlapRun([{ text: 'first' }, { text: 'second' }]);
    await eventually(() => heard === 'first');
    made.run.fence();
    await expect(made.driving).rejects.toMatchObject({ name: 'FencedError' });
    const stop = createRunStop();
    const again = driveRun(made.deps, made.run.delivery, stop);
    await made.decide(goOn, 1);
    await again;
    expect(await made.run.end()).toMatchObject({ result: { status: 'finished', text: 'second' } });
    const seen = made.run.live.flatMap(({ chunks }) => chunks);
    expect(JSON.stringify(seen)).not.toContain('first');
    expect(made.asked).toHaveLength(2);
  });
});
