// A login that the server ends, because a busy machine sends it too late, is no refusal of the credentials.
import { connect, createServer, type Socket } from 'node:net';
import { createCollectedLog, eventually, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectBus } from './core/bus.ts';

/** Delay of all bytes of the client, ms. */
const DELAY_MS = 100;
/** Time that the server allows for a login, s. */
let timeout = DELAY_MS / 5_000;
const nats = useNats({
  extraConfig: () => `authorization { timeout: ${timeout}, users: [{ user: one, password: one }] }`,
});
const login = { name: 'slow', user: 'one', pass: 'one' };
const sockets: Socket[] = [];
const proxy = createServer((client) => {
  const server = connect(Number(new URL(nats.url).port), '127.0.0.1');
  sockets.push(client, server);
  server.on('error', () => client.destroy()).pipe(client);
  client.on('data', (bytes) => setTimeout(() => server.write(bytes), DELAY_MS));
  client.on('error', () => undefined).once('close', () => server.destroy());
});
let servers = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  servers = `127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => proxy.close(resolve));
});

describe('a login that is too slow for the server', () => {
  test('A client reports the server as unreachable, with the limit in the remedy', async () => {
    const connecting = connectBus({ servers, ...login, connectTimeoutMs: 5_000 });
    await expect(connecting).rejects.toMatchObject({
      code: 'bus-unreachable',
      message: expect.stringContaining('ended a slow login'),
      remedy: expect.stringContaining('authorization.timeout'),
    });
  });

  test('A service repeats it until the server accepts one', async () => {
    const log = createCollectedLog();
    const connecting = connectBus({ servers, ...login, log });
    await eventually(() => expect(JSON.stringify(log.lines)).toContain('waiting for the NATS server'));
    await nats.kill();
    timeout = 5;
    await nats.start();
    const bus = await connecting;
    await bus.nc.rtt();
    await bus.close();
  });
});
