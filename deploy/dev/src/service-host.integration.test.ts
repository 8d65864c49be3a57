// The host with programs of the test: the failures of one, its log and its stop leave the others alone.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocalHost } from './service-host.ts';
import { superviseService } from './supervise-service.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const FINE = `export const fine = { name: 'fine', async run(env, writeLine) {
  writeLine('up ' + env.COLOR);
  return { url: '', stop: async () => writeLine('drained') };
} };`;
const BROKEN = `export const broken = { name: 'broken', async run() { throw new Error('no tools today'); } };`;

test('A host whose log could not be opened starts when it can', async () => {
  const dir = await scratchDir();
  await writeFile(join(dir, 'logs'), 'a file in place of the folder');
  await writeFile(join(dir, 'service.ts'), FINE);
  const host = createLocalHost({
    name: 'test',
    env: { PATH: process.env['PATH'] },
    logFile: join(dir, 'logs/host.log'),
  });
  onTestFinished(() => host.stop());
  const start = () => host.start({ name: 'fine', main: join(dir, 'main.ts'), env: {} }, join(dir, 'fine.log'));
  await expect(start()).rejects.toMatchObject({ code: 'EEXIST' });
  await rm(join(dir, 'logs'));
  await (
    await start()
  ).up;
});

test('A host gives each service its own variables and log, and a service that cannot start stays down alone', async () => {
  const dir = await scratchDir();
  const host = createLocalHost({ name: 'test', env: { PATH: process.env['PATH'] }, logFile: join(dir, 'host.log') });
  onTestFinished(() => host.stop());
  const reports: string[] = [];
  const supervise = async (name: string, text: string, color: string) => {
    const folder = join(dir, name);
    const logFile = join(dir, `${name}.log`);
    await mkdir(folder);
    await writeFile(join(folder, 'service.ts'), text);
    const service = superviseService({
      spec: { name, main: join(folder, 'main.ts'), env: { COLOR: color } },
      logFile,
      report: (line) => reports.push(line),
      policy: { firstDelayMs: 1, maxDelayMs: 1, maxDeaths: 2, windowMs: 60_000 },
      startProcess: host.start,
    });
    onTestFinished(() => service.stop());
    return { service, logFile };
  };
  const red = await supervise('red', FINE, 'red');
  const blue = await supervise('blue', FINE, 'blue');
  const broken = await supervise('broken', BROKEN, '');
  expect(await broken.service.gaveUp).toBe('broken did not start, 2 times in 60 s, and stays down');
  expect(reports.at(-1)).toContain('Its last line: broken did not start: no tools today (internal)');
  const readLog = (of: { logFile: string }) => readFile(of.logFile, 'utf8');
  await vi.waitFor(async () => expect([await readLog(red), await readLog(blue)]).toEqual(['up red\n', 'up blue\n']));
  expect(red.service.readPid()).toBe(blue.service.readPid());
  await red.service.stop();
  expect(await readLog(red)).toBe('up red\ndrained\n');
  expect(await readLog(blue)).toBe('up blue\n');
  expect(blue.service.readPid()).toBeDefined();
  expect(reports).toHaveLength(2);
});
