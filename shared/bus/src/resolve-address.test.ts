import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_URL, resolveAddress } from './resolve-address.ts';

let root: string;
const deep = () => join(root, 'checkout', 'a', 'b');
const stackFile = () => join(root, 'checkout', '.millrace', 'stack.json');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-address-'));
  await mkdir(deep(), { recursive: true });
  await mkdir(join(root, 'checkout', '.millrace'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

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
