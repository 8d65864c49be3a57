// Model calls with a dropped answer: each is counted once, by the provider's usage or by an estimate, and reported to
// the entries that count.
import type { StageCall, Verdict } from '@millrace/contracts';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { createRunStop } from '../state/run-stop.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import type { Say } from '../testing/scripted-model.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { driveRun } from '../takeover/drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const { driver } = useSuspendedRuns(useJetStream(connection));

/** The scripted model takes 3 tokens and gives 2: 11 of the unit. */
const prices = { 'openai/test': { input: 1_000_000, output: 4_000_000 } };
const COST = 11;
const never = new Promise<never>(() => undefined);
let heard = '';
beforeEach(() => void (heard = ''));

/** Stops bad texts. */
const judge = defineMethods('stream-judge', {
  processOutputStream: ({ part, abort }) => {
    if (part.type !== 'text-delta') return part;
    heard += part.payload.text;
    return part.payload.text.startsWith('Bad') ? abort('bad', { retry: true }) : part;
  },
});
useProcessors(nats, [judge]);
const response = 'processLLMResponse';

/** A run with an entry that counts the cost of calls, and one that only reads answers. */
async function driveCounted(script: Say[], agent: object = {}, answer: (call: StageCall) => Verdict = () => goOn) {
  const made = driver(...script);
  const count: Verdict = { type: 'continue', state: { counted: true } };
  const counter = scriptReplica(connection.bus, response, ['counter'], () => [count]);
  const reader = scriptReplica(connection.bus, response, ['reader'], (call) => [answer(call)]);
  await connection.bus.nc.flush();
  const plan = makePlan([
    planEntry('stream-judge', { service: 'test-processors', lists: ['output'], stages: ['processOutputStream'] }),
    planEntry('reader', { stages: [response] }),
    planEntry('counter', { stages: [response], processCutOff: true }),
  ]);
  const run = await made.begin({ agent: await made.apply({ prices, ...agent }, plan) });
  const listTold = () =>
    counter.received.map(({ input: { modelCall, cutOff = false, usage, chunks } }) => ({
      modelCall,
      cutOff,
      estimated: usage?.estimated ?? false,
      cost: usage?.cost ?? 0,
      chunks: chunks?.length ?? 0,
    }));
  const result = async () => (await run.end())?.result;
  return { ...made, run, told: listTold, read: () => reader.received.length, result };
}

const isCut = { modelCall: 1, cutOff: true, estimated: true, cost: expect.any(Number), chunks: 0 };

describe('a model call that is cut off', () => {
  test('by a processor of the stream is counted by an estimate and reported only to the counting entry', async () => {
    const { run, told, read, result } = await driveCounted([{ text: 'Bad words.', until: never }]);
    await run.drive();
    const { status, usage } = (await result()) ?? {};
    expect([status, usage]).toMatchObject(['aborted', { outputTokens: 3, estimated: true }]);
    expect(usage?.cost).toBe((usage?.inputTokens ?? 0) + 4 * 3);
    expect(told()).toEqual([isCut]);
    expect(read()).toBe(0);
  });

  test('and repeated is counted together with the accepted call, in the result and in the last chunk', async () => {
    const script = [{ text: 'Bad words.', until: never }, { text: 'Good.' }];
    const { run, told, result } = await driveCounted(script, { maxProcessorRetries: 1 });
    await run.drive();
    const [cut, whole] = told();
    expect([cut, whole]).toMatchObject([isCut, { modelCall: 2, cutOff: false, estimated: false, cost: COST }]);
    const usage = { cost: (cut?.cost ?? 0) + COST, outputTokens: 3 + 2, estimated: true };
    const { steps, ...ended } = (await result()) ?? {};
    expect(ended).toMatchObject({ status: 'finished', text: 'Good.', usage });
    expect(steps?.[0]?.usage).toEqual(expect.not.objectContaining({ estimated: true }));
    expect(run.chunks().at(-1)).toMatchObject({ type: 'finish', payload: { output: { usage } } });
  });

  test.each(['cancelled', 'deadline'] as const)(
    'because the run was stopped (%s) is counted and reported',
    async (why) => {
      const { run, told, result } = await driveCounted([{ text: 'And', until: never }]);
      const driving = run.drive();
      await eventually(() => heard === 'And');
      run.stop.stop(why);
      await driving;
      expect((await result())?.usage).toMatchObject({ outputTokens: 1, estimated: true, cost: expect.any(Number) });
      expect(told()).toEqual([isCut]);
    },
  );

  test('by its provider after some text is counted, and so is the next one', async () => {
    const busy = { message: 'busy', type: 'server_error' };
    const { run, told, result } = await driveCounted([{ text: 'Half of', breaksOff: busy }, { text: 'Whole.' }]);
    await run.drive();
    expect(told()).toMatchObject([isCut, { modelCall: 2, cutOff: false, cost: COST }]);
    expect(await result()).toMatchObject({ text: 'Whole.', usage: { outputTokens: 2 + 2, estimated: true } });
  });

  test('by its provider before any text costs nothing', async () => {
    const { run, told, result } = await driveCounted([{ error: new Error('refused') }]);
    await run.drive();
    expect(await result()).toMatchObject({ status: 'failed', usage: {} });
    expect([(await result())?.usage, told()]).toEqual([{}, []]);
  });

  test('together with its owner is counted once: by the call that replaces it', async () => {
    const first = await driveCounted([{ text: 'And', until: never }]);
    const driving = first.run.drive().catch(() => undefined);
    await eventually(() => heard === 'And');
    first.run.fence();
    await driving;
    await driveRun(driver({ text: 'Whole.' }).deps, first.run.delivery, createRunStop());
    const { usage } = (await first.result()) ?? {};
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 2, totalTokens: 5, cost: COST });
    expect(usage).not.toHaveProperty('estimated');
    expect(first.told()).toMatchObject([{ modelCall: 1, cutOff: false, cost: COST }]);
  });
});

test('an answer that another processor stops before the counting entry sees it is reported too', async () => {
  const stop: Verdict = { type: 'abort', reason: 'no' };
  const { run, told, result } = await driveCounted([{ text: 'Whole.' }], {}, () => stop);
  await run.drive();
  expect(await result()).toMatchObject({ status: 'aborted', usage: { cost: COST } });
  expect(told()).toEqual([{ modelCall: 1, cutOff: true, estimated: false, cost: COST, chunks: 0 }]);
});
