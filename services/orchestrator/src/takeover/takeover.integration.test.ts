// A run with a lost owner continues from its last checkpoint with the agent that it began with; entries that no head
// names do not count.
import { buildAgentKey, stateKeys, type Plan, type StageCall, type ToolRequest } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { submitRun } from '../api/submit-run.ts';
import { createDeadLettersApi } from '../api/dead-letters-api.ts';
import { loadRun } from '../state/load-run.ts';
import { readHead } from '../head/run-head.ts';
import { createRunStop } from '../state/run-stop.ts';
import { askCancel, buildRecordName } from '../state/run-store.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { makeText, listTypes } from '../testing/chunks.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { createHead as testHead } from '../testing/run-heads.ts';
import { makeAgent } from '../testing/run-states.ts';
import type { Say } from '../testing/scripted-model.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { serveTool } from '../testing/test-servings.ts';
import { driveRun } from './drive-run.ts';
import { MAX_TAKEOVERS } from './claim-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const withTool = (idempotent = false): Plan => ({ ...makePlan([]), tools: [lookTool({ idempotent })] });
const calls = lookCalls();

/** Calls that reached the tool; the first one is not answered before `until`. */
function serveLook(until: Promise<void> = Promise.resolve()): ToolRequest[] {
  const received: ToolRequest[] = [];
  serveTool(connection.bus, 'look', async (request) => {
    const seen = received.push(request);
    if (seen === 1) await until;
    return { result: { seen } };
  });
  return received;
}

const driver = (...script: Say[]) => createDriver(stream, ...script);

/** A model that has sent its last text and then nothing, until its owner is lost. */
const hung = (say: Say): Say => ({ ...say, until: new Promise(() => undefined) });

const makeHead = async (run: DrivenRun) => {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  return head;
};

