// A run that is suspended, and resumed by another orchestrator at the same point.
import type { PlanEntry, Stage, Verdict } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { listTypes } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { ask, gatedCalls, gateStage } from '../testing/gated-stage.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import type { Say } from '../testing/scripted-model.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { createRunStop } from '../state/run-stop.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

/** A stage that waits until the test has ended. */
function gatedStage(...of: Parameters<typeof gateStage> extends [unknown, ...infer Rest] ? Rest : never) {
  const gated = gateStage(connection.bus, ...of);
  return gated;
}

function serveLook() {
  const made: unknown[] = [];
  runs.serveTool(connection.bus, 'look', async (request) => {
    made.push(request.toolCall.args);
    return { result: 'seen' };
  });
  return made;
}

const stages: [Stage, Say[], Say[]][] = [
  ['processInput', [{ text: 'never' }], [{ text: 'Hello.' }]],
  ['processInputStep', [{ text: 'never' }], [{ text: 'Hello.' }]],
  ['processOutputStep', [{ text: 'Hello.' }], [{ text: 'never' }]],
  ['processToolCall', [{ calls: gatedCalls }], [{ text: 'Hello.' }]],
  ['processToolResult', [{ calls: gatedCalls }], [{ text: 'Hello.' }]],
  ['processOutputResult', [{ text: 'Hello.' }], [{ text: 'never' }]],
];

describe('a run that suspends', () => {
  test.each(stages)(
    'in %s resumes on another orchestrator at the same entry: completed work is not repeated',
    async (stage, before, after) => {
      const { plan, received, listCalled: called } = gatedStage(stage);
      const made = serveLook();
      const first = runs.driver(...before);
      const run = await first.begin({ agent: await first.apply({}, plan) });
      await run.drive();
      expect(await runs.readStatus(run)).toBe('suspended');
      expect(run.countAcks()).toBe(1);
      expect(listTypes(run.chunks()).at(-1)).toBe('suspended');
      expect(called()).toEqual(['first', 'gate']);
      const asked = first.asked.length;

      const [pending] = await runs.pending(run);
      expect(pending).toMatchObject({ by: 'gate', stage, kind: 'approval', payload: { question: 'sure?' } });
      const second = runs.orchestrator(...after);
      await runs.resume(run, pending?.resumeToken ?? '', { approved: true });
      await runs.becomes(run, 'finished');

      expect(called().slice(0, 4)).toEqual(['first', 'gate', 'gate', 'last']);
      expect(received[2]?.entries[0]).toMatchObject({ resumeData: { approved: true }, state: { asked: 1 } });
      expect(received[3]?.entries[0]).not.toHaveProperty('resumeData');
      expect((await run.end())?.result).toMatchObject({ status: 'finished', text: 'Hello.' });
      expect(made).toEqual(stage.startsWith('processTool') ? [{ at: 1 }] : []);
      expect(asked + second.asked.length).toBe(stage.startsWith('processTool') ? 2 : 1);
      const { batches } = await runs.api().replay({ epoch: 1, index: 0 }, runs.address(run));
      const told = batches.flatMap(({ chunks }) => chunks.map(({ type }) => type));
      expect(told).toContain('resumed');
      expect(told).not.toContain('suspended');
    },
  );

  test('keeps the changes of the entries before it, including overrides of the model call', async () => {
    const first: Verdict = {
      type: 'continue',
      changes: { modelSettings: { seed: 7 }, ops: [{ op: 'system', tag: 'hint', contents: ['Only today.'] }] },
    };
    const { plan } = gatedStage('processInputStep', { first });
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    const second = runs.orchestrator({ text: 'Hello.' });
    const [pending] = await runs.pending(run);
    await runs.resume(run, pending?.resumeToken ?? '', 1);
    await runs.becomes(run, 'finished');
    expect(second.asked).toHaveLength(1);
    expect(second.asked[0]).toMatchObject({ seed: 7 });
    expect(JSON.stringify(second.asked[0]?.prompt)).toContain('Only today.');
  });

  test('can suspend at the same place again, with another token', async () => {
    const { plan } = gatedStage('processInput', { resumed: ask() });
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    runs.orchestrator({ text: 'never' });
    const [one] = await runs.pending(run);
    await runs.resume(run, one?.resumeToken ?? '', 1);
    await eventuallyOther(run, one?.id);
    const [other] = await runs.pending(run);
    expect(other?.resumeToken).not.toBe(one?.resumeToken);
    await expect(runs.resume(run, one?.resumeToken ?? '', 2)).rejects.toMatchObject({ code: 'resume-token-invalid' });
  });

  test('is stored completely for the maximum wait and one more day', async () => {
    const { plan } = gatedStage('processOutputStep');
    const driver = runs.driver({ text: 'Hello.' });
    const run = await driver.begin({ agent: await driver.apply({}, plan), deadlineMs: 30_000 });
    await run.drive();
    expect(await runs.shortestTtl(run)).toBeGreaterThan(8 * 24 * 3_600 - 60);
  });

  test('keeps its remaining time during the suspension', async () => {
    const { plan } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan), deadlineMs: 1_500 });
    await run.drive();
    const deadlineAt = (await run.head())?.deadlineAt ?? 0;
    await eventually(() => Date.now() > deadlineAt);
    runs.orchestrator({ text: 'Hello.' });
    const [pending] = await runs.pending(run);
    await runs.resume(run, pending?.resumeToken ?? '', 1);
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });

  test('resumes after a restart of the server, with the text that it had published', async () => {
    const { plan } = gatedStage('processOutputStep');
    const driver = runs.driver({ text: 'Hello.' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    await nats.stop();
    await eventually(() => !connection.bus.hasConnection());
    await nats.start();
    const pending = await eventually(async () => (await runs.pending(run))[0], { timeoutMs: 15_000 });
    runs.orchestrator({ text: 'never' });
    await runs.resume(run, pending.resumeToken, 1);
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  }, 30_000);

  test('repeats its last chunk if its command is redelivered, and is not taken over', async () => {
    const { plan } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    const said = run.live.length;
    await driveRun(driver.deps, run.delivery, createRunStop());
    await connection.bus.nc.flush();
    expect(run.live.slice(said)).toMatchObject([{ epoch: 1, chunks: [{ type: 'suspended' }] }]);
    expect(run.live[said]?.index).toBe(run.live.at(said - 1)?.index);
    expect(run.countAcks()).toBe(2);
    expect(await run.head()).toMatchObject({ status: 'suspended', epoch: 1 });
  });
});

