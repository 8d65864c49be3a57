import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pickFreePort } from '@millrace/servers';
import { expect, onTestFinished, test } from 'vitest';
import { chooseGatewayPort, rejectOwnGateway } from './gateway-port.ts';
import { writeKeptPorts } from './kept-ports.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const NO_FILE = '/nowhere/gateway-port.json';

test('The port of the last start is used again if it is free, unless the environment names one', async () => {
  const file = join(await scratchDir(), 'gateway-port.json');
  const kept = await pickFreePort();
  await writeKeptPorts(file, { port: kept });
  expect(await chooseGatewayPort({}, file)).toBe(kept);
  expect(await chooseGatewayPort({ GATEWAY_PORT: '18080' }, file)).toBe(18_080);
  const taken = createServer().listen(kept, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  expect(await chooseGatewayPort({}, file)).not.toBe(kept);
});

test('The port 0 of the environment is any free port, and any other one is used as it is', async () => {
  expect(await chooseGatewayPort({ GATEWAY_PORT: '0' }, NO_FILE)).toBeGreaterThan(0);
  expect(await chooseGatewayPort({ GATEWAY_PORT: '18080' }, NO_FILE)).toBe(18_080);
});

test.each(['http://127.0.0.1:8080/v1', 'http://localhost:8080/v1/', 'http://[::1]:8080/v1', 'http://0.0.0.0:8080'])(
  'The model provider %s is rejected if the port is that of the gateway',
  async (OPENAI_BASE_URL) => {
    await expect(rejectOwnGateway({ OPENAI_BASE_URL, GATEWAY_PORT: '8080' }, NO_FILE)).rejects.toThrow(
      'would call itself',
    );
    await expect(rejectOwnGateway({ OPENAI_BASE_URL, GATEWAY_PORT: '8081' }, NO_FILE)).resolves.toBeUndefined();
  },
);

test.each([
  undefined,
  '',
  'no address',
  'http://models.example:8080/v1',
  'http://127.0.0.1/v1',
  'https://api.openai.com/v1',
])('The model provider %s is accepted, because it is not the gateway', async (OPENAI_BASE_URL) => {
  await expect(rejectOwnGateway({ OPENAI_BASE_URL, GATEWAY_PORT: '8080' }, NO_FILE)).resolves.toBeUndefined();
});
