// The agent's `release`: text is published when it was judged as far as the agent requires. Text that is rejected
// before that appears neither live, nor in the replay, nor in the result.
import { type Agent, type Chunk, type Stage, type Verdict } from '@millrace/contracts';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { createRunStop } from '../state/run-stop.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { makeText, listTypes } from '../testing/chunks.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { driveRun } from '../takeover/drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, orchestrator, becomes, pending, resume, serveTool } = useSuspendedRuns(stream);
/** Halts at a word. */
const halting = defineMethods('halting', {
  processOutputStream: async ({ part, halt }) =>
    part.type === 'text-end' && part.payload.id === 't' ? halt('Something else.') : part,
});
useProcessors(nats, [halting], 'guards');

async function judgeBy(stage: Stage, ...verdicts: Verdict[]) {
  let asked = 0;
  scriptReplica(connection.bus, stage, ['judge'], () => [verdicts[asked++] ?? goOn]);
  await connection.bus.nc.flush();
  return makePlan([planEntry('judge', { stages: [stage], attempts: 1 })]);
}

/** As a late reader sees it. */
async function replay(run: DrivenRun): Promise<Chunk[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the orchestrator published as chunks
  return batches.flatMap(({ chunks }) => chunks) as Chunk[];
}

const held = ['step', 'result'] as const;
const abort: Verdict = { type: 'abort', reason: 'not this' };
const calls = lookCalls();
const look = lookTool();
const hung = { text: 'It is noon. And', until: new Promise(() => undefined) };

test.each(held)(
  'more than 8 MiB of buffered chunks fail the run with release: %s, and none of them is published',
  async (release) => {
    const raw = Array.from({ length: 6 }, (_, at) => ({ at, sent: 'secret '.repeat(200_000) }));
    const { begin, apply } = driver({ text: 'Hello.', raw });
    const run = await begin({ agent: await apply({ release, raw: true }) });
    await run.drive();
    expect(listTypes(run.chunks())).toEqual(['start', 'error']);
    expect(listTypes(await replay(run))).toEqual(['start', 'error']);
    const end = await run.end();
    expect(end?.result).toMatchObject({ status: 'failed', text: '', steps: [], error: { code: 'release-hold-full' } });
    expect(JSON.stringify(end)).not.toContain('secret');
  },
);

describe('text that is rejected before its release', () => {
  test.each(held)('by processOutputStep, with release: %s, is visible to no reader', async (release) => {
    const { begin, apply } = driver({ text: 'A secret.' });
    const run = await begin({ agent: await apply({ release }, await judgeBy('processOutputStep', abort)) });
    await run.drive();
    expect(listTypes(run.chunks())).toEqual(['start', 'tripwire']);
    expect(listTypes(await replay(run))).toEqual(['start', 'tripwire']);
    expect(JSON.stringify(await run.end())).not.toContain('secret');
  });

  test('by processOutputResult, with release: result, is visible to no reader', async () => {
    const { begin, apply } = driver({ text: 'A secret.' });
    const run = await begin({ agent: await apply({ release: 'result' }, await judgeBy('processOutputResult', abort)) });
    await run.drive();
    expect(listTypes(run.chunks())).toEqual(['start', 'tripwire']);
    expect(JSON.stringify(await run.end())).not.toContain('secret');
  });

  test.each(held)(
    'with a retry, and release: %s, leaves only the other answer, and nothing is retracted',
    async (release) => {
      const agent: Partial<Agent> = { release, maxProcessorRetries: 1 };
      const { begin, apply } = driver({ text: 'A secret.' }, { text: 'Nothing.' });
      const plan = await judgeBy('processOutputStep', { ...abort, retry: true });
      const run = await begin({ agent: await apply(agent, plan) });
      await run.drive();
      expect(makeText(run.chunks())).toBe('Nothing.');
      expect(listTypes(run.chunks())).not.toContain('retract');
      expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Nothing.' } });
    },
  );
});

test('a run that releases by result and is rejected in its second step shows nothing of its first', async () => {
  serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
  const { begin, apply } = driver({ text: 'Let me see.', calls }, { text: 'A secret.' });
  const plan = { ...(await judgeBy('processOutputStep', goOn, abort)), tools: [look] };
  const run = await begin({ agent: await apply({ release: 'result' }, plan) });
  await run.drive();
  expect(listTypes(run.chunks())).toEqual(['start', 'tripwire']);
  expect(JSON.stringify(await run.end())).not.toMatch(/Let me see|a wall/);
});

