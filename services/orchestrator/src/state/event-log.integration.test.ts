import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { readEvents } from '../api/read-run.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { headOf } from '../testing/run-heads.ts';
import { createEventLog } from './event-log.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const eventsOf = async (runId: string) =>
  (await readEvents(stream.access, headOf(runId), { after: 0, limit: 100 })).events;
const logOf = (runId: string, epoch = 1) => createEventLog({ access: stream.access, tenant: 'acme', runId, epoch });
const running = (step: number) => ({ event: 'run' as const, status: 'running' as const, step });

test('events are stored in the order in which they were recorded, acknowledged when flush resolves', async () => {
  const log = logOf('ordered');
  for (let step = 0; step < 20; step++) log.record(running(step));
  await log.flush();
  const events = await eventsOf('ordered');
  expect(events.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, step) => step));
  expect(events[0]).toMatchObject({ epoch: 1, at: expect.stringMatching(/^\d{4}-.*Z$/) });
});

test('events of the next owner are stored after those of the owner before', async () => {
  const log = logOf('owners');
  log.record(running(0));
  await log.flush();
  const next = logOf('owners', 2);
  next.record(running(1));
  await next.flush();
  expect((await eventsOf('owners')).map(({ epoch }) => epoch)).toEqual([1, 2]);
});

test('the ending that an owner recorded and did not live to see is not told; that of the head is', async () => {
  const log = logOf('replaced');
  log.record({ event: 'run', status: 'finished', step: 1 });
  await log.flush();
  expect(await eventsOf('replaced')).toEqual([]);
  const ended = { at: '2026-01-01T00:00:00.000Z', step: 2 };
  const head = headOf('replaced', { epoch: 2, status: 'failed', ended });
  const { events } = await readEvents(stream.access, head, { after: 0, limit: 100 });
  expect(events).toEqual([{ event: 'run', epoch: 2, status: 'failed', ...ended }]);
});

test('events between two flushes are one message', async () => {
  const before = (await stream.access.jsm.streams.info(connection.bus.names.events)).state.messages;
  const log = logOf('gathered');
  for (let step = 0; step < 20; step++) log.record(running(step));
  await log.flush();
  expect((await stream.access.jsm.streams.info(connection.bus.names.events)).state.messages).toBe(before + 1);
});

test('a flush of events with nothing recorded has nothing to wait for', async () => {
  await logOf('silent').flush();
  expect(await eventsOf('silent')).toEqual([]);
});

test('an event that no message can hold is an error once; events after it are stored', async () => {
  const log = logOf('huge');
  log.record({ ...running(0), detail: 'x'.repeat(connection.bus.maxPayload()) });
  // Nobody waits yet: this must not be an unhandled rejection.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(log.flush()).rejects.toMatchObject({ code: 'message-too-large' });
  log.record(running(1));
  await log.flush();
  expect((await eventsOf('huge')).map(({ step }) => step)).toEqual([1]);
});
