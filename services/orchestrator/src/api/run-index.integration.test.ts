// The index of runs over a real bucket: it agrees with the heads, whatever changes them and whenever it is opened.
import { OPERATOR_CALLER, hashCaller, stateKeys, type ApiRequest } from '@millrace/contracts';
import { deleteEntry, purgeEntries, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { agents, anything, discovery, schemas } from '../testing/runs-api.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { openRunIndex, type RunIndex } from './run-index.ts';
import { createRunsApi } from './runs-api.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

function open(maxRuns = 1_000): RunIndex {
  const index = openRunIndex(stream.access, { maxRuns });
  onTestFinished(() => index.stop());
  return index;
}
const state = () => connection.bus.names.state;
const write = (tenant: string, runId: string, more: Parameters<typeof createHead>[1] = {}) =>
  writeEntry(stream.access, state(), stateKeys.head(tenant, runId), createHead(runId, { tenant, ...more }), {});
const newTenant = () => `t-${crypto.randomUUID()}`;
const countRuns = async (index: RunIndex, tenant: string) => (await index.find(tenant))?.count();
async function list(
  index: RunIndex | undefined,
  tenant: string,
  request: Partial<ApiRequest<'runs-list'>> = {},
  caller: string = OPERATOR_CALLER,
) {
  const api = createRunsApi({ access: stream.access, agents, submits: anything, schemas, discovery, index });
  return api.list({ limit: 100, after: 0, ...request }, { tenant, caller });
}
const listIds = async (...given: Parameters<typeof list>) => (await list(...given)).runs.map(({ runId }) => runId);

describe('the index of runs', () => {
  test('follows new, changed and deleted heads, and agrees with a list without index', async () => {
    const tenant = newTenant();
    await write(tenant, 'before', { status: 'finished' });
    const index = open();
    await eventually(async () => (await countRuns(index, tenant)) === 1);
    await write(tenant, 'one', { agent: 'other', threadId: 't1' });
    const two = await write(tenant, 'two');
    await write(tenant, 'before', { status: 'failed' });
    await eventually(async () => (await listIds(index, tenant)).join() === 'one,two,before');
    for (const request of [
      {},
      { newest: true },
      { status: 'failed' as const },
      { agent: 'other' },
      { threadId: 't1' },
      { limit: 2 },
    ])
      expect(await list(index, tenant, request)).toEqual(await list(undefined, tenant, request));
    if ('revision' in two) await deleteEntry(stream.access, state(), stateKeys.head(tenant, 'two'), two.revision, 60);
    await eventually(async () => (await listIds(index, tenant)).join() === 'one,before');
    expect(await listIds(undefined, tenant)).toEqual(['one', 'before']);
    expect(await listIds(index, newTenant())).toEqual([]);
  });

  test('is complete again after it is opened or loaded anew', async () => {
    const tenant = newTenant();
    for (let at = 0; at < 50; at += 1) await write(tenant, `run-${at}`);
    const [first, second] = [open(), open()];
    await eventually(async () => (await countRuns(first, tenant)) === 50 && (await countRuns(second, tenant)) === 50);
    expect(await list(first, tenant, { limit: 7 })).toEqual(await list(second, tenant, { limit: 7 }));
    first.reload();
    // A list waits for the index.
    expect(await listIds(first, tenant)).toHaveLength(50);
    await eventually(async () => (await countRuns(first, tenant)) === 50);
    await write(tenant, 'later');
    await eventually(async () => (await listIds(first, tenant)).at(-1) === 'later');
  });

  test('gives up above its bound, and lists stay correct', async () => {
    const tenant = newTenant();
    const index = open(3);
    for (let at = 0; at < 5; at += 1) await write(tenant, `run-${at}`);
    await eventually(async () => (await index.find(tenant)) === undefined);
    const reads = vi.spyOn(stream.access.jsm.direct, 'getBatch');
    onTestFinished(() => reads.mockRestore());
    await index.find(tenant);
    expect(reads).not.toHaveBeenCalled();
    expect(await listIds(index, tenant, { newest: true, limit: 2 })).toEqual(['run-4', 'run-3']);
  });

  test('fills the pages of a caller with its own runs', async () => {
    const tenant = newTenant();
    const alice = await hashCaller(tenant, 'alice');
    const index = open();
    for (let at = 0; at < 20; at += 1) await write(tenant, `run-${at}`, at % 5 === 0 ? { caller: alice } : {});
    await eventually(async () => (await countRuns(index, tenant)) === 20);
    for (const source of [index, undefined]) {
      const page = await list(source, tenant, { limit: 3 }, alice);
      expect(page.runs.map(({ runId }) => runId)).toEqual(['run-0', 'run-5', 'run-10']);
      const after = page.next ?? 0;
      expect(await list(source, tenant, { limit: 3, after }, alice)).toEqual({
        runs: [expect.objectContaining({ runId: 'run-15' })],
      });
    }
  });
});

describe('the newest run of a thread', () => {
  const tenant = 'acme';
  const readNewest = (threadId: string, caller: string = OPERATOR_CALLER) =>
    createRunsApi({ access: stream.access, agents, submits: anything, schemas, discovery }).newest(
      { threadId },
      { tenant, caller },
    );

  test('is the one that was submitted last, with its result and its judged input', async () => {
    const driver = createDriver(stream, { text: 'Hello.' }, { text: 'Again.' });
    const agent = await driver.apply();
    for (const text of ['first', 'second']) await (await driver.begin({ agent, text, threadId: 'newest-1' })).drive();
    const { run, result, input } = await readNewest('newest-1');
    expect(run).toMatchObject({ status: 'finished', threadId: 'newest-1' });
    expect(result).toMatchObject({ text: 'Again.' });
    expect(input).toMatchObject([{ id: 'm1', role: 'user', content: { parts: [{ text: 'second' }] } }]);
  });

  test('has no input before processInput has passed it, and none of a run that did not finish', async () => {
    await write(tenant, 'newest-queued', { threadId: 'newest-2', status: 'running' });
    expect(await readNewest('newest-2')).toEqual({ run: expect.objectContaining({ runId: 'newest-queued' }) });
    const driver = createDriver(stream, { text: 'Hello.' });
    const run = await driver.begin({ agent: 'nosuch', threadId: 'newest-3' });
    await run.drive();
    const answer = await readNewest('newest-3');
    expect(answer).toMatchObject({ run: { status: 'failed' }, result: { status: 'failed' } });
    expect(answer).not.toHaveProperty('input');
  });

  test('is unknown to a caller that did not submit it', async () => {
    const [alice, bob] = await Promise.all(['alice', 'bob'].map((name) => hashCaller(tenant, name)));
    await write(tenant, 'newest-own', { threadId: 'newest-4', caller: alice ?? '', subject: 'alice' });
    expect(await readNewest('newest-4', alice)).toMatchObject({ run: { runId: 'newest-own' } });
    await expect(readNewest('newest-4', bob)).rejects.toMatchObject({ code: 'run-unknown' });
    await expect(readNewest('newest-none')).rejects.toMatchObject({ code: 'run-unknown', path: 'threadId' });
    await purgeEntries(stream.access, state(), stateKeys.head(tenant, 'newest-own'));
  });
});
