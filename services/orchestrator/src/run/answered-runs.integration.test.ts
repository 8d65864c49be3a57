// Suspensions combined with lost owners, tools that ask, and answers that guards reject.
import { stateKeys, type Plan, type StageCall, type ToolRequest, type Verdict } from '@millrace/contracts';
import { deleteEntry, locateEntry } from '@millrace/bus';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listTypes } from '../testing/chunks.ts';
import { ask, gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { createRunStop } from '../state/run-stop.ts';
import { askCancel } from '../state/run-store.ts';
import { driveRun } from '../takeover/drive-run.ts';

const nats = useNats();
/** Stops a run at a forbidden word in a tool's result, and drops a result that is only suspicious. */
const listener = defineMethods('listener', {
  processOutputStream: async ({ part, abort }) => {
    const text = part.type === 'tool-result' ? JSON.stringify(part.payload.result) : '';
    if (text.includes('bad')) return abort('a bad word');
    return text.includes('odd') ? undefined : part;
  },
});
useProcessors(nats, [listener], 'guards');
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

const asking = (idempotent: boolean) => ({
  name: 'ask',
  description: 'asks',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.ask',
  idempotent,
  timeoutMs: 20_000,
});
const calls = (...ids: string[]) =>
  ids.map((toolCallId) => ({ toolCallId, toolName: 'ask', input: JSON.stringify({ id: toolCallId }) }));

/** A tool that asks, and does its work once it was answered; the calls that reached it. */
function serveAsk(until: Promise<unknown> = Promise.resolve()): ToolRequest[] {
  const received: ToolRequest[] = [];
  runs.serveTool(connection.bus, 'ask', async (request) => {
    received.push(request);
    if (request.resumeData === undefined) return { suspended: { payload: request.toolCall.args } };
    await until;
    return { result: { did: request.resumeData } };
  });
  return received;
}

async function suspendRun(plan: Plan, more: object = {}, ...script: Parameters<typeof runs.driver>) {
  const driver = runs.driver(...(script.length > 0 ? script : [{ text: 'never' }]));
  const run = await driver.begin({ agent: await driver.apply(more, plan) });
  await run.drive();
  return { run, driver, token: (await runs.pending(run))[0]?.resumeToken ?? '' };
}

describe.each([true, false])('a tool that asks (idempotent: %s)', (idempotent) => {
  test('is called again with each answer and the same arguments; results are in call order', async () => {
    const received = serveAsk();
    const plan: Plan = { ...makePlan([]), tools: [asking(idempotent)] };
    const { run } = await suspendRun(plan, { questions: ['ask'] }, { calls: calls('a', 'b') });
    const shown = runs.listShown(run);
    expect(shown.map(({ kind, by, payload }) => [kind, by, payload])).toEqual([
      ['question', 'ask', { id: 'a' }],
      ['question', 'ask', { id: 'b' }],
    ]);
    runs.orchestrator({ text: 'Done.' });
    await runs.api().answer({ token: shown[1]?.resumeToken ?? '', data: 'second' }, runs.address(run));
    await eventually(async () => (await runs.pending(run)).length === 1);
    await expect.poll(run.head).toMatchObject({ status: 'suspended', epoch: 2 });
    await runs.api().answer({ token: shown[0]?.resumeToken ?? '', data: 'first' }, runs.address(run));
    await runs.becomes(run, 'finished');
    const results = (await run.end())?.result.steps[0]?.toolResults;
    expect(results?.map(({ result }) => result)).toEqual([{ did: 'first' }, { did: 'second' }]);
    const asked = received.map(({ toolCall, resumeData }) => [toolCall.toolCallId, resumeData]);
    // Calls of one model answer run concurrently.
    expect(new Set(asked.slice(0, 2).map(([id]) => id))).toEqual(new Set(['a', 'b']));
    expect(asked.slice(2)).toEqual([
      ['b', 'second'],
      ['a', 'first'],
    ]);
  });
});

test('two answers that arrive at the same time both count, and neither command is needed twice', async () => {
  serveAsk();
  const plan: Plan = { ...makePlan([]), tools: [asking(true)] };
  const { run } = await suspendRun(plan, {}, { calls: calls('a', 'b', 'c') });
  runs.orchestrator({ text: 'Done.' });
  const pending = await runs.pending(run);
  await Promise.all(pending.map(({ resumeToken, id }) => runs.resume(run, resumeToken, id)));
  await runs.becomes(run, 'finished');
  expect((await run.end())?.result.steps[0]?.toolResults).toHaveLength(3);
});

describe('a lost owner', () => {
  test('that was lost between the question and the suspension: the next owner suspends the run without asking again', async () => {
    const gate = gateStage(connection.bus, 'processOutputStep');
    const first = runs.driver({ text: 'Hello.' });
    const run = await first.begin({ agent: await first.apply({}, gate.plan) });
    const driving = run.drive().catch(() => undefined);
    await eventually(() => gate.listCalled().length === 2);
    run.fence();
    await driving;
    const second = runs.driver({ text: 'Hello.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    expect(await runs.readStatus(run)).toBe('suspended');
    expect(await runs.pending(run)).toHaveLength(1);
  });

  test("that was lost between the run's end and its last chunk: the last chunk is published again", async () => {
    serveAsk();
    const plan: Plan = { ...makePlan([]), tools: [asking(true)] };
    const { run, token } = await suspendRun(plan, {}, { calls: calls('a') });
    await runs.resume(run, token, 'yes');
    const taken = await runs.nextCommand(run);
    await driveRun(runs.driver({ text: 'Done.' }).deps, taken, createRunStop());
    await connection.bus.nc.flush();
    const said = run.live.at(-1);
    expect(said).toMatchObject({ epoch: 2, chunks: [{ type: 'finish' }] });
    await driveRun(runs.driver({ text: 'never' }).deps, taken, createRunStop());
    await connection.bus.nc.flush();
    expect(run.live.slice(-2)).toEqual([said, { ...said, chunks: said?.chunks.slice(-1) }]);
  });

  test('that was lost after the resumption: the next owner has the answer too', async () => {
    const until = Promise.withResolvers<void>();
    const received = serveAsk(until.promise);
    const plan: Plan = { ...makePlan([]), tools: [asking(true)] };
    const { run, token } = await suspendRun(plan, {}, { calls: calls('a') });
    await runs.resume(run, token, 'yes');
    const taken = await runs.nextCommand(run);
    const lost = createRunStop();
    const driving = driveRun(runs.driver({ text: 'never' }).deps, taken, lost).catch(() => undefined);
    await eventually(() => received.length === 2);
    lost.fence();
    until.resolve();
    await driving;
    await driveRun(runs.driver({ text: 'Done.' }).deps, taken, createRunStop());
    expect((await run.end())?.result).toMatchObject({ status: 'finished', text: 'Done.' });
    expect(received.at(-1)?.resumeData).toBe('yes');
    expect((await run.head())?.epoch).toBe(3);
  });
});

describe('an answer to a processor', () => {
  const listening = () => {
    const received: StageCall[] = [];
    const script = (call: StageCall): Verdict[] => {
      received.push(call);
      return [call.entries[0]?.resumeData === undefined ? ask() : goOn];
    };
    scriptReplica(connection.bus, 'processInput', ['gate'], script);
    const entries = [
      planEntry('gate', { stages: ['processInput'] }),
      planEntry('listener', { stages: ['processOutputStream'], lists: ['output'] }),
    ];
    return { plan: makePlan(entries), received };
  };

  test('that the output chain rejects stops the run before the processor sees it', async () => {
    const { plan, received } = listening();
    const { run, token } = await suspendRun(plan);
    runs.orchestrator({ text: 'never' });
    await runs.resume(run, token, 'a bad thing');
    await runs.becomes(run, 'aborted');
    expect(received).toHaveLength(1);
    expect((await run.end())?.result.tripwire).toMatchObject({ processorId: 'listener' });
  });

  test.each([
    ['drops is null', 'an odd thing', null],
    ['passes is delivered unchanged', { fine: 1 }, { fine: 1 }],
  ])('that the output chain %s', async (_what, data, seen) => {
    const { plan, received } = listening();
    const { run, token } = await suspendRun(plan);
    runs.orchestrator({ text: 'Hello.' });
    await runs.resume(run, token, data);
    await runs.becomes(run, 'finished');
    expect(received[1]?.entries[0]?.resumeData).toEqual(seen);
  });
});

test('a run that is cancelled during its suspension is cancelled, and its command need not be redelivered', async () => {
  const gate = gateStage(connection.bus, 'processInput');
  const { run, driver } = await suspendRun(gate.plan);
  // Its owner checked at its checkpoint; the key was written after that.
  await askCancel(stream.access, 'acme', run.runId);
  await driveRun(driver.deps, run.delivery, createRunStop());
  expect(await runs.readStatus(run)).toBe('cancelled');
});

test("a returning follower receives the open questions even if the run's chunks have expired", async () => {
  const gate = gateStage(connection.bus, 'processInput');
  const { run, token } = await suspendRun(gate.plan, { questions: ['gate'] });
  await stream.access.jsm.streams.purge(connection.bus.names.chunks(0));
  expect(await runs.api().run({}, runs.address(run))).toMatchObject({
    status: 'suspended',
    pending: [{ kind: 'question', payload: { question: 'sure?' }, resumeToken: token }],
  });
});

test('a run with a lost record during the suspension fails by name when it is answered', async () => {
  const gate = gateStage(connection.bus, 'processInput');
  const { run, token } = await suspendRun(gate.plan);
  const { state } = connection.bus.names;
  const key = stateKeys.record('acme', run.runId, '1-0-1');
  const { revision } = await locateEntry(stream.access, state, key, z.unknown());
  await deleteEntry(stream.access, state, key, revision);
  runs.orchestrator({ text: 'never' });
  await runs.resume(run, token, 1);
  await runs.becomes(run, 'failed');
  expect((await run.end())?.result.error?.code).toBe('run-state-unreadable');
  expect(listTypes(run.chunks()).at(-1)).toBe('error');
});
