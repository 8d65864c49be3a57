import { expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

// The command sends no request: no NATS server is running here.
const schemas = (...args: string[]) => millrace(['schemas', ...args], { env: { NATS_URL: 'nats://127.0.0.1:9' } });

test('schemas NAME prints one schema with its references', async () => {
  const { code, stdout } = await schemas('stage-call');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ $ref: '#/$defs/stage-call', $defs: { 'stage-call': {}, message: {} } });
});

test('schemas prints all schemas in one document, and --names prints their names', async () => {
  const names = (await schemas('--names')).stdout.trimEnd().split('\n');
  expect(names).toContain('api.submit.request');
  expect(Object.keys(JSON.parse((await schemas()).stdout).$defs)).toEqual(expect.arrayContaining(names));
});

test.each(['--constructor', '--toString'])('schemas rejects the unknown option %s', async (option) => {
  expect(await schemas('--names', option)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('unknown option'),
  });
});

test('schemas of an unknown name is a usage error', async () => {
  expect(await schemas('nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('schemas --names for a list'),
  });
});
