// Budgets of money over a real bucket: the cost of concurrent runs of several orchestrators, and the members of a refusal.
import { readEntry, type JetStreamAccess } from '@millrace/bus';
import type { RunEnd } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readEvents } from '../api/read-run.ts';
import type { BudgetRules } from '../budgets/budget-rules.ts';
import { openBudgets } from '../budgets/budgets.ts';
import { ledgerSchema, LEASE_MS } from '../budgets/ledger.ts';
import { createRunStop } from '../state/run-stop.ts';
import { driveRun } from '../takeover/drive-run.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import type { Say } from '../testing/scripted-model.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

/** The scripted model takes 3 tokens and gives 2, so a call costs 1; the prompt is estimated as some tokens more. */
const prices = { 'openai/test': { input: 100_000, output: 350_000 } };
const COST = 1;
const modelSettings = { maxOutputTokens: 2 };
/** Of the input: the estimate is above the 3 tokens of the provider. */
const MAX_RESERVED = 12;

const perAgent = (day: number): BudgetRules => ({ budgets: [{ per: 'agent', day }], prices: {} });

type OrchestratorOptions = { rules: BudgetRules; name?: string; skipMs?: () => number; roomWaitMs?: number };

/** An orchestrator with an identity of its own. */
function openOrchestrator(
  { rules, name = 'one', skipMs = () => 0, roomWaitMs }: OrchestratorOptions,
  ...script: Say[]
) {
  const { bus, clock } = stream.access;
  const id = `${name}-${crypto.randomUUID().slice(0, 8)}`;
  const access: JetStreamAccess = {
    ...stream.access,
    bus: { ...bus, id },
    clock: { ...clock, now: () => clock.now() + skipMs() },
  };
  const made = createDriver({ access: stream.access }, ...script);
  const wait = roomWaitMs === undefined ? {} : { roomWaitMs };
  const budgets = openBudgets({ access, rules, log: { warn: () => undefined }, ...wait });
  made.deps.budgets = budgets;
  onTestFinished(() => budgets.stop());
  return { ...made, budgets };
}

const readLedger = async (agent: string) =>
  (await readEntry(stream.access, stream.access.bus.names.budgets, `acme.agent.${agent}`, ledgerSchema))?.value;
const readSpent = async (agent: string) => ((await readLedger(agent))?.day.spent ?? 0) / 1e9;
const countHeld = async (agent: string) =>
  Object.values((await readLedger(agent))?.holders ?? {}).reduce((sum, { held }) => sum + held, 0);

const readCode = (end: RunEnd | undefined) => end?.result.error?.code ?? end?.result.status;