describe('a run that is taken over', () => {
  test('repeats its second step only: earlier answers and tool results are kept', async () => {
    const received = serveLook();
    const first = driver({ text: 'Let me see.', calls }, hung({ text: 'It is' }));
    const run = await first.begin({ agent: await first.apply({}, withTool()) });
    void run.drive().catch(() => undefined);
    await eventually(() => makeText(run.chunks()) === 'Let me see.It is');
    run.fence();

    const second = driver({ text: 'It is noon.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Let me see.It is noon.' } });
    expect(second.asked).toHaveLength(1);
    expect(JSON.stringify(second.asked[0]?.prompt)).toContain('"seen":1');
    expect(received).toHaveLength(1);
    expect((await run.end())?.result.usage.totalTokens).toBe(10);
  });

  test('begins its epoch with a retract of the chunks after the checkpoint', async () => {
    const first = driver(hung({ text: 'It is' }));
    const run = await first.begin({ agent: await first.apply() });
    void run.drive().catch(() => undefined);
    await eventually(() => makeText(run.chunks()) === 'It is');
    run.fence();
    await driveRun(driver({ text: 'Noon.' }).deps, run.delivery, createRunStop());
    await connection.bus.nc.flush();
    const { owners } = await makeHead(run);
    const taken = run.live.filter(({ epoch }) => epoch === 2);
    const chunks = taken.flatMap((batch) => batch.chunks);
    expect(taken[0]?.index).toBe(owners[1]?.index);
    expect(chunks[0]).toMatchObject({ type: 'retract', payload: { index: 1 } });
    expect(taken.map(({ index }) => index)).toEqual(
      taken.map((_, at) => 1 + taken.slice(0, at).reduce((sum, batch) => sum + batch.chunks.length, 0)),
    );
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { output: { text: 'Noon.' } } });
  });

  test('begins again if it had no checkpoint, and its start is published once', async () => {
    const { bus } = connection;
    const gate = Promise.withResolvers<void>();
    const first = driver({ text: 'Hello.', until: gate.promise });
    const run = await first.begin({ agent: await first.apply() });
    // Its owner has published `start` and was lost before any state was stored.
    const key = stateKeys.head('acme', run.runId);
    const { command, sequence } = run.delivery;
    const { requestHash, submittedAt } = command;
    const deadlineAt = submittedAt + 60_000;
    const head = testHead(run.runId, { requestHash, submittedAt, deadlineAt, command: sequence });
    await writeEntry(stream.access, bus.names.state, key, head, {});
    const driving = run.drive();
    await eventually(() => makeText(run.chunks()) === 'Hello.');
    expect(await eventually(async () => loadRun(stream.access, await makeHead(run)))).toMatchObject({ firstIndex: 2 });
    gate.resolve();
    await driving;
    expect(listTypes(run.chunks()).slice(0, 3)).toEqual(['retract', 'start', 'step-start']);
    expect(run.live[0]).toMatchObject({ epoch: 2, index: 0 });
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello.' } });
  });

  test('continues with the agent that it began with, whatever is applied later', async () => {
    const first = driver(hung({ text: 'It is' }));
    const agent = await first.apply({ instructions: 'Be brief.' });
    const run = await first.begin({ agent });
    void run.drive().catch(() => undefined);
    await eventually(() => makeText(run.chunks()) === 'It is');
    run.fence();
    const later = makeAgent({ name: agent, instructions: 'Be rude.' });
    const applied = { agent: later, plan: makePlan([]), revision: 2, appliedAt: '2026-01-02T00:00:00.000Z' };
    await writeEntry(stream.access, connection.bus.names.agents, buildAgentKey('acme', agent), applied, {});
    const second = driver({ text: 'Noon.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    expect(JSON.stringify(second.asked[0]?.prompt)).toContain('Be brief.');
    expect(JSON.stringify(second.asked[0]?.prompt)).not.toContain('Be rude.');
  });

  test('ignores a record that the previous owner has written since', async () => {
    const first = driver(hung({ text: 'It is' }));
    const run = await first.begin({ agent: await first.apply() });
    void run.drive().catch(() => undefined);
    await eventually(() => makeText(run.chunks()) === 'It is');
    run.fence();
    const { records } = await makeHead(run);
    const orphan = { epoch: 1, actions: [{ action: 'rewound', to: 'input', feedback: 'of nobody' }] };
    const key = stateKeys.record('acme', run.runId, buildRecordName(1, records));
    await writeEntry(stream.access, connection.bus.names.state, key, orphan, {});
    const second = driver({ text: 'Noon.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    expect(JSON.stringify(second.asked[0]?.prompt)).not.toContain('of nobody');
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Noon.' } });
  });

  test('fails by name if one of its records is missing', async () => {
    const first = driver(hung({ text: 'It is' }));
    const run = await first.begin({ agent: await first.apply() });
    void run.drive().catch(() => undefined);
    await eventually(() => makeText(run.chunks()) === 'It is');
    run.fence();
    const key = stateKeys.record('acme', run.runId, buildRecordName(1, 0));
    await writeEntry(stream.access, connection.bus.names.state, key, { odd: true }, {});
    await driveRun(driver({ text: 'never asked' }).deps, run.delivery, createRunStop());
    expect(await run.end()).toMatchObject({ result: { error: { code: 'run-state-unreadable' } } });
    expect(run.countAcks()).toBe(1);
  });

  test('fails by name after too many lost owners', async () => {
    const first = driver(hung({ text: 'It is' }));
    const run = await first.begin({ agent: await first.apply() });
    void run.drive().catch(() => undefined);
    await eventually(() => makeText(run.chunks()) === 'It is');
    run.fence();
    for (let taken = 1; taken <= MAX_TAKEOVERS; taken += 1) {
      const next = driver(hung({ text: `${taken}` }));
      const stop = createRunStop();
      void driveRun(next.deps, run.delivery, stop).catch(() => undefined);
      await eventually(async () => (await makeHead(run)).takeovers === taken && next.asked.length === 1);
      stop.fence();
    }
    const last = driver({ text: 'never asked' });
    await driveRun(last.deps, run.delivery, createRunStop());
    expect(await run.end()).toMatchObject({ result: { status: 'failed', error: { code: 'run-given-up' } } });
    expect(last.asked).toEqual([]);
    const letters = createDeadLettersApi(stream.access, last.deps.saves, (request) =>
      submitRun(stream.access, request, 0),
    );
    const call = { caller: 'operator', tenant: 'acme', run: run.runId };
    const { letters: listed } = await letters.list({ limit: 100, after: 0 }, call);
    expect(listed.filter(({ runId }) => runId === run.runId)).toMatchObject([
      { what: 'run', error: { code: 'run-given-up' } },
    ]);
    const { runId } = await letters.retry({}, call);
    expect(await letters.retry({}, call)).toEqual({ what: 'run', runId });
    const again = (await readHead(stream.access, 'acme', runId))?.value;
    expect(again).toMatchObject({ status: 'queued', retryOf: run.runId });
    expect((await letters.list({ limit: 100, after: 0 }, call)).letters).toContainEqual(
      expect.objectContaining({ runId: run.runId, retriedAs: runId }),
    );
  });
});

describe('a tool call in progress when the owner of its run is lost', () => {
  async function lostInCall(idempotent: boolean) {
    const answer = Promise.withResolvers<void>();
    const received = serveLook(answer.promise);
    onTestFinished(() => answer.resolve());
    const first = driver({ text: 'Let me see.', calls });
    const run = await first.begin({ agent: await first.apply({}, withTool(idempotent)) });
    void run.drive().catch(() => undefined);
    await eventually(() => received.length === 1);
    run.fence();
    const second = driver({ text: 'Done.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Let me see.Done.' } });
    return { received, prompt: JSON.stringify(second.asked[0]?.prompt), asked: second.asked };
  }

  test('is not repeated if the tool is not idempotent: the model receives an unknown outcome', async () => {
    const { received, prompt, asked } = await lostInCall(false);
    expect(received).toHaveLength(1);
    expect(prompt).toContain('tool-outcome-unknown');
    expect(prompt).toContain('check it before you call the tool again');
    expect(asked).toHaveLength(1);
  });

  test('is repeated under the same key if the tool is idempotent', async () => {
    const { received, prompt } = await lostInCall(true);
    expect(received).toHaveLength(2);
    expect(received[1]?.idempotencyKey).toBe(received[0]?.idempotencyKey);
    expect(received[0]?.idempotencyKey).toBeDefined();
    expect(prompt).toContain('"seen":2');
  });
});

describe('a run with a lost owner between the memory’s save and the run’s end', () => {
  /** Its memory saved, but the save was not reported. */
  async function lostInSave() {
    const saves: StageCall[] = [];
    const gate = Promise.withResolvers<void>();
    const memory = planEntry('memory', { stages: ['processOutputResult'], memory: true, reads: ['response'] });
    const judge = planEntry('judge', { stages: ['processOutputResult'], reads: ['response'] });
    const judged: unknown[] = [];
    scriptReplica(connection.bus, 'processOutputResult', ['judge'], (call) => {
      judged.push(call);
      return [goOn];
    });
    scriptReplica(connection.bus, 'processOutputResult', ['memory'], async (call) => {
      if (saves.push(call) === 1) await gate.promise;
      return [goOn];
    });
    onTestFinished(() => gate.resolve());
    const first = driver({ text: 'Hello.' });
    const run = await first.begin({ agent: await first.apply({}, makePlan([judge, memory])) });
    void run.drive().catch(() => undefined);
    const isStored = async () => (await loadRun(stream.access, await makeHead(run)))?.finish !== undefined;
    await eventually(async () => saves.length === 1 && (await isStored()));
    run.fence();
    return { run, saves, judged };
  }

  test('saves again in the new epoch, judges nothing again, and finishes', async () => {
    const { run, saves, judged } = await lostInSave();
    const second = driver({ text: 'never asked' });
    await driveRun(second.deps, run.delivery, createRunStop());
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello.' } });
    expect(saves.map((call) => call.run.epoch)).toEqual([1, 2]);
    expect(judged).toHaveLength(1);
    expect(second.asked).toEqual([]);
    expect(listTypes(run.chunks()).filter((type) => type === 'step-finish')).toHaveLength(1);
  });

  test('cannot be cancelled any more: its stored result counts', async () => {
    const { run, saves } = await lostInSave();
    await askCancel(stream.access, 'acme', run.runId);
    await driveRun(driver({ text: 'never asked' }).deps, run.delivery, createRunStop());
    expect(await run.head()).toMatchObject({ status: 'finished' });
    expect(saves).toHaveLength(2);
  });
});
