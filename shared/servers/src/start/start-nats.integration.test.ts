import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createContext, findProgram } from '../find/find-program.ts';
import { identifyProcess } from '../process/process-identity.ts';
import { natsProduct } from '../find/product.ts';
import { provideNats } from './provide-server.ts';
import { startNats, type NatsServer, type StartNatsOptions } from './start-nats.ts';
import { exchange } from '../testing/raw-socket.ts';
import { scratchDir } from '../testing/scratch-dir.ts';

const program = await findProgram(natsProduct, createContext({}));
if (program.kind === 'unavailable') process.stderr.write(`skipped: ${program.reason}\n`);

async function start(options: StartNatsOptions): Promise<NatsServer> {
  const server = await startNats({ ...options, ...(program.kind === 'program' ? { program } : {}) });
  onTestFinished(() => server.stop());
  return server;
}

async function monitor(server: NatsServer, page: string): Promise<unknown> {
  return (await fetch(`${server.monitorUrl}/${page}`)).json();
}

describe.skipIf(program.kind === 'unavailable')('startNats', { timeout: 20_000 }, () => {
  test('startNats answers a PING on a port of loopback that the system picked, with the documented configuration', async () => {
    const server = await start({ storeDir: await scratchDir() });
    const answer = await exchange(server.url, 'CONNECT {"verbose":false}\r\nPING\r\n', 'PONG');
    expect(answer).toMatch(/^INFO \{.*"jetstream":true.*\} *\r\nPONG/);
    expect(answer).toContain('"max_payload":8388608');
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(new URL(server.monitorUrl).hostname).toBe('127.0.0.1');
    expect(await monitor(server, 'varz')).toMatchObject({ ping_interval: 5_000_000_000, ping_max: 2 });
  });

  test('startNats has a WebSocket listener on loopback if a port is set, and none otherwise', async () => {
    const without = await start({ storeDir: await scratchDir() });
    expect(without.webSocketUrl).toBeUndefined();
    const { webSocketUrl = '' } = await start({ storeDir: await scratchDir(), webSocketPort: 0 });
    expect(new URL(webSocketUrl)).toMatchObject({ protocol: 'ws:', hostname: '127.0.0.1' });
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    const request = `GET / HTTP/1.1\r\nHost: ${new URL(webSocketUrl).host}\r\n${upgrade}${key}\r\n`;
    expect(await exchange(webSocketUrl, request, 'Sec-WebSocket-Accept')).toContain('101 Switching Protocols');
  });

  test('startNats leaves no process and no claim behind after any number of stops', async () => {
    const storeDir = await scratchDir();
    const server = await start({ storeDir });
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(await identifyProcess(server.pid)).toBeUndefined();
    expect(await server.exited).toBe(0);
    await expect(readFile(join(storeDir, 'nats-server.pid'))).rejects.toThrow('ENOENT');
  });

  test('startNats syncs each write to the disk if requested, otherwise by the default of the server', async () => {
    const synced = await start({ storeDir: await scratchDir(), isSynced: true });
    expect(await monitor(synced, 'jsz')).toMatchObject({ config: { sync_always: true } });
    const other = await start({ storeDir: await scratchDir() });
    expect(await monitor(other, 'jsz')).not.toHaveProperty('config.sync_always');
  });

  test('startNats keeps its streams in the directory', async () => {
    const storeDir = await scratchDir();
    const before = await start({ storeDir });
    const stream = JSON.stringify({ name: 'KEPT', subjects: ['kept'], storage: 'file' });
    const create = `PUB $JS.API.STREAM.CREATE.KEPT reply ${stream.length}\r\n${stream}\r\n`;
    await exchange(before.url, `CONNECT {"verbose":false}\r\nSUB reply 1\r\n${create}`, '"did_create":true');
    await before.stop();
    const after = await start({ storeDir });
    expect(await monitor(after, 'jsz')).toMatchObject({
      streams: 1,
      config: { store_dir: join(storeDir, 'jetstream') },
    });
  });

  test('startNats accepts additional configuration', async () => {
    const server = await start({ storeDir: await scratchDir(), extraConfig: 'server_name: "mill-1"' });
    expect(await monitor(server, 'varz')).toMatchObject({ server_name: 'mill-1' });
  });

  test('startNats rejects the directory of a running server and accepts it afterwards', async () => {
    const storeDir = await scratchDir();
    const first = await start({ storeDir });
    const refused = startNats({ storeDir });
    await expect(refused).rejects.toMatchObject({ code: 'store-in-use', message: expect.stringContaining(storeDir) });
    await first.stop();
    await start({ storeDir });
  });

  test('Of many concurrent starts on one directory one succeeds', async () => {
    const storeDir = await scratchDir();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => start({ storeDir })));
    const refusals = results.filter((result) => result.status === 'rejected').map((result): unknown => result.reason);
    expect(refusals).toHaveLength(4);
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'store-in-use' });
  });

  test("A failed start reports the server's output and releases the directory", async () => {
    const storeDir = await scratchDir();
    const failed = startNats({ storeDir, extraConfig: 'no_such_option: true' });
    await expect(failed).rejects.toMatchObject({
      code: 'start-failed',
      message: expect.stringContaining('no_such_option'),
    });
    await start({ storeDir });
  });

  test('A start with an occupied port reports the port', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => taken.close(() => resolve())));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const failed = startNats({ storeDir: await scratchDir(), port: port ?? 0 });
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('address already in use') });
  });

  test('A cancelled start leaves nothing behind', async () => {
    const storeDir = await scratchDir();
    const cancel = new AbortController();
    const starting = startNats({ storeDir, signal: cancel.signal, readyTimeoutMs: 10_000 });
    setImmediate(() => cancel.abort(new Error('changed my mind')));
    await expect(starting).rejects.toThrow('changed my mind');
    await start({ storeDir });
  });

  test('startNats reports the end of a killed server and releases the directory', async () => {
    const storeDir = await scratchDir();
    const server = await start({ storeDir });
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toBeNull();
    await start({ storeDir });
  });

  test('stop ends a server that ignores SIGTERM', async () => {
    const server = await start({ storeDir: await scratchDir() });
    process.kill(server.pid, 'SIGSTOP');
    await server.stop();
    expect(await server.exited).toBeNull();
  });

  test('provideNats starts nothing if NATS_URL names a server', async () => {
    const env = { ...process.env, NATS_URL: 'nats://bus.example:4222' };
    const provided = await provideNats({ storeDir: join(await scratchDir(), 'never-made'), env });
    expect(provided).toEqual({ kind: 'external', url: 'nats://bus.example:4222', source: 'NATS_URL' });
  });
});