describe('A budget', () => {
  test('500 concurrent runs of two orchestrators never spend more than a budget of 100, and the others are refused with its reset', async () => {
    const rules = perAgent(100);
    const orchestrators = [
      openOrchestrator({ rules, name: 'one' }, { text: 'Hello.' }),
      openOrchestrator({ rules, name: 'two' }, { text: 'Hello.' }),
    ];
    const agent = (await orchestrators[0]?.apply({ prices, modelSettings })) ?? '';
    const ends = await Promise.all(
      Array.from({ length: 500 }, async (_, at) => {
        const run = await orchestrators[at % 2]?.begin({ agent });
        await run?.drive();
        return run?.end();
      }),
    );
    await eventually(async () => expect(await countHeld(agent)).toBe(0));
    const calls = orchestrators.reduce((sum, { asked }) => sum + asked.length, 0);
    expect(await readSpent(agent)).toBe(calls * COST);
    expect(calls * COST).toBeLessThanOrEqual(100);
    expect(calls * COST).toBeGreaterThan(100 - MAX_RESERVED);
    expect(ends.filter((end) => readCode(end) === 'finished')).toHaveLength(calls);
    const refused = ends.filter((end) => readCode(end) === 'budget-exceeded');
    expect(refused).toHaveLength(500 - calls);
    expect(refused[0]?.result.error).toMatchObject({
      message: 'The budget of the agent for the day is spent.',
      remedy: expect.stringMatching(/^Submit again after \d{4}-\d\d-\d\dT00:00:00.000Z/),
      retryAfterMs: expect.any(Number),
    });
  });

  test('Calls wait for room that other calls hold, and are refused for a short time if none returns', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const made = openOrchestrator(
      { rules: perAgent(MAX_RESERVED * 1.5), roomWaitMs: 0 },
      { text: 'Hello.', until: promise },
    );
    const agent = await made.apply({ prices, modelSettings: { maxOutputTokens: 20 } });
    const [first, second] = [await made.begin({ agent }), await made.begin({ agent })];
    const driving = first.drive();
    await eventually(() => expect(made.asked).toHaveLength(1));
    await second.drive();
    expect((await second.end())?.result.error).toMatchObject({ code: 'budget-reserved', retryAfterMs: 5_000 });
    resolve();
    await driving;
    const third = await made.begin({ agent });
    await third.drive();
    expect(readCode(await third.end())).toBe('finished');
  });

  test('The run of a lost orchestrator continues elsewhere: both calls count, and the reservation ends', async () => {
    let ahead = 0;
    const rules = perAgent(100);
    const hung: Say = { text: 'Hel', until: new Promise(() => undefined) };
    const lost = openOrchestrator({ rules, name: 'lost' }, hung);
    const next = openOrchestrator({ rules, name: 'next', skipMs: () => ahead }, { text: 'Hello.' });
    const agent = await lost.apply({ prices, modelSettings });
    const run = await lost.begin({ agent });
    void run.drive().catch(() => undefined);
    await eventually(() => expect(lost.asked).toHaveLength(1));
    const reserved = (await countHeld(agent)) / 1e9;
    expect(reserved).toBeGreaterThan(COST);
    await lost.budgets.stop();
    run.fence();
    ahead = LEASE_MS + 1_000;
    await driveRun(next.deps, run.delivery, createRunStop());
    expect(readCode(await run.end())).toBe('finished');
    await eventually(async () => expect(await countHeld(agent)).toBe(0));
    expect(await readSpent(agent)).toBeCloseTo(reserved + COST, 6);
  });

  test('The first call after 80 % of a budget is an event', async () => {
    const made = openOrchestrator({ rules: perAgent(33) }, { text: 'Hello.', tokens: 60 }, { text: 'Hello.' });
    const agent = await made.apply({ prices, modelSettings });
    const notices = [];
    while (notices.length < 3) {
      const run = await made.begin({ agent });
      await run.drive();
      await eventually(async () => expect(await countHeld(agent)).toBe(0));
      const head = await run.head();
      const { events } = head ? await readEvents(stream.access, head, { after: 0, limit: 100 }) : { events: [] };
      notices.push(events.filter(({ event }) => event === 'budget'));
    }
    expect(notices).toMatchObject([[], [{ scope: 'agent', window: 'day' }], []]);
  });

  test('Calls of processors count at the price of their model, and at the highest price if it is unknown', async () => {
    const made = openOrchestrator({ rules: perAgent(100) }, { text: 'Hello.' });
    const usage = {
      modelCalls: 3,
      inputTokens: 60,
      models: [
        { model: 'openai/guard', modelCalls: 1, inputTokens: 40 },
        { model: 'openai/unpriced', modelCalls: 1, inputTokens: 10 },
      ],
    };
    scriptReplica(connection.bus, 'processInput', ['judge'], () => [{ ...goOn, usage }]);
    await connection.bus.nc.flush();
    const plan = makePlan([planEntry('judge', { stages: ['processInput'] })]);
    const guard = { 'openai/guard': { input: 50_000, output: 0 } };
    const agent = await made.apply({ prices: { ...prices, ...guard }, modelSettings }, plan);
    const run = await made.begin({ agent });
    await run.drive();
    expect((await run.end())?.result.usage.processors).toEqual([
      { entry: 'judge', modelCalls: 3, inputTokens: 60, outputTokens: 0 },
    ]);
    // 40 tokens at 0.05, and 20 at the highest price of 0.1.
    await eventually(async () => expect(await readSpent(agent)).toBe(COST + 4));
  });

  test('A budget that is spent refuses submissions and checks, those of operators included', async () => {
    const made = openOrchestrator({ rules: { budgets: [{ per: 'subject', day: 1 }], prices: {} } });
    const operator = { tenant: 'acme', agent: 'any' };
    await expect(made.budgets.refuseSpent(operator)).resolves.toBeUndefined();
    made.budgets.charge(operator, 1);
    await eventually(() =>
      expect(made.budgets.refuseSpent(operator)).rejects.toMatchObject({ code: 'budget-exceeded' }),
    );
    await expect(made.budgets.refuseSpent({ ...operator, caller: 'c1', subject: 'ada' })).resolves.toBeUndefined();
  });

  test('A model without a price is not called if a budget applies', async () => {
    const made = openOrchestrator({ rules: perAgent(30) }, { text: 'Hello.' });
    const agent = await made.apply({});
    const run = await made.begin({ agent });
    await run.drive();
    expect(made.asked).toHaveLength(0);
    expect((await run.end())?.result.error).toMatchObject({ code: 'model-unpriced', path: 'prices' });
  });
});
