import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { readEvents } from '../api/read-run.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { createEventLog } from './event-log.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const makeEvents = async (runId: string) =>
  (await readEvents(stream.access, createHead(runId), { after: 0, limit: 100 })).events;
const makeLog = (runId: string, epoch = 1) => createEventLog({ access: stream.access, tenant: 'acme', runId, epoch });
const running = (step: number) => ({ event: 'run' as const, status: 'running' as const, step });

test('events are stored in the order in which they were recorded, acknowledged when flush resolves', async () => {
  const log = makeLog('ordered');
  for (let step = 0; step < 20; step++) log.record(running(step));
  await log.flush();
  const events = await makeEvents('ordered');
  expect(events.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, step) => step));
  expect(events[0]).toMatchObject({ epoch: 1, at: expect.stringMatching(/^\d{4}-.*Z$/) });
});

test('events of the next owner are stored after those of the owner before', async () => {
  const log = makeLog('owners');
  log.record(running(0));
  await log.flush();
  const next = makeLog('owners', 2);
  next.record(running(1));
  await next.flush();
  expect((await makeEvents('owners')).map(({ epoch }) => epoch)).toEqual([1, 2]);
});

test('the log omits an ending that an owner recorded before it was lost, and includes that of the head', async () => {
  const log = makeLog('replaced');
  log.record({ event: 'run', status: 'finished', step: 1 });
  await log.flush();
  expect(await makeEvents('replaced')).toEqual([]);
  const ended = { at: '2026-01-01T00:00:00.000Z', step: 2 };
  const head = createHead('replaced', { epoch: 2, status: 'failed', ended });
  const { events } = await readEvents(stream.access, head, { after: 0, limit: 100 });
  expect(events).toEqual([{ event: 'run', epoch: 2, status: 'failed', ...ended }]);
});

test('events between two flushes are one message', async () => {
  const before = (await stream.access.jsm.streams.info(connection.bus.names.events)).state.messages;
  const log = makeLog('gathered');
  for (let step = 0; step < 20; step++) log.record(running(step));
  await log.flush();
  expect((await stream.access.jsm.streams.info(connection.bus.names.events)).state.messages).toBe(before + 1);
});

test('a flush without events does not wait', async () => {
  await makeLog('silent').flush();
  expect(await makeEvents('silent')).toEqual([]);
});

test('an event that no message can hold fails one flush; later events are stored', async () => {
  const log = makeLog('huge');
  log.record({ ...running(0), detail: 'x'.repeat(connection.bus.readMaxPayload()) });
  // No flush is waiting yet: this must not be an unhandled rejection.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(log.flush()).rejects.toMatchObject({ code: 'message-too-large' });
  log.record(running(1));
  await log.flush();
  expect((await makeEvents('huge')).map(({ step }) => step)).toEqual([1]);
});
