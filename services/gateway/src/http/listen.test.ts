import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { quietListener } from '../testing/quiet-listener.ts';
import { listenHttp } from './listen.ts';

test('A port in use and an address of another machine are config-invalid with their variables', async () => {
  const server = await listenHttp(new Hono(), quietListener);
  onTestFinished(() => server.close(0));
  const again = listenHttp(new Hono(), { ...quietListener, port: server.port });
  await expect(again).rejects.toMatchObject({ code: 'config-invalid', path: 'GATEWAY_PORT' });
  const foreign = listenHttp(new Hono(), { ...quietListener, host: '203.0.113.1' });
  await expect(foreign).rejects.toMatchObject({
    code: 'config-invalid',
    path: 'GATEWAY_HOST',
    message: 'GATEWAY_HOST: 203.0.113.1 is no address of this machine.',
  });
});
