// The cost of a run: each model call counts once, accepted or not, across all owners.
import type { Stage, StageCall, Verdict } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createRunStop } from '../state/run-stop.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { driveRun } from '../takeover/drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, serveTool } = useSuspendedRuns(stream);

/** The scripted model takes 3 tokens and gives 2: 11 of the unit. */
const prices = { 'openai/test': { input: 1_000_000, output: 4_000_000 } };
const COST = 11;

async function seenBy(stage: Stage, answer: (call: StageCall, count: number) => Verdict, processor = 'judge') {
  let asked = 0;
  const replica = scriptReplica(connection.bus, stage, [processor], (call) => [answer(call, asked++)]);
  await connection.bus.nc.flush();
  return { ...replica, plan: makePlan([planEntry(processor, { stages: [stage], attempts: 1, reads: ['steps'] })]) };
}
const calls = lookCalls();
const look = lookTool();

describe('the cost of a run', () => {
  test('is in its result, its steps and its last chunk; without prices there is none', async () => {
    const { begin, apply } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply({ prices }) });
    await run.drive();
    expect((await run.end())?.result).toMatchObject({ usage: { cost: COST }, steps: [{ usage: { cost: COST } }] });
    expect(run.chunks().at(-1)).toMatchObject({ payload: { output: { usage: { cost: COST } } } });
    const free = await begin({ agent: await apply() });
    await free.drive();
    expect((await free.end())?.result.usage).not.toHaveProperty('cost');
  });

  test.each([-1_000_000, 1e308, 2.5])('is unknown if a provider counts %d tokens', async (tokens) => {
    const { begin, apply } = driver({ text: 'Hello.', tokens });
    const run = await begin({ agent: await apply({ prices }) });
    await run.drive();
    const { result } = (await run.end()) ?? {};
    expect(result).toMatchObject({ status: 'finished', text: 'Hello.' });
    expect(result?.usage).not.toHaveProperty('cost');
    expect(result?.usage).not.toHaveProperty('totalTokens');
  });

  test('includes an answer that was rejected and repeated', async () => {
    const { begin, apply } = driver({ text: 'No.' }, { text: 'Yes.' });
    const retry: Verdict = { type: 'abort', reason: 'no', retry: true };
    const { plan } = await seenBy('processOutputStep', (_, count) => (count === 0 ? retry : goOn));
    const run = await begin({ agent: await apply({ prices, maxProcessorRetries: 1 }, plan) });
    await run.drive();
    expect((await run.end())?.result).toMatchObject({ text: 'Yes.', usage: { cost: 2 * COST } });
  });

  test('includes an answer for which the run was stopped', async () => {
    const { begin, apply } = driver({ text: 'No.' });
    const { plan } = await seenBy('processOutputStep', () => ({ type: 'abort', reason: 'no' }));
    const run = await begin({ agent: await apply({ prices }, plan) });
    await run.drive();
    expect((await run.end())?.result).toMatchObject({ status: 'aborted', usage: { cost: COST } });
  });

  test('includes calls of an earlier owner once', async () => {
    serveTool(connection.bus, 'look', async () => ({ result: 1 }));
    const first = driver({ text: 'Let me see.', calls }, { text: 'And', until: new Promise(() => undefined) });
    const run = await first.begin({ agent: await first.apply({ prices }, { ...makePlan([]), tools: [look] }) });
    void run.drive().catch(() => undefined);
    await eventually(() => first.asked.length === 2);
    run.fence();
    await driveRun(driver({ text: 'A wall.' }).deps, run.delivery, createRunStop());
    expect((await run.end())?.result).toMatchObject({ status: 'finished', usage: { cost: 2 * COST } });
  });
});

test('processLLMResponse receives the cost of the call and its number, which differs for each call', async () => {
  const { begin, apply } = driver({ text: 'No.' }, { text: 'Yes.' });
  const seen = await seenBy('processLLMResponse', (_, count) =>
    count === 0 ? { type: 'abort', reason: 'no', retry: true } : goOn,
  );
  const run = await begin({ agent: await apply({ prices, maxProcessorRetries: 1 }, seen.plan) });
  await run.drive();
  expect(seen.received.map(({ input }) => [input.modelCall, input.usage?.cost])).toEqual([
    [1, COST],
    [2, COST],
  ]);
});

describe('a model without a price', () => {
  const model = 'openai/dear';

  test('is not called if a cost guard is listed, also if a processor chose the model', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const chosen = await seenBy('processInputStep', () => ({ type: 'continue', changes: { model } }), 'cost-guard');
    const run = await begin({ agent: await apply({ prices }, chosen.plan) });
    await run.drive();
    expect(asked).toEqual([]);
    expect((await run.end())?.result).toMatchObject({ status: 'failed', error: { code: 'model-unpriced' } });
  });

  test('is asked if no entry limits costs', async () => {
    const { begin, apply } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply({ prices, model }) });
    await run.drive();
    expect((await run.end())?.result).toMatchObject({ status: 'finished' });
  });
});
