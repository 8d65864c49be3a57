// The output of `millrace new` outside of the workspace runs after its checkout was deleted; the output inside leaves
// `verify` and the architecture tests green. Takes minutes and a registry, so it runs by command: npm run -s test:new.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millrace, runCommand } from './run-command.ts';
import { copyWorkspace, type WorkspaceCopy } from './workspace-copy.ts';

const isAsked = process.env['MILLRACE_NEW'] === '1';
const LONG_MS = 900_000;

describe.skipIf(!isAsked)('millrace new', () => {
  const nats = useNats();
  const stack = useStack(nats, ['orchestrator']);
  let copy: WorkspaceCopy;
  let folder: string;
  beforeAll(async () => {
    copy = await copyWorkspace();
    folder = await mkdtemp(join(tmpdir(), 'millrace-outside-'));
  }, LONG_MS);
  afterAll(async () => {
    copy.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const cli = () => join(copy.dir, 'shared/cli/src/main.ts');
  const create = (cwd: string, ...args: string[]) => runCommand(process.execPath, [cli(), 'new', ...args], { cwd });

  test(
    'inside the workspace: a processor and a tool leave verify and the architecture tests green',
    { timeout: LONG_MS },
    async () => {
      for (const [kind, name] of [
        ['processor', 'no-shouting'],
        ['tool', 'letter-count'],
      ] as const)
        expect(await create(copy.dir, kind, name)).toMatchObject({ code: 0 });
      for (const args of [
        ['run', '-s', 'verify'],
        ['exec', '--', 'vitest', 'run', 'services/no-shouting', 'services/letter-count'],
        ['exec', '--', 'vitest', 'run', 'test/architecture'],
      ])
        expect(await runCommand('npm', args, { cwd: copy.dir })).toMatchObject({ code: 0 });
      const once = await runCommand('npm', ['start', '--', '--once', 'What is 17 * 23?'], {
        cwd: copy.dir,
        env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' },
      });
      expect(once).toMatchObject({ code: 0, stdout: expect.stringContaining('391') });
    },
  );

  test(
    'outside the workspace: a processor and a tool run after the checkout was deleted',
    { timeout: LONG_MS },
    async () => {
      expect(await create(folder, 'processor', 'far-guard')).toMatchObject({ code: 0 });
      expect(await create(folder, 'tool', 'far-tool')).toMatchObject({ code: 0 });
      await rename(copy.dir, `${copy.dir}-gone`);
      try {
        for (const name of ['far-guard', 'far-tool']) {
          const cwd = join(folder, name);
          expect(await runCommand('npm', ['run', '-s', 'typecheck'], { cwd })).toMatchObject({ code: 0 });
          const program = spawn('npm', ['start'], {
            cwd,
            env: { ...process.env, NATS_URL: nats.url },
            stdio: 'ignore',
          });
          const exited = once(program, 'exit');
          try {
            await eventually(async () => (await stack.listDiscovered()).includes(name), { timeoutMs: 60_000 });
            const applied = await millrace(['agents', 'apply', join(cwd, 'agent.yaml'), '--wait', '20s'], {
              env: { NATS_URL: nats.url },
            });
            expect(applied).toMatchObject({ code: 0 });
            const checked = await millrace(['check', name], { env: { NATS_URL: nats.url } });
            expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 are broken') });
          } finally {
            program.kill('SIGTERM');
            await exited;
          }
        }
      } finally {
        await rename(`${copy.dir}-gone`, copy.dir);
      }
    },
  );
});
