// Supervision of real processes: their logs, their deaths, their ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RestartPolicy } from './restart-policy.ts';
import { superviseService, type SupervisedService } from './supervise-service.ts';
import { isAlive } from './testing/npm-start.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const quick: RestartPolicy = { firstDelayMs: 1, maxDelayMs: 5, maxDeaths: 3, windowMs: 60_000 };

async function supervise(behaviours: string, over: { stopTimeoutMs?: number; main?: string } = {}) {
  const directory = await scratchDir();
  const reports: string[] = [];
  const logFile = join(directory, 'logs/fake.log');
  const service = superviseService({
    spec: {
      name: 'fake',
      main: over.main ?? join(import.meta.dirname, 'testing/fake-service.ts'),
      env: { PATH: process.env['PATH'], FAKE: behaviours, MARK: join(directory, 'mark') },
    },
    logFile,
    report: (line) => reports.push(line),
    policy: quick,
    stopTimeoutMs: over.stopTimeoutMs ?? 10_000,
  });
  onTestFinished(() => service.stop());
  return { service, reports, logFile };
}

const waitUntil = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });
const waitUntilUp = async (logFile: string, times = 1) =>
  waitUntil(async () => expect((await readFile(logFile, 'utf8')).match(/^up/gm)).toHaveLength(times));
const expectPid = (service: SupervisedService): number => service.readPid() ?? expect.fail('it does not run');

test('the supervisor writes the output of a service to its log, and stops the service by a signal that lets it drain', async () => {
  const { service, reports, logFile } = await supervise('');
  await waitUntilUp(logFile);
  const pid = expectPid(service);
  await service.stop();
  expect(await readFile(logFile, 'utf8')).toBe(`up ${pid}\ndrained ${pid}\n`);
  expect(isAlive(pid)).toBe(false);
  expect(service.readPid()).toBeUndefined();
  expect(reports).toEqual([]);
});

test('the supervisor restarts a service that exits, reports its last line and continues its log', async () => {
  const { service, reports, logFile } = await supervise('once');
  await waitUntilUp(logFile, 2);
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/^fake ended with code 3; started again in 0\.001 s\. Its last line: up \d+ /);
  expect(isAlive(expectPid(service))).toBe(true);
});

test('the supervisor restarts a service that another process kills', async () => {
  const { service, reports, logFile } = await supervise('');
  await waitUntilUp(logFile);
  process.kill(expectPid(service), 'SIGKILL');
  await waitUntilUp(logFile, 2);
  expect(reports[0]).toMatch(/^fake was ended by SIGKILL/);
});

test('A service that dies repeatedly stays down and is reported', async () => {
  const { service, reports, logFile } = await supervise('die');
  expect(await service.gaveUp).toBe('fake ended with code 3, 3 times in 60 s, and stays down');
  expect(reports.map((line) => line.slice(0, 45))).toEqual([
    'fake ended with code 3; started again in 0.00',
    'fake ended with code 3; started again in 0.00',
    'fake ended with code 3, 3 times in 60 s, and ',
  ]);
  expect((await readFile(logFile, 'utf8')).match(/^up/gm)).toHaveLength(3);
});

test('a service without a main.ts stays down, and the report has the reason', async () => {
  const { service, reports } = await supervise('', { main: '/nowhere/main.ts' });
  expect(await service.gaveUp).toMatch(/stays down/);
  expect(reports.at(-1)).toMatch(/Its last line: .*Node\.js v/);
});

test('the supervisor kills a service that does not drain in time', async () => {
  const { service, logFile } = await supervise('stubborn', { stopTimeoutMs: 50 });
  await waitUntilUp(logFile);
  const pid = expectPid(service);
  await service.stop();
  expect(isAlive(pid)).toBe(false);
});

test('a stop during the start leaves nothing, and a second stop is the same one', async () => {
  const { service, reports, logFile } = await supervise('');
  await Promise.all([service.stop(), service.stop()]);
  expect(service.readPid()).toBeUndefined();
  const [, pid] = /up (\d+)/.exec(await readFile(logFile, 'utf8')) ?? [];
  expect(pid === undefined || !isAlive(Number(pid))).toBe(true);
  expect(reports).toEqual([]);
});

test.each([
  ['a service', '', 1],
  ['a service that does not drain', 'stubborn', 0],
])('if the supervisor is killed with SIGKILL, %s ends', { timeout: 20_000 }, async (_, behaviours, drained) => {
  const directory = await scratchDir();
  const owner = spawn(
    process.execPath,
    [join(import.meta.dirname, 'testing/supervising-main.ts'), directory, behaviours],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [line]: unknown[] = await once(createInterface(owner.stdout), 'line');
  const { pid } = JSON.parse(String(line));
  await waitUntilUp(join(directory, 'fake.log'));
  owner.kill('SIGKILL');
  await waitUntil(() => expect(isAlive(pid)).toBe(false));
  const log = await readFile(join(directory, 'fake.log'), 'utf8');
  expect(log.split('\n').filter((text) => text === `drained ${pid}`)).toHaveLength(drained);
});

test.skipIf(process.platform !== 'linux')(
  'Ctrl-C in the terminal of the supervisor does not reach the service',
  async () => {
    const { service, logFile } = await supervise('');
    await waitUntilUp(logFile);
    const pid = expectPid(service);
    // proc(5): the fields after the name are the state, the parent and the process group.
    expect((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[2]).toBe(String(pid));
  },
);
