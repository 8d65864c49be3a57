// A parallel group at a stage, over the real bus: all members are asked at once, and the first that stops ends it for all.
import {
  cancelCallSchema,
  type Plan,
  type PlanEntry,
  type Stage,
  type StageCall,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { listen } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk } from '../testing/chunks.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { makeState } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { runStage } from '../stages/run-stage.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

type Answer = Verdict | Promise<Verdict>;
type Options = {
  stage?: Stage;
  more?: Partial<PlanEntry>;
  members?: string[];
  of?: Record<string, Partial<PlanEntry>>;
};
const never = new Promise<Verdict>(() => undefined);

/** Entries a, b, c, d: b and c are a group. Each answers according to the script. */
async function callGrouped(
  script: Record<string, Answer>,
  { stage = 'processInput', more = {}, members = ['b', 'c'], of = {} }: Options = {},
) {
  const names = ['a', 'b', 'c', 'd'];
  const received: StageCall[] = [];
  for (const name of names) {
    scriptReplica(connection.bus, stage, [name], async (call) => {
      received.push(call);
      return [await (script[name] ?? goOn)];
    });
  }
  const entries = names.map((name) =>
    planEntry(name, { stages: [stage], attempts: 1, reads: ['input'], ...more, ...of[name] }),
  );
  const plan: Plan = { ...makePlan(entries), groups: [{ list: 'input', members }] };
  const made = createTestRun({ bus: connection.bus, from: makeState({ plan }) });
  await connection.bus.nc.flush();
  const { conversation, retryCount } = made.run.getState();
  const input: StageInput = { retryCount, stepNumber: 0, conversation };
  const sunk: string[] = [];
  const sink = async (chunks: { type: string }[]) => void sunk.push(...chunks.map(({ type }) => type));
  const verdicts = () =>
    made.events.flatMap((event) =>
      event.event === 'stage' ? event.entries.map((one) => `${one.entry} ${one.verdict}`) : [],
    );
  return {
    ...made,
    received,
    sunk,
    verdicts,
    called: () => received.map((call) => call.entries.map(({ entry }) => entry).join('+')),
    ask: () => runStage(made.run, stage, input, { sink }),
  };
}
const abort = (reason: string): Verdict => ({ type: 'abort', reason });
const change: Verdict = { type: 'continue', changes: { ops: [{ op: 'remove', ids: ['m1'] }] } };

