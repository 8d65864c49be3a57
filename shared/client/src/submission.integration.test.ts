// The cancel of a submission that the caller gives up names it, so that the next submission of the same run is not cancelled.
import { serveApi } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { connect } from './client.ts';

const nats = useNats();
const owner = useBus(nats, 'orchestrator');

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
