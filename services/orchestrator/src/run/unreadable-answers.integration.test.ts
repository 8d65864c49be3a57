// A model or a tool may return JSON that no message can carry inside its envelope: the run stays readable all the same.
import type { JsonValue } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { listTypes } from '../testing/chunks.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { makePlan } from '../testing/plan-entries.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, serveTool } = useSuspendedRuns(stream);

async function replayedTypes(run: DrivenRun): Promise<string[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  return batches.flatMap(({ chunks }) => chunks.map(({ type }) => type));
}

const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe.each([
  ['a member of the name __proto__', '{"at":{"__proto__":{"admin":true}}}'],
  ['more levels than a message may have', deep(200)],
  ['more levels than can be written', deep(100_000)],
])('with %s', (_what, json) => {
  test('arguments of a call are refused, the model receives the error, and the run stays readable', async () => {
    const { begin, apply, asked } = driver({ text: 'Let me see.', calls: lookCalls(json) }, { text: 'A wall.' });
    const run = await begin({ agent: await apply({}, { ...makePlan([]), tools: [lookTool()] }) });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Let me see.A wall.' } });
    expect(JSON.stringify(asked[1]?.prompt)).toContain('tool-arguments-invalid');
    expect(await replayedTypes(run)).toEqual(listTypes(run.chunks()));
  });

  test('an object fails the run by name, and the run stays readable', async () => {
    const { begin, apply } = driver({ text: json });
    const run = await begin({ agent: await apply({ structuredOutput: { schema: { type: 'object' } } }) });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { status: 'failed', error: { code: 'model-call-failed' } } });
    expect(await replayedTypes(run)).toEqual(listTypes(run.chunks()));
  });
});

/** The maximum depth that the bus accepts. */
const deepValue = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe.each([
  ['result', { result: deepValue(158) }],
  ['question', { suspended: { payload: deepValue(157) } }],
])('a %s of a tool that is nested deeper than its envelope allows', (_what, answer) => {
  test('is its failure, the model receives it, and the run stays readable', async () => {
    serveTool(connection.bus, 'look', async () => answer);
    const { begin, apply, asked } = driver({ text: 'Let me see.', calls: lookCalls() }, { text: 'A wall.' });
    const run = await begin({ agent: await apply({}, { ...makePlan([]), tools: [lookTool({ timeoutMs: 5_000 })] }) });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Let me see.A wall.' } });
    expect(JSON.stringify(asked[1]?.prompt)).toContain('tool-failed');
    expect(await replayedTypes(run)).toEqual(listTypes(run.chunks()));
  });
});

test("a provider's response that is nested as deep fails the call, and the run stays readable", async () => {
  const { begin, apply } = driver({ text: 'Hello.', raw: [{ deep: deepValue(200) }] });
  const run = await begin({ agent: await apply({ raw: true }) });
  await run.drive();
  expect(await run.end()).toMatchObject({ result: { status: 'failed', error: { code: 'model-call-failed' } } });
  expect(await replayedTypes(run)).toEqual(['start', 'error']);
});
