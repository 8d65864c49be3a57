import { expect, test } from 'vitest';
import { chooseGatewayPort, rejectOwnGateway } from './gateway-port.ts';

test('The port 0 of the environment is any free port, and any other one is used as it is', async () => {
  expect(await chooseGatewayPort({ GATEWAY_PORT: '0' })).toBeGreaterThan(0);
  expect(await chooseGatewayPort({ GATEWAY_PORT: '18080' })).toBe(18_080);
});

test.each(['http://127.0.0.1:8080/v1', 'http://localhost:8080/v1/', 'http://[::1]:8080/v1', 'http://0.0.0.0:8080'])(
  'The model provider %s is rejected if the port is that of the gateway',
  async (OPENAI_BASE_URL) => {
    await expect(rejectOwnGateway({ OPENAI_BASE_URL, GATEWAY_PORT: '8080' })).rejects.toThrow('would call itself');
    await expect(rejectOwnGateway({ OPENAI_BASE_URL, GATEWAY_PORT: '8081' })).resolves.toBeUndefined();
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
  await expect(rejectOwnGateway({ OPENAI_BASE_URL, GATEWAY_PORT: '8080' })).resolves.toBeUndefined();
});
