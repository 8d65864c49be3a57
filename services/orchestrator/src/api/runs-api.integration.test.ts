import {
  OPERATOR_CALLER,
  controlSchema,
  hashCaller,
  isFinal,
  stateKeys,
  type ApiAnswer,
  type RunSummary,
} from '@millrace/contracts';
import { listen, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { driveRun } from '../takeover/drive-run.ts';
import { createRunStop } from '../state/run-stop.ts';
import { isCancelAsked, openRunStore } from '../state/run-store.ts';
import { readHead } from '../head/run-head.ts';
import { createHead } from '../testing/run-heads.ts';
import { createRunsApi } from './runs-api.ts';
import type { AgentStore } from '../agents/agent-store.ts';
import {
  anything,
  schemas,
  discovery,
  agents,
  applied,
  newRun,
  page,
  makeRequest,
  useRunsApi,
} from '../testing/runs-api.ts';
import { useJetStream } from '../testing/jetstream.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { api, driver, listEnded: ended, takeCommands } = useRunsApi(stream);

describe('a run without an owner', () => {
  test.each(['run', 'cancel'] as const)('is unknown to %s', async (verb) => {
    await expect(api()[verb]({}, newRun())).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test.each(['events', 'eventsDetail'] as const)('is unknown to %s', async (verb) => {
    await expect(api()[verb](page, newRun())).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test('is unknown to replay', async () => {
    await expect(api().replay({ epoch: 1, index: 0 }, newRun())).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test('is cancelled in advance: its submission, which arrives later, ends as cancelled and asks no model', async () => {
    const address = newRun();
    await expect(api().cancel({}, address)).rejects.toMatchObject({ code: 'run-unknown' });
    expect(await api().submit(makeRequest(address), address)).toMatchObject({ accepted: true });
    expect(await api().run({}, address)).toMatchObject({ status: 'cancelled', result: { status: 'cancelled' } });
    const made = driver({ text: 'never asked' });
    const [delivery] = await takeCommands(address);
    if (!delivery) throw new Error('no command is queued');
    await driveRun(made.deps, delivery, createRunStop());
    expect(made.asked).toEqual([]);
  });

  test.each([
    ['an operator', undefined],
    ['a caller', 'alice'],
  ])(
    'is cancelled in advance by %s for one submission, and another one of the same run is accepted',
    async (_who, subject) => {
      const caller = subject === undefined ? OPERATOR_CALLER : await hashCaller('acme', subject);
      const more = { ...(subject !== undefined && { subject }), deadlineMs: 60_000 };
      const address = { ...newRun(), caller };
      const cancelling = api().cancel({}, { ...address, submission: 'first' });
      await expect(cancelling).rejects.toMatchObject({ code: 'run-unknown' });
      const request = makeRequest(address, more);
      await api().submit(request, { ...address, submission: 'second' });
      // The given-up submission arrives after the other one, and so does another cancel of it.
      await api().submit(request, { ...address, submission: 'first' });
      await expect(api().cancel({}, { ...address, submission: 'first' })).rejects.toMatchObject({
        code: 'run-unknown',
      });
      expect(await api().run({}, address)).toMatchObject({ status: 'queued' });
      const late = { ...newRun(), caller };
      await api()
        .cancel({}, { ...late, submission: 'first' })
        .catch(() => undefined);
      await api().submit(makeRequest(late, more), { ...late, submission: 'first' });
      expect(await api().run({}, late)).toMatchObject({ status: 'cancelled' });
    },
  );

  test.each(['queued', 'running'] as const)(
    'that one submission created and another one joined while it was %s is not cancelled with the first one, but with the second one',
    async (status) => {
      const address = newRun();
      const request = makeRequest(address);
      await api().submit(request, { ...address, submission: 'first' });
      const key = stateKeys.head(address.tenant, address.run);
      const head = await readHead(stream.access, address.tenant, address.run);
      await writeEntry(stream.access, connection.bus.names.state, key, { ...head?.value, status }, {});
      await api().submit(request, { ...address, submission: 'second' });
      await expect(api().cancel({}, { ...address, submission: 'first' })).rejects.toMatchObject({
        code: 'run-unknown',
      });
      const cancelled = { runId: address.run, status: status === 'queued' ? 'cancelled' : 'running' };
      expect(await isCancelAsked(stream.access, address.tenant, address.run)).toBe(false);
      expect(await api().cancel({}, { ...address, submission: 'second' })).toEqual(cancelled);
    },
  );

  test('without a command fails when its deadline has passed, for every verb that reads it', async () => {
    const late = { status: 'queued', command: 0, deadlineAt: Date.now() - 60_000 } as const;
    const addresses = [newRun(), newRun()];
    for (const { tenant, run } of addresses) {
      const key = stateKeys.head(tenant, run);
      await writeEntry(stream.access, connection.bus.names.state, key, createHead(run, late), {});
    }
    const [read, listed] = addresses.map(({ run }) => run);
    const result = { status: 'failed', error: { code: 'run-deadline-exceeded' } };
    expect(await api().run({}, { caller: 'operator', tenant: 'acme', run: read })).toMatchObject({
      status: 'failed',
      result,
    });
    const { runs } = await api().list(
      { limit: 1_000, after: 0 },
      { caller: 'operator', tenant: 'acme', run: undefined },
    );
    expect(runs.find(({ runId }) => runId === listed)?.status).toBe('failed');
    const { batches } = await api().replay({ epoch: 1, index: 0 }, { caller: 'operator', tenant: 'acme', run: listed });
    expect(batches.at(-1)?.chunks.at(-1)).toMatchObject({ type: 'error' });
  });
});

describe('a run that waits in the queue', () => {
  test('is known to run, replay and events as queued', async () => {
    const address = newRun();
    await api().submit(makeRequest(address), address);
    expect(await api().run({}, address)).toMatchObject({ status: 'queued', remainingMs: expect.any(Number) });
    expect(await api().events(page, address)).toEqual({ events: [] });
    expect(await api().replay({ epoch: 1, index: 0 }, address)).toMatchObject({
      status: 'queued',
      batches: [],
      complete: false,
    });
  });

  test('is cancelled at once, without a free place, with one ending; its command is dropped', async () => {
    const address = newRun();
    await api().submit(makeRequest(address), address);
    expect(await api().cancel({}, address)).toEqual({ runId: address.run, status: 'cancelled' });
    expect(await api().run({}, address)).toMatchObject({ status: 'cancelled', result: { status: 'cancelled' } });
    const { batches, complete } = await api().replay({ epoch: 1, index: 0 }, address);
    expect({ complete, types: batches.flatMap(({ chunks }) => chunks.map(({ type }) => type)) }).toEqual({
      complete: true,
      types: ['abort'],
    });
    const { events } = await api().events(page, address);
    expect(events).toMatchObject([{ event: 'run', status: 'cancelled' }]);

    const made = driver({ text: 'never asked' });
    const [delivery] = await takeCommands(address);
    if (!delivery) throw new Error('the command is missing');
    await driveRun(made.deps, delivery, createRunStop());
    expect(made.asked).toEqual([]);
    expect(await api().run({}, address)).toMatchObject({ status: 'cancelled' });
    expect((await api().events(page, address)).events).toHaveLength(1);
  });
});

describe('runs-list', () => {
  test('gives a tenant its runs in pages, each once, and none of another tenant', async () => {
    const tenant = 'tenant-of-many';
    const listed: AgentStore = { ...agents, find: async () => ({ value: applied, revision: 1 }) };
    const own = createRunsApi({ access: stream.access, agents: listed, submits: anything, schemas, discovery });
    const ids = Array.from({ length: 5 }, (_, n) => `listed-${n}`);
    for (const run of ids)
      await own.submit(makeRequest({ caller: 'operator', tenant, run }), { caller: 'operator', tenant, run });
    const found: RunSummary[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const answer: ApiAnswer<'runs-list'> = await own.list(
        { limit: 2, after },
        { caller: 'operator', tenant, run: undefined },
      );
      expect(answer.runs.length).toBeLessThanOrEqual(2);
      found.push(...answer.runs);
      after = answer.next;
    }
    expect(found.map(({ runId }) => runId)).toEqual(ids);
    expect(found[0]).toEqual({ runId: 'listed-0', status: 'queued', agent: 'demo', submittedAt: expect.any(String) });
    await takeCommands();
  });
});

describe('a run that has ended', () => {
  test('has its result, its events and its chunks, for every reader', async () => {
    const { run, address } = await ended();
    const { status, result } = await api().run({}, address);
    expect(isFinal(status)).toBe(true);
    expect(result).toMatchObject({ text: 'Hello.', status: 'finished' });
    const { events } = await api().events(page, address);
    expect(events.map(({ event }) => event)).toEqual(['model', 'run']);
    const { batches, complete } = await api().replay({ epoch: 1, index: 0 }, address);
    expect(complete).toBe(true);
    expect(batches.flatMap(({ chunks }) => chunks)).toEqual(run.chunks());
    await expect(api().run({}, { ...address, tenant: 'other' })).rejects.toMatchObject({ code: 'run-unknown' });
  });
});

describe('the verb cancel', () => {
  test('notifies the owner, wherever it runs, and returns the status of that moment', async () => {
    const address = newRun();
    const told: unknown[] = [];
    const subject = connection.bus.subjects.control(address.tenant, address.run);
    const listening = listen(connection.bus, subject, controlSchema, (control) => told.push(control));
    onTestFinished(() => listening.stop());
    await openRunStore(stream.access, createHead(address.run), 0);
    expect(await api().cancel({}, address)).toEqual({ runId: address.run, status: 'running' });
    await eventually(() => told.length === 1);
    expect(told).toEqual([{ control: 'cancel' }]);
    expect(await isCancelAsked(stream.access, address.tenant, address.run)).toBe(true);
  });
});

test('a verb of a run on a subject without a run is refused', async () => {
  await expect(api().run({}, { caller: 'operator', tenant: 'acme', run: undefined })).rejects.toMatchObject({
    code: 'token-invalid',
  });
});
