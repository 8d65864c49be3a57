// A login that the server ends, because a busy machine sends it too late, is no refusal of the credentials.
import { createCollectedLog, eventually, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { connectBus } from './bus.ts';

/** Shorter than any login, s. */
const TOO_SHORT = 0.000_01;
let timeout = TOO_SHORT;
const nats = useNats({
  extraConfig: () => `authorization { timeout: ${timeout}, users: [{ user: one, password: one }] }`,
});
const login = { name: 'slow', user: 'one', pass: 'one' };

describe('a login that is too slow for the server', () => {
  test('A client reports the server as unreachable, with the limit in the remedy', async () => {
    const connecting = connectBus({ servers: nats.url, ...login, connectTimeoutMs: 5_000 });
    await expect(connecting).rejects.toMatchObject({
      code: 'bus-unreachable',
      message: expect.stringContaining('ended a slow login'),
      remedy: expect.stringContaining('authorization.timeout'),
    });
  });

  test('A service repeats it until the server accepts one', async () => {
    const log = createCollectedLog();
    const connecting = connectBus({ servers: nats.url, ...login, log });
    await eventually(() => expect(JSON.stringify(log.lines)).toContain('waiting for the NATS server'));
    await nats.kill();
    timeout = 5;
    await nats.start();
    const bus = await connecting;
    await bus.nc.rtt();
    await bus.close();
  });
});
