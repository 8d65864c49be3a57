// `millrace logs` as a process, over files in the form that `npm start` writes.
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startMillrace } from '../testing/cli-process.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-logs-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const logs = join(folder, '.millrace', 'logs');
const below = join(folder, 'services', 'mine');
const line = (second: number, level: number, msg: string, more: object = {}) =>
  `${JSON.stringify({ level, time: `2026-01-01T00:00:0${second}.000Z`, service: 'x', replica: 'r', msg, ...more })}\n`;

beforeAll(async () => {
  await mkdir(logs, { recursive: true });
  await mkdir(below, { recursive: true });
  await writeFile(join(logs, 'orchestrator.log'), line(1, 30, 'up') + line(3, 40, 'lost', { runId: 'run-7' }));
  await writeFile(join(logs, 'guardrails.log'), `${line(2, 50, 'broke\u001b[2J')}no json at all\n`);
  await writeFile(join(logs, 'nats.log'), '[1] 2026/01/01 00:00:00.000000 [INF] Server is ready\n');
  await writeFile(join(logs, 'notes.txt'), 'not a log\n');
});

const run = (...args: string[]) => startMillrace(['logs', ...args], { cwd: below }).ended;

test('The lines of all services are printed in the order of time, without control characters', async () => {
  const { code, stdout } = await run();
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout.trimEnd().split('\n')).toEqual([
    'nats: [1] 2026/01/01 00:00:00.000000 [INF] Server is ready',
    expect.stringMatching(/^2026-01-01T00:00:01\.000Z info +orchestrator: up$/),
    expect.stringMatching(/error +guardrails: broke/),
    'guardrails: no json at all',
    expect.stringMatching(/warn +orchestrator: lost runId=run-7$/),
  ]);
});

test('Filters by service, level and run select lines', async () => {
  expect((await run('--service', 'orchestrator,nats', '--level', 'warn')).stdout).toMatch(
    /^\S+ warn +orchestrator: lost[^\n]*\n$/,
  );
  expect((await run('--run', 'run-7', '--json')).stdout).toBe(line(3, 40, 'lost', { runId: 'run-7' }));
  const { stdout, stderr } = await run('--lines', '1');
  expect([stdout.split('\n').length, stderr]).toEqual([2, expect.stringContaining('4 earlier lines are omitted')]);
  expect(await run('--level', 'loud')).toMatchObject({ code: 1, stderr: expect.stringContaining('--level is one of') });
});

test('--follow prints appended and replaced lines until Ctrl-C', async () => {
  const followed = startMillrace(['logs', '--follow', '--lines', '1'], { cwd: below });
  onTestFinished(() => followed.kill('SIGKILL'));
  await followed.waitForText('lost');
  await appendFile(join(logs, 'orchestrator.log'), line(4, 30, 'appended').slice(0, 20));
  await appendFile(join(logs, 'orchestrator.log'), line(4, 30, 'appended').slice(20));
  await followed.waitForText('appended');
  await writeFile(join(logs, 'guardrails.log'), line(5, 30, 'anew'));
  await followed.waitForText('anew');
  followed.kill('SIGINT');
  expect((await followed.ended).code).toBe(0);
});

test('Without a stack the command names the missing folder', async () => {
  const { code, stderr } = await startMillrace(['logs'], { cwd: tmpdir() }).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('.millrace/logs')]);
});
