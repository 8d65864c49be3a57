import { expect, test } from 'vitest';
import { millrace } from './testing/recorded-io.ts';

// Nobody is asked: there is no NATS here.
const schemas = (...args: string[]) => millrace(['schemas', ...args], { env: { NATS_URL: 'nats://127.0.0.1:9' } });

test('schemas NAME prints one schema with what it refers to', async () => {
  const { code, stdout } = await schemas('stage-call');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ $ref: '#/$defs/stage-call', $defs: { 'stage-call': {}, message: {} } });
});

test('schemas prints all of them in one document, and --names their names', async () => {
  const names = (await schemas('--names')).stdout.trimEnd().split('\n');
  expect(names).toContain('api.submit.request');
  expect(Object.keys(JSON.parse((await schemas()).stdout).$defs)).toEqual(expect.arrayContaining(names));
});

test.each(['--constructor', '--toString'])('an option %s that the command does not have is refused', async (option) => {
  expect(await schemas('--names', option)).toMatchObject({ code: 1, stderr: expect.stringContaining('no option') });
});

test('schemas of a name that nobody knows is wrong usage', async () => {
  expect(await schemas('nothing')).toMatchObject({ code: 1, stderr: expect.stringContaining('--names lists them') });
});
