// Connects to a Redis with users and TLS.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as netConnect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useOwnRedis } from '@millrace/testkit';
import { Redis } from 'ioredis';
import { generate } from 'selfsigned';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RedisAccess } from './redis-access.ts';
import { closeRedis, connectRedis } from './redis-connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-redis-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
function writeSecret(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
  return file;
}

const warned: string[] = [];
const log = { info: () => undefined, warn: (_: object, text: string) => void warned.push(text) };
async function connect(url: string, access: RedisAccess, waitMs = 5_000): Promise<Redis> {
  const redis = await connectRedis({ url, access, service: 'test', store: 'test store', log, waitMs });
  onTestFinished(() => closeRedis(redis));
  return redis;
}

describe('a user of Redis', () => {
  const server = useOwnRedis();
  const username = 'message-history';
  const readUser = () => decodeURIComponent(new URL(server.urlAs(username)).password);
  async function changePassword(password: string): Promise<void> {
    const admin = new Redis(server.url);
    await admin.call('ACL', 'SETUSER', username, 'resetpass', `>${password}`);
    await admin.client('KILL', 'USER', username);
    admin.disconnect();
  }

  test('connects with the password of a file, and with a rotated one after a lost connection', async () => {
    const passwordFile = writeSecret('password', `${readUser()}\n`);
    const redis = await connect(server.url, { username, passwordFile });
    expect(await redis.call('ACL', 'WHOAMI').catch((error: Error) => error.message)).toContain('NOPERM');
    await redis.set('t:history:x', '1');
    writeSecret('password', 'rotated-password');
    await changePassword('rotated-password');
    await eventually(async () => (await redis.get('t:history:x')) === '1', { timeoutMs: 10_000 });
    await changePassword(readUser());
  });

  test.each([
    ['a wrong password', { username, password: 'wrong' }],
    ['an unknown user', { username: 'stranger', password: 'wrong' }],
  ])('is refused at once, without a wait for the server: %s', async (_what, access) => {
    const started = performance.now();
    await expect(connect(server.url, access)).rejects.toMatchObject({
      code: 'credentials-refused',
      path: 'REDIS_PASSWORD_FILE',
      message: expect.not.stringContaining('wrong'),
    });
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('a Redis that requires a password', () => {
  const server = useOwnRedis();

  test('refuses a connection without one', async () => {
    const admin = new Redis(server.url);
    await admin.config('SET', 'requirepass', 'secret-of-all');
    admin.disconnect();
    await expect(connect(server.url, {})).rejects.toMatchObject({ code: 'credentials-refused' });
    const redis = await connect(server.url, { password: 'secret-of-all' });
    expect(await redis.ping()).toBe('PONG');
    await redis.config('SET', 'requirepass', '');
  });
});

const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
  extensions: [
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ],
});
const other = await generate([{ name: 'commonName', value: 'localhost' }]);
const [caFile, certFile, keyFile] = [
  writeSecret('ca.pem', cert),
  writeSecret('cert.pem', cert),
  writeSecret('key.pem', key),
];
const otherFile = writeSecret('other.pem', other.cert);
const [plainPort, strictPort] = [await chooseFreePort(), await chooseFreePort()];
const files = `tls-cert-file ${certFile}\ntls-key-file ${keyFile}\ntls-ca-cert-file ${caFile}`;

describe('a Redis over TLS', () => {
  useOwnRedis({ extraConfig: `tls-port ${plainPort}\ntls-auth-clients no\n${files}` });
  const url = `rediss://localhost:${plainPort}`;

  test('serves a client that trusts its authority', async () => {
    const redis = await connect(url, { tls: { caFile } });
    expect(await redis.ping()).toBe('PONG');
    expect(redis.stream).toMatchObject({ encrypted: true, authorized: true });
  });

  test.each([
    ['of no known authority', {}],
    ['of another authority', { tls: { caFile: otherFile } }],
  ])('is refused with a certificate %s', async (_what, access) => {
    await expect(connect(url, access, 1_000)).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringMatching(/certificate/),
    });
  });

  test('a client that gives up during the handshake ignores the alert of the server', async () => {
    const alerted = Promise.withResolvers<void>();
    // Holds the server's part of the handshake until the client has ended the connection.
    const proxy = createServer({ allowHalfOpen: true }, (client) => {
      const server = netConnect(plainPort, '127.0.0.1');
      client.pipe(server);
      client.on('error', () => undefined).once('close', () => alerted.resolve());
      void Array.fromAsync<Buffer>(server).then((chunks) => client.end(Buffer.concat(chunks)));
    });
    await new Promise<void>((resolve) => proxy.listen(strictPort, '127.0.0.1', resolve));
    // The test run fails if an exception has no listener.
    await expect(connect(`rediss://127.0.0.1:${strictPort}`, {}, 100)).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    await alerted.promise;
    await new Promise((resolve) => proxy.close(resolve));
  });
});

describe('a Redis that verifies its clients', () => {
  useOwnRedis({ extraConfig: `tls-port ${strictPort}\ntls-auth-clients yes\n${files}` });
  const url = `rediss://localhost:${strictPort}`;

  test('serves a client with a certificate, and refuses one without', async () => {
    const redis = await connect(url, { tls: { caFile, certFile, keyFile } });
    expect(await redis.ping()).toBe('PONG');
    await expect(connect(url, { tls: { caFile } }, 1_000)).rejects.toMatchObject({ code: 'store-unavailable' });
  });
});

async function chooseFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return address.port;
}
