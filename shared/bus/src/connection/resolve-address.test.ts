import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_URL, resolveAddress } from './resolve-address.ts';
import { locateSeedFile, withStackKey } from './stack-key.ts';

let root: string;
const deep = () => join(root, 'checkout', 'a', 'b');
const stackFile = () => join(root, 'checkout', '.millrace', 'stack.json');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-address-'));
  await mkdir(deep(), { recursive: true });
  await mkdir(join(root, 'checkout', '.millrace'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('the key of the stack', () => {
  const keys = () => join(root, 'keys');
  const atStack = { url: 'nats://stack:1', source: 'stack.json' };
  beforeAll(async () => {
    for (const role of ['operator', 'developer']) await mkdir(join(keys(), role), { recursive: true });
    for (const role of ['operator', 'developer']) await writeFile(locateSeedFile(keys(), role), 'a seed');
  });

  test('The folder of keys belongs to the address of the stack, also if NATS_URL names it, and to no other', async () => {
    await writeFile(stackFile(), JSON.stringify({ natsUrl: 'nats://stack:1', keys: keys() }));
    expect(await resolveAddress({}, deep())).toEqual({ url: 'nats://stack:1', source: stackFile(), keys: keys() });
    expect(await resolveAddress({ NATS_URL: 'nats://stack:1' }, deep())).toMatchObject({ keys: keys() });
    expect(await resolveAddress({ NATS_URL: 'nats://other:1' }, deep())).not.toHaveProperty('keys');
  });

  test('A connection takes the key of the first role that has one', () => {
    const address = { ...atStack, keys: keys() };
    expect(withStackKey({}, address, ['operator'])).toEqual({ nkeyFile: locateSeedFile(keys(), 'operator') });
    expect(withStackKey({}, address, ['mine', 'developer'])).toEqual({ nkeyFile: locateSeedFile(keys(), 'developer') });
    expect(withStackKey({}, address, ['mine'])).toEqual({});
    expect(withStackKey({}, atStack, ['operator'])).toEqual({});
  });

  test('The port of the gateway belongs to the address of the stack, as its keys do', async () => {
    const stack = { natsUrl: 'nats://stack:1', ports: { nats: 1, gateway: 8080 } };
    await writeFile(stackFile(), JSON.stringify(stack));
    expect(await resolveAddress({}, deep())).toMatchObject({ gatewayPort: 8080 });
    expect(await resolveAddress({ NATS_URL: 'nats://other:1' }, deep())).not.toHaveProperty('gatewayPort');
  });

  test.each([{ user: 'ada', pass: 'x' }, { token: 'x' }, { nkeySeed: 'x' }, { nkeyFile: 'x' }, { credsFile: 'x' }])(
    'A connection with credentials of its own (%j) keeps them',
    (settings) => expect(withStackKey(settings, { ...atStack, keys: keys() }, ['operator'])).toEqual(settings),
  );

  test('An address that contains credentials keeps them', () => {
    const address = { url: 'nats://ada:x@stack:1', source: 'NATS_URL', keys: keys() };
    expect(withStackKey({}, address, ['operator'])).toEqual({});
  });
});

describe('the address of the server', () => {
  test('NATS_URL has the highest priority', async () => {
    await writeFile(stackFile(), JSON.stringify({ natsUrl: 'nats://stack:1' }));
    expect(await resolveAddress({ NATS_URL: 'nats://env:1' }, deep())).toEqual({
      url: 'nats://env:1',
      source: 'NATS_URL',
    });
  });

  test("The address of the checkout's stack is found upwards; an empty NATS_URL is ignored", async () => {
    await writeFile(stackFile(), JSON.stringify({ natsUrl: 'nats://stack:1', gateway: 'http://x' }));
    expect(await resolveAddress({ NATS_URL: '' }, deep())).toEqual({ url: 'nats://stack:1', source: stackFile() });
  });

  test('The default address is used without a setting', async () => {
    expect(await resolveAddress({}, root)).toEqual({ url: DEFAULT_URL, source: 'default' });
  });

  test.each(['{', '{}', '{"natsUrl": 5}', ''])(
    "A stack.json that contains %j is rejected with the file's path",
    async (content) => {
      await writeFile(stackFile(), content);
      await expect(resolveAddress({}, deep())).rejects.toMatchObject({ code: 'config-invalid', path: stackFile() });
    },
  );
});
