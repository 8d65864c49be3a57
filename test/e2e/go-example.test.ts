// The processor in Go passes the conformance check and guards a run. Skipped with a line if the machine has no Go.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millrace, root, runCommand } from './run-command.ts';

const hasGo = ((): boolean => {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('Go is not installed, the test of its example is skipped\n');
    return false;
  }
})();

describe.skipIf(!hasGo)('The processor in Go', () => {
  const nats = useNats();
  const stack = useStack(nats, ['orchestrator']);
  const dir = mkdtempSync(join(tmpdir(), 'millrace-go-'));
  const program = join(dir, 'go-guards');
  const env = (role: string) => ({ NATS_URL: nats.url, NATS_NKEY_FILE: join(nats.keys ?? '', role, 'user.nk') });
  beforeAll(async () => {
    const built = await runCommand('go', ['build', '-o', program, '.'], { cwd: join(root, 'examples/go') });
    if (built.code !== 0) throw new Error(`go build failed: ${built.stderr}`);
  }, 300_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('Its reader shows the text of each vector of the wire', { timeout: 300_000 }, async () => {
    const tested = await runCommand('go', ['test', './...'], { cwd: join(root, 'examples/go') });
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok/m) });
  });

  // The check waits for real durations: on a busy machine a starved replica can break a rule.
  test(
    'It passes every rule of the check, also those that stop a replica under load',
    { timeout: 120_000 },
    async () => {
      const key = env('developer').NATS_NKEY_FILE;
      const start = `NATS_NKEY_FILE=${key} exec ${program}`;
      const checked = await millrace(['check', 'go-no-shouting', '--start', start], { env: env('checker') });
      expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 are broken') });
    },
  );

  test('It blocks the input of an agent', async () => {
    const running = spawn(program, { env: { ...process.env, ...env('developer') }, stdio: 'ignore' });
    const exited = once(running, 'exit');
    try {
      await eventually(async () => (await stack.listDiscovered()).includes('go-guards'), { timeoutMs: 30_000 });
      const { client } = stack;
      await client.agents.apply({ name: 'quiet', model: 'openai/stand-in', input: ['go-no-shouting'] });
      const loud = await (await client.start('quiet', 'WHY DO YOU NEVER LISTEN TO ME')).result();
      expect(loud).toMatchObject({ status: 'aborted', tripwire: { reason: 'Please do not shout.' } });
      const calm = await (await client.start('quiet', 'What is 17 * 23?')).result();
      expect(calm.status).toBe('finished');
    } finally {
      running.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    }
  }, 60_000);
});
