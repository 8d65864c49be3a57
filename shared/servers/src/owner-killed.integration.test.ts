// Tests a server with a killed owner: it ends by itself, and if that fails, the next start ends it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createContext, findProgram } from './find/find-program.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from './process/process-identity.ts';
import { natsProduct } from './find/product.ts';
import { startNats } from './start/start-nats.ts';
import { exchange } from './testing/raw-socket.ts';
import { scratchDir } from './testing/scratch-dir.ts';
import { waitUntil } from './process/wait-until.ts';

const program = await findProgram(natsProduct, createContext({}));
const skipped = process.platform === 'linux' ? program.kind === 'unavailable' && program.reason : 'needs /proc';
if (skipped) process.stderr.write(`skipped: ${skipped}\n`);

type Owned = {
  owner: ChildProcess;
  server: ProcessIdentity;
  watchdog: ProcessIdentity;
};

/** A process of its own that has started a server on the directory. */
async function startOwned(storeDir: string): Promise<Owned> {
  const script = fileURLToPath(new URL('./testing/nats-owner-main.ts', import.meta.url));
  const owner = spawn(process.execPath, [script, storeDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [line]: unknown[] = await once(createInterface(owner.stdout), 'line');
  const said: unknown = JSON.parse(String(line));
  const serverPid = typeof said === 'object' && said !== null && 'serverPid' in said ? Number(said.serverPid) : 0;
  const server = await identifyProcess(serverPid);
  const watchdog = await findProcess(`millrace-watchdog ${serverPid}`);
  if (server === undefined || watchdog === undefined) throw new Error('the owner did not start its server');
  onTestFinished(async () => {
    for (const left of [watchdog, server]) if (await isAlive(left)) process.kill(left.pid, 'SIGKILL');
  });
  return { owner, server, watchdog };
}

async function findProcess(commandEnd: string): Promise<ProcessIdentity | undefined> {
  for (const name of await readdir('/proc')) {
    const identity = /^\d+$/.test(name) ? await identifyProcess(Number(name)) : undefined;
    if (identity?.command.endsWith(commandEnd)) return identity;
  }
  return undefined;
}

async function kill(owner: ChildProcess): Promise<void> {
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
}

function waitUntilGone(identity: ProcessIdentity): Promise<true | undefined> {
  return waitUntil(async () => ((await isAlive(identity)) ? undefined : true), 10_000);
}

describe.skipIf(skipped)('an owner killed with SIGKILL', { timeout: 30_000 }, () => {
  test('takes its server with it', async () => {
    const { owner, server, watchdog } = await startOwned(await scratchDir());
    await kill(owner);
    expect(await waitUntilGone(server)).toBe(true);
    expect(await waitUntilGone(watchdog)).toBe(true);
  });

  test('does not keep the next start from the directory, at once', async () => {
    const storeDir = await scratchDir();
    const { owner, server } = await startOwned(storeDir);
    await kill(owner);
    const next = await startNats({ storeDir });
    onTestFinished(() => next.stop());
    expect(await isAlive(server)).toBe(false);
    expect(await exchange(next.url, 'PING\r\n', 'PONG')).toContain('PONG');
  });

  test('does not either when the watchdog was killed too', async () => {
    const storeDir = await scratchDir();
    const { owner, server, watchdog } = await startOwned(storeDir);
    process.kill(watchdog.pid, 'SIGKILL');
    await kill(owner);
    expect(await isAlive(server)).toBe(true);
    const next = await startNats({ storeDir });
    onTestFinished(() => next.stop());
    expect(await isAlive(server)).toBe(false);
    expect(await exchange(next.url, 'PING\r\n', 'PONG')).toContain('PONG');
  });

  test('while it lives, keeps others from the directory', async () => {
    const storeDir = await scratchDir();
    const { owner, server } = await startOwned(storeDir);
    const refused = startNats({ storeDir });
    await expect(refused).rejects.toMatchObject({
      code: 'store-in-use',
      message: expect.stringContaining(`process ${owner.pid} `),
    });
    expect(await isAlive(server)).toBe(true);
    await kill(owner);
    expect(await waitUntilGone(server)).toBe(true);
  });

  test('does not see its terminal’s Ctrl-C reach the server', async () => {
    const { owner, server } = await startOwned(await scratchDir());
    // proc(5): the fields after the name are the state, the parent and the process group.
    const group = (await readFile(`/proc/${server.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[2];
    expect(group).toBe(String(server.pid));
    await kill(owner);
    expect(await waitUntilGone(server)).toBe(true);
  });
});

describe.skipIf(skipped)('a claim left behind', { timeout: 30_000 }, () => {
  const dead = { pid: 2 ** 22 + 1, started: '1', command: 'gone' };

  test.each([
    ['with the id of another process, started at another time', { started: '1' }],
    ['with the id of another process, of another command', { command: 'nats-server --config elsewhere' }],
  ])('%s: that process lives on', async (_, difference) => {
    const storeDir = await scratchDir();
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const identity = await identifyProcess(bystander.pid ?? 0);
    if (identity === undefined) throw new Error('sleep did not start');
    const claim = { owner: dead, server: { ...identity, ...difference } };
    await writeFile(join(storeDir, 'nats-server.pid'), JSON.stringify(claim));
    const server = await startNats({ storeDir });
    await server.stop();
    expect(await isAlive(identity)).toBe(true);
  });

  test.each(['', '{"owner":', '{}', '{"owner":{"pid":-1,"started":"","command":""}}', '[]'])(
    'that reads %j does not stop a start',
    async (text) => {
      const storeDir = await scratchDir();
      await writeFile(join(storeDir, 'nats-server.pid'), text);
      const server = await startNats({ storeDir });
      await server.stop();
      expect(await readdir(storeDir)).not.toContain('nats-server.pid');
    },
  );
});
