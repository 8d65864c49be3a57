import { expect, test } from 'vitest';
import { launchOnFreePort } from './free-port.ts';
import { ServerError } from './server-error.ts';

const createTakenError = () => new ServerError('start-failed', 'It wrote: bind: Address already in use');

test('launchOnFreePort tries another port if another process was faster', async () => {
  const ports: number[] = [];
  const launched = await launchOnFreePort((port) => {
    ports.push(port);
    return ports.length < 3 ? Promise.reject(createTakenError()) : Promise.resolve(port);
  });
  expect(ports).toHaveLength(3);
  expect(launched).toBe(ports[2]);
  expect(launched).toBeGreaterThan(1023);
});

test('gives up after five ports', async () => {
  let attempts = 0;
  const launch = () => {
    attempts += 1;
    return Promise.reject(createTakenError());
  };
  await expect(launchOnFreePort(launch)).rejects.toThrow('in use');
  expect(attempts).toBe(5);
});

test('passes any other failure on at once', async () => {
  let attempts = 0;
  const launch = () => {
    attempts += 1;
    return Promise.reject(new ServerError('store-in-use', 'the directory is in use'));
  };
  await expect(launchOnFreePort(launch)).rejects.toThrow('the directory');
  expect(attempts).toBe(1);
});
