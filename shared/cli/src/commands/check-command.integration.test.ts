// Tests `millrace check --start`: the processes that it started end with it in every case.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMillrace, type CliProcess } from '../testing/cli-process.ts';

const nats = useNats();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-check-command-'));
});
afterAll(() => rm(folder, { recursive: true }));

const START_MS = 25_000;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.each<[string, (check: CliProcess) => void]>([
  ['is interrupted', (check) => check.kill('SIGINT')],
  ['receives a signal to end', (check) => check.kill('SIGTERM')],
])(
  'a check that %s ends the replicas that it has started',
  async (how, end) => {
    const file = join(folder, how.replaceAll(' ', '-'));
    // The program never becomes a replica: the check waits for it.
    const start = `echo $$ > ${file}; sleep 300; true`;
    const check = startMillrace(['check', 'nobody', '--start', start], { env: { NATS_URL: nats.url } });
    const readPid = async () => Number(await readFile(file, 'utf8').catch(() => '')) || undefined;
    const pid = await eventually(readPid, { timeoutMs: START_MS });
    expect(isAlive(pid)).toBe(true);
    end(check);
    expect(await check.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('interrupted') });
    await eventually(() => !isAlive(pid));
  },
  60_000,
);
