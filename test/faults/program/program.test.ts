// A small seeded set of the fault program, as users run it; the long runs go on by seed. That the oracle sees is proved by `control`.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = resolve(import.meta.dirname, 'main.ts');
const TIMEOUT_MS = 180_000;

async function faults(...args: string[]): Promise<{ code: number; stdout: string }> {
  const running = promisify(execFile)(process.execPath, [main, ...args], { timeout: TIMEOUT_MS });
  return running.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code?: number; stdout?: string }) => ({ code: error.code ?? 1, stdout: error.stdout ?? '' }),
  );
}

test(
  'runs survive an orchestrator and a guard that are killed and a NATS that restarts; without guards the oracle sees leaks',
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

test('a fault that nobody knows is refused, with the names of those that there are', async () => {
  const { code } = await faults('--only', 'earthquake');
  expect(code).toBe(2);
});
