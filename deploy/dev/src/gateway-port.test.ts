import { expect, test } from 'vitest';
import { chooseGatewayPort } from './gateway-port.ts';

test('The port 0 of the environment is any free port, and any other one is used as it is', async () => {
  expect(await chooseGatewayPort({ GATEWAY_PORT: '0' })).toBeGreaterThan(0);
  expect(await chooseGatewayPort({ GATEWAY_PORT: '18080' })).toBe(18_080);
});
