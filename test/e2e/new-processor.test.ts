// Follows the README's "Write a processor" literally in a copy of the workspace: creates, checks, applies and calls the
// processor. The commands are those of package.json, so the test includes npm and the pinned Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand, type ProgramResult } from './run-command.ts';
import { copyWorkspace, type WorkspaceCopy } from './workspace-copy.ts';

const nats = useNats();
useStack(nats, ['orchestrator']);
let copy: WorkspaceCopy;
const COPY_MS = 180_000;
const STORY_MS = 240_000;

const run = (command: string, ...args: string[]): Promise<ProgramResult> =>
  runCommand(command, args, { cwd: copy.dir, env: { NATS_URL: nats.url } });
const millrace = (...args: string[]) => run('npm', 'run', '-s', 'millrace', '--', ...args);

beforeAll(async () => {
  copy = await copyWorkspace();
}, COPY_MS);
afterAll(() => copy.remove());

test('a new processor of this workspace passes its check at once, and blocks', { timeout: STORY_MS }, async () => {
  const written = await millrace('new', 'processor', 'no-shouting');
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('services/no-shouting/src/main.ts\n') });

  const program = spawn('npm', ['run', '-s', 'processor', '--', 'services/no-shouting/src/main.ts'], {
    cwd: copy.dir,
    env: { ...process.env, NATS_URL: nats.url },
    stdio: 'ignore',
  });
  const exited = once(program, 'exit');
  try {
    const applied = await millrace('agents', 'apply', 'services/no-shouting/agent.yaml', '--wait', '20s');
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('no-shouting is applied') });
    expect((await millrace('processors', 'list')).stdout).toMatch(/\nno-shouting +no-shouting +1 +1\.0\.0 /);
    expect(await millrace('check', 'no-shouting')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(' 0 are broken'),
    });
    const blocked = await millrace('run', 'no-shouting', 'WHY DO YOU NEVER LISTEN TO ME');
    expect(blocked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Please do not shout.') });
    expect(await millrace('run', 'no-shouting', 'hello')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\S/),
    });
  } finally {
    program.kill('SIGTERM');
    await exited;
  }
});

test('the workspace stays valid: one lockfile, format and dead-code checks pass', { timeout: STORY_MS }, async () => {
  expect(await run('npm', 'run', '-s', 'install:workspace')).toMatchObject({ code: 0 });
  for (const command of ['oxfmt --check .', 'knip'])
    expect(await run('npx', '--no-install', ...command.split(' '))).toMatchObject({ code: 0 });
});
