// A small seeded set of the fault program as users run it; the long runs continue by seed. `control` shows that the
// oracle works.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = resolve(import.meta.dirname, 'main.ts');
/** Four faults of 25 s each on a quiet machine, and twice as long beside other tests. */
const TIMEOUT_MS = 300_000;

async function faults(...args: string[]): Promise<{ code: number; stdout: string }> {
  const env = { ...process.env, MILLRACE_TIME_SCALE: '1' };
  const running = promisify(execFile)(process.execPath, [main, ...args], { env, timeout: TIMEOUT_MS });
  return running.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code?: number; stdout?: string }) => ({ code: error.code ?? 1, stdout: error.stdout ?? '' }),
  );
}

test(
  'runs survive a killed orchestrator, a killed guard and a restart of NATS, and without guards the oracle finds leaks',
  async () => {
    const only = 'control,orchestrator-kill,guardrails-kill,nats-term';
    const { code, stdout } = await faults('--only', only, '--runs', '6', '--seed', '3');
    const broken = stdout.split('\n').filter((line) => /^- (?!control)|BROKEN/.test(line));
    expect(broken).toEqual([]);
    expect(stdout.match(/\| holds \|/g)).toHaveLength(4);
    expect(code).toBe(0);
  },
  TIMEOUT_MS + 10_000,
);

test('the program rejects an unknown fault and lists the existing ones', async () => {
  const { code } = await faults('--only', 'earthquake');
  expect(code).toBe(2);
});
