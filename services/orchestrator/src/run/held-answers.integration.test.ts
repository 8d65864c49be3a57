// A run that buffers its text and is suspended more than once: the next owner has the same chunks, each once, in order.
import type { Chunk, Verdict } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { makeText, listTypes } from '../testing/chunks.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, orchestrator, becomes, pending, resume, serveTool, listShown: shown } = useSuspendedRuns(stream);

const ask: Verdict = { type: 'suspend', payload: { question: 'Say it?' } };
const judge = planEntry('judge', { stages: ['processOutputStep'], attempts: 1 });

async function replay(run: DrivenRun): Promise<Chunk[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the orchestrator published as chunks
  return batches.flatMap(({ chunks }) => chunks) as Chunk[];
}

/** A run with a tool, and answers that get these verdicts, one after the other. */
async function beginRun(verdicts: Verdict[], agent: object) {
  let asked = 0;
  scriptReplica(connection.bus, 'processOutputStep', ['judge'], () => [verdicts[asked++] ?? goOn]);
  serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
  const script = [{ text: 'Let me see.', calls: lookCalls() }, { text: 'A wall.' }, { text: 'Two walls.' }];
  const { begin, apply } = driver(...script);
  const plan = { ...makePlan([judge]), tools: [lookTool({ timeoutMs: 5_000 })] };
  const run = await begin({ agent: await apply(agent, plan) });
  await run.drive();
  return run;
}

async function answer(run: DrivenRun): Promise<void> {
  const epoch = (await run.head())?.epoch ?? 0;
  await eventually(async () => (await pending(run)).length === 1);
  const [asked] = await pending(run);
  await resume(run, asked?.resumeToken ?? '', true);
  await eventually(async () => {
    const head = await run.head();
    return head !== undefined && head.epoch > epoch && head.status !== 'running';
  });
}

test.each(['step', 'result'] as const)(
  'a run with release: %s that is suspended twice in one step publishes everything once',
  async (release) => {
    const run = await beginRun([goOn, ask, ask, goOn], { release });
    orchestrator({ text: 'never said' });
    await answer(run);
    await answer(run);
    await becomes(run, 'finished');
    const chunks = await replay(run);
    expect(makeText(chunks)).toBe('Let me see.A wall.');
    expect(listTypes(chunks).filter((type) => type === 'resumed')).toHaveLength(2);
    expect(await run.end()).toMatchObject({ result: { text: 'Let me see.A wall.' } });
  },
);

test.each(['step', 'result'] as const)(
  'a step that is rejected after the answer, with release: %s, keeps the previous step',
  async (release) => {
    const again: Verdict = { type: 'abort', reason: 'again', retry: true };
    const run = await beginRun([goOn, ask, again, goOn], { release, maxProcessorRetries: 1 });
    orchestrator({ text: 'Two walls.' });
    await answer(run);
    await becomes(run, 'finished');
    const chunks = await replay(run);
    expect(makeText(chunks)).toBe('Let me see.Two walls.');
    expect(listTypes(chunks).filter((type) => type === 'step-finish')).toHaveLength(2);
    expect(listTypes(chunks).filter((type) => type === 'tool-result')).toHaveLength(1);
  },
);

test("a run with release: result that is suspended shows its model's text only to approving operators", async () => {
  const { plan } = gateStage(connection.bus, 'processToolCall');
  const warnings = [{ type: 'other' as const, message: 'A secret warning.' }];
  const { begin, apply } = driver({ text: 'A secret.', calls: lookCalls('{"at":"a secret place"}'), warnings });
  const run = await begin({ agent: await apply({ release: 'result' }, plan) });
  await run.drive();
  await becomes(run, 'suspended');
  expect(shown(run)).toMatchObject([{ by: 'gate', payload: { question: 'sure?' } }]);
  expect(JSON.stringify([run.chunks(), await replay(run), await run.end()])).not.toContain('secret');
  expect(await pending(run)).toMatchObject([{ toolCall: { args: { at: 'a secret place' } } }]);
});

test('a run with release: result that is cancelled in its second step shows nothing of its first', async () => {
  serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
  const warnings = [{ type: 'other' as const, message: 'A secret warning.' }];
  const first = { text: 'A secret.', calls: lookCalls(), warnings };
  const { begin, apply, asked } = driver(first, { text: 'And', until: new Promise(() => undefined) });
  const plan = { ...makePlan([]), tools: [lookTool({ timeoutMs: 5_000 })] };
  const run = await begin({ agent: await apply({ release: 'result' }, plan) });
  const driving = run.drive();
  await eventually(() => asked.length === 2);
  run.stop.stop('cancelled');
  await driving;
  const end = await run.end();
  expect(end).toMatchObject({ result: { status: 'cancelled', steps: [{ stepNumber: 0, usage: { inputTokens: 3 } }] } });
  expect(JSON.stringify([run.chunks(), end])).not.toMatch(/secret|a wall/);
});
