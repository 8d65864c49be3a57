// The submission of a run: the time at which the client sends it, and its cancel if the caller gives it up.
import { serveApi } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { connect } from './client.ts';

const nats = useNats();
const owner = useBus(nats, 'orchestrator');

test('A submission waits until it may be sent, and is not sent if that fails', async () => {
  let submitted = 0;
  const verb = serveApi(owner.bus, 'submit', async ({ runId }) => {
    submitted += 1;
    return { runId, accepted: true };
  });
  const client = await connect({ url: nats.url });
  const refused = client.start('demo', 'Hello.', { ready: Promise.reject(new Error('refused')) });
  await expect(refused).rejects.toThrow('refused');
  const ready = Promise.withResolvers<void>();
  const starting = client.start('demo', 'Hello.', { ready: ready.promise });
  await owner.bus.nc.flush();
  expect(submitted).toBe(0);
  ready.resolve();
  await starting;
  expect(submitted).toBe(1);
  await client.close();
  await verb.drain(0);
});

test('The cancel of a submission that is given up names it', async () => {
  const submitted: (string | undefined)[] = [];
  const cancelled = Promise.withResolvers<string | undefined>();
  const leaving = new AbortController();
  const verbs = [
    serveApi(owner.bus, 'submit', (_request, { submission }) => {
      submitted.push(submission);
      leaving.abort();
      return Promise.withResolvers<never>().promise;
    }),
    serveApi(owner.bus, 'cancel', async (_request, { submission, run = '' }) => {
      cancelled.resolve(submission);
      return { runId: run, status: 'cancelled' };
    }),
  ];
  const client = await connect({ url: nats.url });
  const start = () => client.start('demo', 'Hello.', { runId: 'run-1', signal: leaving.signal });
  await expect(start()).rejects.toMatchObject({ code: 'cancelled' });
  expect([typeof submitted[0], await cancelled.promise]).toEqual(['string', submitted[0]]);
  await client.close();
  await Promise.all(verbs.map((verb) => verb.drain(0)));
});
