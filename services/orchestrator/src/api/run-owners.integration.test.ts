import { MillraceError, OPERATOR_CALLER, hashCaller } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeRequest, newRun, page, useRunsApi } from '../testing/runs-api.ts';
import { useJetStream } from '../testing/jetstream.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { api, driver } = useRunsApi(stream);
const tenant = 'acme';
let [alice, bob] = ['', ''];
beforeAll(async () => {
  [alice, bob] = await Promise.all([hashCaller(tenant, 'alice'), hashCaller(tenant, 'bob')]);
});

/** Submits a run of alice that waits in the queue. */
async function submitOwn() {
  const { run } = newRun();
  const call = { tenant, caller: alice, run };
  const request = makeRequest({ ...newRun(), run }, { subject: 'alice', threadId: 't1', deadlineMs: 60_000 });
  await api().submit(request, call);
  return { run, call, request };
}
type Verbs = ReturnType<typeof api>;
type Call = { tenant: string; caller: string; run: string };
const VERBS: [string, (verbs: Verbs, call: Call) => Promise<unknown>][] = [
  ['run', (verbs, call) => verbs.run({}, call)],
  ['replay', (verbs, call) => verbs.replay({ epoch: 1, index: 0 }, call)],
  ['events', (verbs, call) => verbs.events(page, call)],
  ['events-detail', (verbs, call) => verbs.eventsDetail(page, call)],
  ['resume', (verbs, call) => verbs.resume({ token: 'a-token', data: {} }, call)],
  ['answer', (verbs, call) => verbs.answer({ token: 'a-token', data: {} }, call)],
  ['release', (verbs, call) => verbs.release({}, call)],
  ['cancel', (verbs, call) => verbs.cancel({}, call)],
];
const readCode = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (MillraceError.isInstance(error) ? error.code : 'internal'),
  );

describe('a run of a caller', () => {
  test.each(VERBS)('is unknown to another caller that asks for it by %s, and to no other', async (_verb, ask) => {
    const { run, call } = await submitOwn();
    expect(await readCode(ask(api(), { ...call, caller: bob }))).toBe('run-unknown');
    expect(await api().run({}, call)).toMatchObject({ runId: run, status: 'queued' });
    expect(await readCode(ask(api(), { ...call, caller: OPERATOR_CALLER }))).not.toBe('run-unknown');
  });

  test('is listed for its caller and for operators, with its owner', async () => {
    const { run } = await submitOwn();
    const list = async (caller: string) =>
      (await api().list({ after: 0, limit: 1_000 }, { tenant, caller })).runs.find(({ runId }) => runId === run);
    const shown = { subject: 'alice', threadId: 't1', resourceId: 'alice' };
    expect(await list(alice)).toMatchObject(shown);
    expect(await list(OPERATOR_CALLER)).toMatchObject(shown);
    expect(await list(bob)).toBeUndefined();
  });

  test('keeps its id: the same request of another caller is another run', async () => {
    const { run, call, request } = await submitOwn();
    expect(await api().submit(request, call)).toEqual({ runId: run, accepted: true, created: false });
    const other = { ...request, subject: 'bob' };
    expect(await readCode(api().submit(other, { ...call, caller: bob }))).toBe('run-exists');
  });

  test('is not cancelled by the cancel that another caller has sent in advance', async () => {
    const { run } = newRun();
    expect(await readCode(api().cancel({}, { tenant, caller: bob, run }))).toBe('run-unknown');
    const request = makeRequest({ ...newRun(), run }, { subject: 'alice', deadlineMs: 60_000 });
    await api().submit(request, { tenant, caller: alice, run });
    expect(await api().run({}, { tenant, caller: alice, run })).toMatchObject({ status: 'queued' });
  });

  test('is cancelled by the cancel that its caller has sent in advance', async () => {
    const { run } = newRun();
    expect(await readCode(api().cancel({}, { tenant, caller: alice, run }))).toBe('run-unknown');
    const request = makeRequest({ ...newRun(), run }, { subject: 'alice', deadlineMs: 60_000 });
    await api().submit(request, { tenant, caller: alice, run });
    expect(await api().run({}, { tenant, caller: alice, run })).toMatchObject({ status: 'cancelled' });
  });
});

test('A run of an operator is unknown to every caller', async () => {
  const made = driver({ text: 'Hello.' });
  const run = await made.begin({ agent: await made.apply() });
  await run.drive();
  expect(await readCode(api().run({}, { tenant, caller: alice, run: run.runId }))).toBe('run-unknown');
  const { runs } = await api().list({ after: 0, limit: 1_000 }, { tenant, caller: alice });
  expect(runs.every(({ subject }) => subject === 'alice')).toBe(true);
});