describe('a follower of a suspended run', () => {
  test('receives the question, but never the token of an approval', async () => {
    const { plan } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    const last = run.chunks().at(-1);
    expect(last).toMatchObject({ type: 'suspended', payload: { payload: { question: 'sure?' } } });
    const [pending] = await runs.pending(run);
    const token = pending?.resumeToken ?? 'none';
    const replayed = await runs.api().replay({ epoch: 1, index: 0 }, runs.address(run));
    const told = [run.live, replayed, await runs.api().run({}, runs.address(run))];
    expect(replayed).toMatchObject({ status: 'suspended', complete: true });
    expect(JSON.stringify(told)).toContain('sure?');
    expect(JSON.stringify(told)).not.toContain(token);
    const events = await runs.api().events({ after: 0, limit: 100 }, runs.address(run));
    expect(JSON.stringify(events)).not.toContain(token);
  });

  test('receives the token of a question if the agent lists it as one', async () => {
    const { plan } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({ questions: ['gate'] }, plan) });
    await run.drive();
    const [shown] = runs.listShown(run);
    const [pending] = await runs.pending(run);
    expect(shown).toMatchObject({ kind: 'question', resumeToken: pending?.resumeToken });
    runs.orchestrator({ text: 'Hello.' });
    await runs.api().answer({ token: shown?.resumeToken ?? '', data: 'yes' }, runs.address(run));
    await runs.becomes(run, 'finished');
  });

  test('sees the waiting call as the output chain passed it, and nothing of a call that a processor has changed since', async () => {
    const gate = gatedStage('processToolCall');
    const worded = [{ toolCallId: 'c1', toolName: 'look', args: { at: 'ada@example.org' } }];
    const verdict: Verdict = { type: 'continue', changes: { toolCalls: worded } };
    scriptReplica(connection.bus, 'processOutputStep', ['wording'], () => [verdict]);
    const wording = planEntry('wording', { stages: ['processOutputStep'], lists: ['output'], reads: ['response'] });
    const shownBy = async (entries: PlanEntry[]) => {
      const { tools } = gate.plan;
      const driver = runs.driver({ calls: gatedCalls });
      const plan = makePlan([...Object.values(gate.plan.entries), ...entries], tools);
      const run = await driver.begin({ agent: await driver.apply({}, plan) });
      await run.drive();
      const told = JSON.stringify([run.live, await runs.api().run({}, runs.address(run))]);
      return { told, shown: runs.listShown(run), pending: await runs.pending(run) };
    };
    expect((await shownBy([])).shown).toMatchObject([{ by: 'gate', toolCall: { args: { at: 1 } } }]);
    const { told, shown, pending } = await shownBy([wording]);
    expect(told).not.toContain('ada@');
    expect(shown).toMatchObject([{ by: 'gate', payload: { question: 'sure?' } }]);
    expect(pending).toMatchObject([{ toolCall: { args: { at: 'ada@example.org' } } }]);
  });

  test('cannot approve, whatever token it has', async () => {
    const { plan } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    const [pending] = await runs.pending(run);
    const answering = runs.api().answer({ token: pending?.resumeToken ?? '', data: 1 }, runs.address(run));
    await expect(answering).rejects.toMatchObject({ code: 'resume-token-invalid' });
    expect(await runs.readStatus(run)).toBe('suspended');
  });
});

async function eventuallyOther(run: Parameters<typeof runs.pending>[0], id: string | undefined): Promise<void> {
  await runs.changes(async () => (await runs.pending(run))[0]?.id, id);
}