test('a run that releases by step publishes each step when it is judged, and a tool’s result when that is judged', async () => {
  const letGo = Promise.withResolvers<void>();
  serveTool(connection.bus, 'look', async () => {
    await letGo.promise;
    return { result: { seen: 'a wall' } };
  });
  const { begin, apply } = driver({ text: 'Let me see.', calls }, { text: 'A wall.' });
  const run = await begin({ agent: await apply({ release: 'step' }, { ...makePlan([]), tools: [look] }) });
  const driving = run.drive();
  await eventually(() => makeText(run.chunks()) === 'Let me see.');
  letGo.resolve();
  await driving;
  expect(makeText(run.chunks())).toBe('Let me see.A wall.');
  expect(listTypes(run.chunks())).toContain('tool-result');
  expect((await run.head())?.nextIndex).toBe(run.chunks().length);
  expect(await replay(run)).toEqual(run.chunks());
});

describe('an end that interrupts the run', () => {
  const makeEnd = async (release: Agent['release']) => {
    const { begin, apply } = driver(hung);
    const run = await begin({ agent: await apply({ release }) });
    const driving = run.drive();
    await eventually(async () => (await run.head())?.records === 1);
    run.stop.stop('cancelled');
    await driving;
    return run;
  };

  test.each(held)('drops all buffered chunks with release: %s', async (release) => {
    const run = await makeEnd(release);
    expect(listTypes(run.chunks())).toEqual(['start', 'abort']);
    expect(await run.end()).toMatchObject({ result: { status: 'cancelled', text: '', messages: [] } });
  });

  test('keeps the text that a halt cut off in mid-stream invisible', async () => {
    const { begin, apply } = driver({ text: 'A secret.' });
    const plan = makePlan([planEntry('halting', { stages: ['processOutputStream'] })]);
    const run = await begin({ agent: await apply({ release: 'step' }, plan) });
    await run.drive();
    expect(makeText(run.chunks())).toBe('Something else.');
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Something else.' } });
  });
});

describe('a run that is taken over', () => {
  test('publishes the chunks that earlier owners had buffered, once and in order', async () => {
    serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
    const first = driver({ text: 'Let me see.', calls }, hung);
    const agent = await first.apply({ release: 'result' }, { ...makePlan([]), tools: [look] });
    const run = await first.begin({ agent });
    void run.drive().catch(() => undefined);
    await eventually(() => first.asked.length === 2);
    run.fence();
    const second = driver({ text: 'A wall.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    await connection.bus.nc.flush();
    expect(second.asked).toHaveLength(1);
    expect(makeText(run.chunks())).toBe('Let me see.A wall.');
    const types = listTypes(await replay(run));
    expect(types.slice(0, 5)).toEqual(['start', 'step-start', 'text-start', 'text-delta', 'text-end']);
    expect(types.filter((type) => type === 'step-finish')).toHaveLength(2);
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Let me see.A wall.' } });
  });

  test('rejects its step alone: the buffered chunks of earlier steps stay', async () => {
    serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
    const first = driver({ text: 'Let me see.', calls }, hung);
    const plan = { ...(await judgeBy('processOutputStep', goOn, { ...abort, retry: true })), tools: [look] };
    const run = await first.begin({ agent: await first.apply({ release: 'result', maxProcessorRetries: 1 }, plan) });
    void run.drive().catch(() => undefined);
    await eventually(() => first.asked.length === 2);
    run.fence();
    const second = driver({ text: 'A secret.' }, { text: 'A wall.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    await connection.bus.nc.flush();
    expect(makeText(run.chunks())).toBe('Let me see.A wall.');
    expect(JSON.stringify(run.chunks())).not.toContain('secret');
  });
});

describe('a run that is suspended while its answer is judged', () => {
  const ask: Verdict = { type: 'suspend', payload: { question: 'Say it?' } };
  const putAway = async (after: Verdict) => {
    const { begin, apply } = driver({ text: 'A secret.' });
    const plan = await judgeBy('processOutputStep', ask, after);
    const run = await begin({ agent: await apply({ release: 'step' }, plan) });
    await run.drive();
    await becomes(run, 'suspended');
    expect(listTypes(run.chunks())).toEqual(['start', 'suspended']);
    expect(JSON.stringify(await run.end())).not.toContain('secret');
    const [asked] = await pending(run);
    orchestrator({ text: 'never said' });
    await resume(run, asked?.resumeToken ?? '', true);
    await eventually(async () => (await run.end())?.result.status !== 'suspended');
    return run;
  };

  test('publishes the answer when it was resumed and judged', async () => {
    const run = await putAway(goOn);
    await becomes(run, 'finished');
    await eventually(() => makeText(run.chunks()) === 'A secret.');
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'A secret.' } });
  });

  test('publishes nothing of an answer that is rejected after the resumption', async () => {
    const run = await putAway(abort);
    await becomes(run, 'aborted');
    expect(JSON.stringify([run.chunks(), await replay(run), await run.end()])).not.toContain('secret');
  });
});