describe('a parallel group', () => {
  test('asks all its members at once, each in a call of its own, between the entries before and after it', async () => {
    const gate = Promise.withResolvers<Verdict>();
    const { ask, called, received } = await callGrouped(
      { b: gate.promise, c: gate.promise },
      { more: { timeoutMs: 20_000 } },
    );
    const asked = ask();
    await eventually(() => received.length === 3);
    expect(called().toSorted()).toEqual(['a', 'b', 'c']);
    gate.resolve(goOn);
    expect((await asked).interrupt).toBeUndefined();
    expect(called().at(-1)).toBe('d');
  });

  test('gives all members the result of the entries before it, and the entries after it the same', async () => {
    const { ask, received } = await callGrouped({ a: change });
    await ask();
    const seen = received.map(({ input }) => input.conversation?.entries.length);
    expect(seen).toEqual([1, 0, 0, 0]);
  });

  test.each<[Verdict, object]>([
    [abort('no'), { interrupt: { form: 'tripwire', tripwire: { reason: 'no', processorId: 'b' } } }],
    [{ type: 'halt', response: 'text' }, { interrupt: { form: 'halt', processorId: 'b' } }],
    [
      { type: 'failure', code: 'processor-failed', message: 'broken', retryable: false },
      { interrupt: { form: 'error', error: { path: 'processInput/b' } } },
    ],
  ])(
    'ends with the first member that stops (%j), and cancels the other calls at their replicas',
    async (verdict, meaning) => {
      const cancelled: string[] = [];
      const listening = listen(
        connection.bus,
        connection.bus.subjects.cancelCalls('guards'),
        cancelCallSchema,
        ({ callIds }) => cancelled.push(...callIds),
      );
      const { ask, received, called, verdicts } = await callGrouped({ b: verdict, c: never });
      expect(await ask()).toMatchObject(meaning);
      expect(called()).not.toContain('d');
      expect(verdicts()).toEqual(['a continue', `b ${verdict.type}`, 'c cancelled']);
      const call = received.find(({ entries }) => entries[0]?.entry === 'c');
      await eventually(() => cancelled.includes(call?.callId ?? ''));
      listening.stop();
    },
  );

  test('is stopped by the first member in time, whatever the order of the list is', async () => {
    const { ask } = await callGrouped({ b: never, c: abort('later, but sooner') });
    expect(await ask()).toMatchObject({ interrupt: { tripwire: { processorId: 'c' } } });
  });

  test('keeps state and violations of members that judged before', async () => {
    const gate = Promise.withResolvers<Verdict>();
    const judged: Verdict = { type: 'continue', state: { seen: 1 }, violations: [{ processorId: 'x', message: 'hm' }] };
    const { ask, run } = await callGrouped({ b: judged, c: gate.promise });
    const asked = ask();
    await eventually(() => run.getState().states['b'] !== undefined);
    gate.resolve(abort('no'));
    await asked;
    expect(run.getState()).toMatchObject({ states: { b: { seen: 1 } }, violations: [{ processorId: 'b' }] });
  });

  test.each<[string, Verdict]>([
    ['a change', change],
    ['a suspension', { type: 'suspend', payload: 'sure?' }],
    ['a halt with changes', { type: 'halt', response: 'x', changes: { ops: [{ op: 'remove', ids: ['m1'] }] } }],
  ])('rejects %s of a member by name', async (_what, verdict) => {
    const { ask, run } = await callGrouped({ c: verdict });
    expect(await ask()).toMatchObject({
      interrupt: {
        form: 'error',
        error: {
          code: 'processor-verdict-refused',
          path: 'processInput/c',
          message: expect.stringContaining('parallel group'),
        },
      },
    });
    expect(run.getState().conversation.entries).toHaveLength(1);
  });

  test('continues without a member that may be skipped', async () => {
    const { ask, verdicts } = await callGrouped({ b: change, c: goOn }, { more: { onFailure: 'skip' } });
    expect((await ask()).interrupt).toBeUndefined();
    expect(verdicts().toSorted()).toEqual(['a continue', 'b failure', 'c continue', 'd continue']);
  });

  test('lasts as long as its slowest member may: each member has its own time', async () => {
    const { ask } = await callGrouped(
      { b: never, c: never },
      { of: { b: { timeoutMs: 300 }, c: { timeoutMs: 400 } }, more: { onFailure: 'skip' } },
    );
    const started = performance.now();
    await ask();
    // In sequence they would take 700 ms; the delay of a busy machine is unknown.
    expect(performance.now() - started).toBeGreaterThan(390);
  });

  test('ends with the run', async () => {
    const { ask, stop, received } = await callGrouped({ b: never, c: never });
    const asked = ask();
    await eventually(() => received.length === 3);
    stop('cancelled');
    expect(await asked).toMatchObject({ interrupt: { form: 'cancel' } });
  });

  test('lets custom chunks of its members out when all have judged: they may pass one of them', async () => {
    const data: Verdict = { type: 'continue', data: [dataChunk('found', 1)] };
    const gate = Promise.withResolvers<Verdict>();
    const { ask, sunk, run } = await callGrouped(
      { b: { ...data, state: { done: 1 } }, c: gate.promise },
      { of: { c: { processDataParts: true, stages: ['processInput', 'processOutputStream'] } } },
    );
    const asked = ask();
    await eventually(() => run.getState().states['b'] !== undefined);
    expect(sunk).toEqual([]);
    gate.resolve(goOn);
    await asked;
    expect(sunk).toEqual(['data-found']);
  });
});

test('a member that denies a tool call ends the group, and the model receives the denial', async () => {
  const deny: Verdict = { type: 'deny', reason: 'no' };
  const { ask } = await callGrouped({ b: deny, c: never }, { stage: 'processToolCall' });
  expect(await ask()).toMatchObject({ stopped: { verdict: deny, entry: { entry: 'b' } } });
});
