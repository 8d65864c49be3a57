import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createContext, findProgram } from '../find/find-program.ts';
import { identifyProcess } from '../process/process-identity.ts';
import { redisProduct } from '../find/product.ts';
import { provideRedis } from './provide-server.ts';
import { startRedis, type RedisServer, type StartRedisOptions } from './start-redis.ts';
import { exchange } from '../testing/raw-socket.ts';
import { scratchDir } from '../testing/scratch-dir.ts';

const program = await findProgram(redisProduct, createContext({}));
if (program.kind === 'unavailable') process.stderr.write(`skipped: ${program.reason}\n`);

async function start(options: StartRedisOptions): Promise<RedisServer> {
  const server = await startRedis({ ...options, ...(program.kind === 'program' ? { program } : {}) });
  if (server.kind === 'unavailable') throw new Error(server.reason);
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(program.kind === 'unavailable')('startRedis', { timeout: 20_000 }, () => {
  test('answers a PING on loopback, with the append-only file on', async () => {
    const server = await start({ dataDir: await scratchDir() });
    expect(await exchange(server.url, 'PING\r\n', 'PONG')).toBe('+PONG\r\n');
    expect(await exchange(server.url, 'CONFIG GET appendonly\r\n', 'yes')).toContain('yes');
    expect(await exchange(server.url, 'CONFIG GET bind\r\n', '127')).toMatch(/127\.0\.0\.1\r\n$/);
  });

  test('leaves no process behind when it is stopped', async () => {
    const server = await start({ dataDir: await scratchDir() });
    await Promise.all([server.stop(), server.stop()]);
    expect(await identifyProcess(server.pid)).toBeUndefined();
    expect(await server.exited).toBe(0);
  });

  test('Redis keeps written data, also after it was killed', async () => {
    const dataDir = await scratchDir();
    const before = await start({ dataDir, extraConfig: 'appendfsync always' });
    await exchange(before.url, 'SET kept "for good"\r\n', 'OK');
    process.kill(before.pid, 'SIGKILL');
    expect(await before.exited).toBeNull();
    const after = await start({ dataDir });
    expect(await exchange(after.url, 'GET kept\r\n', 'good')).toBe('$8\r\nfor good\r\n');
  });

  test('Redis works in a directory with a name that needs quoting', async () => {
    const dataDir = join(await scratchDir(), 'a "b" \\ c');
    const server = await start({ dataDir });
    expect(await exchange(server.url, 'PING\r\n', 'PONG')).toBe('+PONG\r\n');
  });

  test('does not mistake another server on its port for its own', async () => {
    const other = await start({ dataDir: await scratchDir() });
    const failed = startRedis({ dataDir: await scratchDir(), port: Number(new URL(other.url).port) });
    await expect(failed).rejects.toMatchObject({ code: 'start-failed', message: expect.stringMatching(/in use/i) });
  });

  test('many start at once, each on a port of its own', async () => {
    const dir = await scratchDir();
    const servers = await Promise.all([1, 2, 3, 4, 5].map((n) => start({ dataDir: join(dir, String(n)) })));
    expect(new Set(servers.map((server) => server.url)).size).toBe(5);
  });

  test("A failed start reports the server's output", async () => {
    const failed = startRedis({ dataDir: await scratchDir(), extraConfig: 'no-such-option yes' });
    await expect(failed).rejects.toMatchObject({
      code: 'start-failed',
      message: expect.stringContaining('no-such-option'),
    });
  });
});

test('Without Redis, the reason is a value', async () => {
  const dir = await scratchDir();
  const options = { dataDir: join(dir, 'data'), cacheDir: dir, env: { PATH: '' } };
  const reason = expect.stringMatching(/^redis-server cannot be had: there is none on the PATH; /);
  expect(await startRedis(options)).toEqual({ kind: 'unavailable', reason });
  expect(await provideRedis(options)).toEqual({ kind: 'unavailable', reason });
});
