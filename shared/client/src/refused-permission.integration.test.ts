import { createUserKey, useNats } from '@millrace/testkit';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from './client.ts';
import type { Client } from './client-api.ts';
import type { ConnectOptions } from './connection.ts';

const [reader, writer] = [createUserKey(), createUserKey()];
const describeUser = ({ publicKey }: typeof reader, publish: string, subscribe: string) =>
  `{ nkey: ${publicKey}, permissions: { publish: ["${publish}"], subscribe: ["${subscribe}", "_INBOX.${publicKey}.>"] } }`;
const nats = useNats({
  extraConfig: `authorization { users: [
    ${describeUser(reader, 'none', 'mr.v1.chunks.>')}, ${describeUser(writer, 'mr.v1.api.>', 'none')}
  ] }`,
});
const dir = mkdtempSync(join(tmpdir(), 'millrace-client-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const nkeyFile = join(dir, 'reader.nk');
writeFileSync(nkeyFile, reader.seed, { mode: 0o600 });

async function open(options: ConnectOptions): Promise<Client> {
  const client = await connect({ url: nats.url, ...options });
  onTestFinished(() => client.close());
  return client;
}

test.each([
  ['an option', () => ({ nkeyFile })],
  ['the environment', () => ({ env: { NATS_NKEY_FILE: nkeyFile } })],
  ['an option instead of the environment', () => ({ nkeyFile, env: { NATS_USER: 'ada', NATS_PASSWORD: 'x' } })],
])(
  'A request without the permission to publish fails at once and names the subject; the key is from %s',
  async (_from, makeOptions) => {
    const client = await open(makeOptions());
    const started = performance.now();
    await expect(client.agents.list()).rejects.toMatchObject({
      code: 'permission-denied',
      message: expect.stringContaining('publish on mr.v1.api.agents-list.'),
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  },
);

test('A run without the permission to subscribe to its chunks is not submitted, and the error names the subject', async () => {
  const client = await open({ nkeySeed: writer.seed });
  await expect(client.start('demo', 'hello')).rejects.toMatchObject({
    code: 'permission-denied',
    message: expect.stringContaining('subscribe to mr.v1.chunks.'),
  });
});

test('Refused credentials have a code and no seed', async () => {
  const { seed, publicKey } = createUserKey();
  const failing = connect({ url: nats.url, nkeySeed: seed });
  await expect(failing).rejects.toMatchObject({
    code: 'credentials-refused',
    remedy: expect.stringContaining(publicKey),
  });
  await expect(failing).rejects.not.toSatisfy((error: Error) => `${error.stack}`.includes(seed));
});
